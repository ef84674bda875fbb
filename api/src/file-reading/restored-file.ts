import type { Upload, UploadChoices } from '@roastery/contract/imports';
import type { Mark } from '@roastery/roasting/marks';
import type { FileJob } from './file-job.ts';

/** A mark of a roast. Seconds since its first sample. */
export type RestoredMark = Omit<Mark, 'provisional'>;

/** What was roasted, as an import reads it and an export writes it. */
export type FileFacts = Pick<
  Upload,
  | 'coffee_name'
  | 'coffee_origin'
  | 'coffee_process'
  | 'machine_name'
  | 'roasted_by'
  | 'profile_name'
  | 'roast_number'
  | 'roast_level'
  | 'batch_size_kg'
  | 'end_weight_kg'
  | 'color'
  | 'cupping_score'
  | 'notes'
>;

/** An imported roast as it is now, to be written into the file that it came from. */
export interface RestoredFile {
  readonly choices: UploadChoices;
  /** As it was uploaded: a file without a title of its own gave the coffee its name. */
  readonly fileName: string;
  /** The coffee of the roast's lot, which stands in for a missing name. */
  readonly lotCoffee: string | null;
  readonly facts: FileFacts;
  /** As it is stored: the facts name the machine's owner where it is empty. */
  readonly roastedBy: string | null;
  readonly marks: readonly RestoredMark[];
  readonly firstSampleAtMs: number;
}

/** Marks as the record in an Artisan file of ours has them. */
export const recordedMarks = (marks: readonly RestoredMark[]) =>
  marks.map(({ timeSeconds, tempC, ...mark }) => ({ ...mark, time_seconds: timeSeconds, temp: tempC }));

/** `domains/imports` does it; `domains/exports` asks for it. */
export const restoreRoastFile: FileJob<RestoredFile, string> = { name: 'restore roast file' };
