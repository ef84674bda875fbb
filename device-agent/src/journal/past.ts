import { readFile } from 'node:fs/promises';
import type { Entry } from '../core/entry.ts';
import type { RecordedPast } from '../core/replay.ts';
import { readSegment, type SealedSegment } from './segment.ts';

/** Damage can hide a state; beyond so many segments the past is left alone. */
const maxSegments = 16;

/**
 * Reads back from the newest segment until there is a state and every entry after it: nearly always the newest segment
 * alone, since each begins with a state.
 */
export const readPast = async (sealed: readonly SealedSegment[]): Promise<RecordedPast> => {
  const collected: (readonly Entry[])[] = [];
  let state: RecordedPast['state'];
  for (const segment of sealed.slice(-maxSegments).toReversed()) {
    const data = readSegment(await readFile(segment.path));
    collected.unshift(data.entries);
    state ??= data.state;
    if (state && segment.first <= state.tracker.seq + 1) break;
  }
  return { state, entries: collected.flat() };
};
