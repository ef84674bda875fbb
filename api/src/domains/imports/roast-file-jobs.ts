import type { Upload, UploadChoices } from '@roastery/contract/imports';
import type { Mark } from '@roastery/roasting/marks';
import type { FileJob } from '../../file-reading/file-job.ts';
import type { FileFacts } from '../../file-reading/restored-file.ts';
import type { ImportedBatch, ImportedChannel } from './imported-roast.ts';

/** What a file says of itself, without what only the database knows. */
export interface DescribedFile {
  readonly upload: Omit<Upload, 'id' | 'file_name' | 'machine_id' | 'choices' | 'duplicates'>;
  readonly fileSha256: Uint8Array;
  readonly curveSha256: Uint8Array;
}

/** A mark with its place among the samples, ms on the recording's own clock. */
export interface PlacedMark extends Mark {
  readonly monoMs: number;
  readonly atSample: number;
}

/** The samples of a file as they are stored. Columns are as long as the times; NaN where nothing was read. */
export interface FileRecording {
  readonly monoMs: Int32Array;
  readonly channels: readonly (Omit<ImportedChannel, 'values'> & { readonly values: Float64Array })[];
  readonly marks: readonly PlacedMark[];
  /** ms on the recording's clock; undefined where neither the file nor the person says when the beans went in. */
  readonly chargeMs: number | undefined;
  /** Wall clock of the recording's 0, ms since 1970; undefined where the file doesn't say it. */
  readonly startedAtMs: number | undefined;
  readonly curveSha256: Uint8Array;
  readonly sourceId: string | null;
  readonly batch: ImportedBatch | null;
  readonly facts: FileFacts;
  /** The file itself, gzip, where it holds more than is stored of it. */
  readonly source: { readonly format: 'alog' | 'artisan_json'; readonly gzip: Uint8Array } | null;
}

export const describeRoastFile: FileJob<UploadChoices, DescribedFile> = { name: 'describe roast file' };
export const readRecording: FileJob<UploadChoices, FileRecording> = { name: 'read recording' };
