import type { Preferences } from '@roastery/contract/auth';
import type { TemperatureUnit } from '@roastery/roasting/units';
import type { FileJob } from '../../file-reading/file-job.ts';
import type { GatheredRoast } from './exported-roast.ts';
import type { Letterhead } from './letterhead.ts';

// The files that are made in the processes that read users' files: `make-files.ts` makes them, and the api loads no writer.

/** The channels that the chart of a report shows. */
export const reportChannels = ['bean_temp', 'exhaust_temp'] as const;

/** A roast to be made a file, with what each format adds to it. */
export type RoastFileRequest = { readonly roast: GatheredRoast } & (
  | { readonly format: 'csv'; readonly unit: TemperatureUnit }
  | { readonly format: 'alog'; readonly unit: TemperatureUnit }
  | { readonly format: 'xlsx'; readonly timeZone: string; readonly preferences: Preferences }
  | {
      readonly format: 'pdf';
      readonly letterhead: Letterhead;
      readonly unit: TemperatureUnit;
      readonly preferences: Preferences;
    }
);

export const makeRoastFile: FileJob<RoastFileRequest, Uint8Array<ArrayBuffer>> = { name: 'make roast file' };

/** The columns of a list. The second one holds the start of each roast. */
export interface RoastListTable {
  readonly timeZone: string;
  readonly heads: readonly string[];
  readonly widths: readonly number[];
}

/** The content is the rows, see `row-lines.ts`. */
export const makeRoastList: FileJob<RoastListTable, Uint8Array<ArrayBuffer>> = { name: 'make roast list' };
