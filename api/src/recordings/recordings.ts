/**
 * Recordings: what Postgres holds of the boards' journals and of uploaded curves. All that other places need of samples, boots and
 * layouts is here; only this folder names their tables. Statements about roasts and machines use what the schema offers them:
 * `committed_now()`, `wall_ms()`, `layout_at()`, `recorded_channels()`, `explain_hole()` and the views `stream_parts` and
 * `recorded_layouts`.
 */

// Store, correct, remove.
export { storeEntries, type StoredEntries, type StoringOptions } from './store-entries.ts';
export { storeFile } from './store-file.ts';
export { correctRecordings } from './correct-recordings.ts';
export { deleteSamples, type SampleRules, sweepRecordings } from './sweep-samples.ts';

// Read.
export { type Column, readSamples, type Samples } from './read-samples.ts';
export { openSamples } from './open-samples.ts';
export { type BootClocks, type Place, readClocks } from './boot-clocks.ts';
export { findPlace, type PlaceInRecording } from './find-place.ts';
export { readRecordedSpan } from './recorded-span.ts';
export type { Step } from './read-steps.ts';

export type {
  Acknowledgement,
  BusyStreams,
  CoveredBatch,
  Decoded,
  JournalMessage,
  KnownBatch,
  QueuedMessage,
  Refusal,
  StoredBatch,
} from './arrived-entries.ts';
export type { PlacedEvent } from './place-batch.ts';
export type { Conflict, Overlap } from './repeats.ts';
export type { ClockChange } from './wall-clock.ts';
