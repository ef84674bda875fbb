import type { Upload, UploadChoices } from '@roastery/contract/imports';
import type { Mark } from '@roastery/roasting/marks';
import type { FileJob } from './file-job.ts';

/** A mark of a roast. Seconds since its first sample. */
export type RestoredMark = Omit<Mark, 'provisional'>;

/** The description of a roast, as an import reads it and an export writes it. */
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

/** An imported roast in its present state, to be written into its original file. */
export interface RestoredFile {
  readonly choices: UploadChoices;
  /** As it was uploaded: the coffee of a file without a title is named after the file. */
  readonly fileName: string;
  /** The coffee of the roast's lot, which replaces a missing name. */
  readonly lotCoffee: string | null;
  readonly facts: FileFacts;
  /** As stored: the facts name the machine's owner where it is empty. */
  readonly roastedBy: string | null;
  readonly marks: readonly RestoredMark[];
  readonly firstSampleAtMs: number;
}

/** Marks in the record of an Artisan file of ours. */
export const recordedMarks = (marks: readonly RestoredMark[]) =>
  marks.map(({ timeSeconds, tempC, ...mark }) => ({ ...mark, time_seconds: timeSeconds, temp: tempC }));

/** `domains/imports` implements it; `domains/exports` uses it. */
export const restoreRoastFile: FileJob<RestoredFile, string> = { name: 'restore roast file' };
