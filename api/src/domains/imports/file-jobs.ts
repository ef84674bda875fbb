import type { ColumnChoice, Upload, UploadFormat } from '@roastery/contract/imports';
import type { LotImport, LotImportChoices } from '@roastery/contract/lot-imports';
import type { Mark } from '@roastery/roasting/marks';
import type { FileJob } from '../../file-reading/file-job.ts';
import type { FileFacts } from '../../file-reading/restored-file.ts';
import type { ImportedBatch, ImportedChannel, ReadingChoices } from './imported-roast.ts';
import type { RoastFigures } from './plausibility.ts';
import type { ReadRow } from './lots/lot-rows.ts';

// What the readers of files are asked for, apart from the programs that do it: the api loads no parser of a file.

/** The contents of a file, without the parts that need the database. */
export interface DescribedFile {
  readonly upload: Omit<Upload, 'id' | 'roast_id' | 'file_name' | 'machine_id' | 'choices' | 'duplicates' | 'doubts'>;
  readonly fileSha256: Uint8Array;
  readonly curveSha256: Uint8Array;
  /** Null for a table whose columns have to be assigned. */
  readonly figures: RoastFigures | null;
  /** Key of the heads of a table; null for a program's own file. */
  readonly layout: string | null;
}

/** A mark with its position among the samples, ms on the recording's own clock. */
export interface PlacedMark extends Mark {
  readonly monoMs: number;
  readonly atSample: number;
}

/** The samples of a file as they are stored. Columns are as long as the times; NaN for missing readings. */
export interface FileRecording {
  readonly monoMs: Int32Array;
  readonly channels: readonly (Omit<ImportedChannel, 'values'> & { readonly values: Float64Array })[];
  readonly marks: readonly PlacedMark[];
  /** ms on the recording's clock; undefined if neither the file nor the person gives a charge. */
  readonly chargeMs: number | undefined;
  /** Wall clock of the recording's 0, ms since 1970; undefined if the file has none. */
  readonly startedAtMs: number | undefined;
  readonly curveSha256: Uint8Array;
  readonly sourceId: string | null;
  readonly batch: ImportedBatch | null;
  readonly facts: FileFacts;
  readonly figures: RoastFigures;
  /** The columns that a person had assigned for a table with these heads. */
  readonly columns?: readonly ColumnChoice[];
  /** The file itself, gzip. */
  readonly source: { readonly format: UploadFormat; readonly gzip: Uint8Array };
}

export const describeRoastFile: FileJob<ReadingChoices, DescribedFile> = { name: 'describe roast file' };
export const readRecording: FileJob<ReadingChoices, FileRecording> = { name: 'read recording' };

/** The result of reading a file of lots. */
export type LotReading = Pick<LotImport, 'sheet' | 'sheets' | 'columns' | 'notes'>;

export interface ReadLots {
  readonly reading: LotReading;
  /**
   * The rows as JSON, some hundred to a text: Postgres reads them directly, so that the api never holds thousands of
   * rows as objects.
   */
  readonly rows: readonly string[];
}

export const readLots: FileJob<LotImportChoices, ReadLots> = { name: 'read lots' };

export const rowsOf = (text: string): ReadRow[] => JSON.parse(text) as ReadRow[];
