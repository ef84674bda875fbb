import type { UploadFormat } from '@roastery/contract/imports';
import type { ImportedRoast, ReadingChoices } from './imported-roast.ts';

/**
 * `certain`: only this program writes such a file. `possible`: the file can be read, if no other format is certain of
 * it.
 */
export type Recognition = 'certain' | 'possible' | 'no';

/**
 * The files of one program. Both functions get the whole file and run in a reader process with limits. They share the
 * decoded views of `file-content.ts`, so trying every format costs one decoding.
 */
export interface RoastFileFormat {
  readonly format: UploadFormat;
  recognise(bytes: Uint8Array): Recognition | Promise<Recognition>;
  /** Throws `validation` with a sentence when the file holds no roast. */
  read(bytes: Uint8Array, choices: ReadingChoices): ImportedRoast | Promise<ImportedRoast>;
}
