import { parseOrThrow } from '@roastery/contract/parse-shape';
import { uploadChoicesShape } from '@roastery/contract/imports';
import type { UserContext } from '../../context.ts';
import { readyJob, type ReadyJob } from '../../file-reading/file-job.ts';
import { restoreRoastFile } from '../../file-reading/restored-file.ts';
import type { GatheredRoast } from './exported-roast.ts';
import { changesOfFile } from './roast-alog.ts';

interface SourceRow {
  choices: unknown;
  content: Buffer;
  file_name: string;
  lot_coffee: string | null;
  roasted_by: string | null;
  /** Roasts on this recording: a file that was split is no longer the file of one roast. */
  roasts: number;
}

/** The work on the Artisan file that a roast was imported from, for later changes; undefined for every other roast. */
export const importedAlog = async (
  { sql }: UserContext,
  gathered: GatheredRoast,
): Promise<ReadyJob<string> | undefined> => {
  const [source] = await sql<SourceRow[]>`
    SELECT f.choices, f.content, coalesce(c.file_name, '') AS file_name, l.coffee_name AS lot_coffee, r.roasted_by,
           (SELECT count(*)::int FROM roasts o WHERE o.recording_id = r.recording_id) AS roasts
    FROM roasts r
    JOIN recording_files f ON f.recording_id = r.recording_id AND f.format IN ('alog', 'artisan_json')
    JOIN recordings c ON c.id = r.recording_id
    LEFT JOIN lots l ON l.id = r.lot_id
    WHERE r.id = ${gathered.roast.id}`;
  if (source === undefined || source.roasts > 1) return undefined;
  return readyJob(restoreRoastFile, source.content, {
    choices: parseOrThrow(uploadChoicesShape, source.choices),
    fileName: source.file_name,
    lotCoffee: source.lot_coffee,
    roastedBy: source.roasted_by,
    ...changesOfFile(gathered),
  });
};
