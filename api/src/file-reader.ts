import { summaryFile } from './domains/summaries/summary-files.ts';
import { makeSummary } from './domains/summaries/summary-tables.ts';
import { makeRoastFile, makeRoastList } from './domains/exports/export-jobs.ts';
import { roastFile, roastListFile } from './domains/exports/make-files.ts';
import { describeFile } from './domains/imports/describe-file.ts';
import { describeRoastFile, readLots, readRecording } from './domains/imports/file-jobs.ts';
import { readLotsFile } from './domains/imports/lots/read-lots.ts';
import { recordingIn } from './domains/imports/recording-in-file.ts';
import { restoreArtisanFile } from './domains/imports/restore-artisan-file.ts';
import { artisanMachine, readArtisanSettings } from './domains/machine-maps/artisan/read-artisan-settings.ts';
import { restoreRoastFile } from './file-reading/restored-file.ts';
import { serveJobs, served } from './file-reading/serve-jobs.ts';

/** The program of a reader process: `file-reading/` starts it, and sends it one file, or the data of one export, at a time. */
await serveJobs([
  served(describeRoastFile, describeFile),
  served(readRecording, recordingIn),
  served(restoreRoastFile, restoreArtisanFile),
  served(readLots, readLotsFile),
  served(readArtisanSettings, artisanMachine),
  served(makeRoastFile, roastFile),
  served(makeRoastList, roastListFile),
  served(makeSummary, summaryFile),
]);
