import type { Sql } from '../db/sql.ts';
import { applyEvents, moveStarts } from '../domains/roasts/boards/roast-events.ts';
import {
  type Conflict,
  type JournalMessage,
  type Overlap,
  type Refusal,
  type StoredEntries,
  storeEntries,
  type StoringOptions,
} from '../recordings/recordings.ts';

export interface Committed extends Pick<
  StoredEntries,
  'acknowledgements' | 'samples' | 'machineIds' | 'stored' | 'busy' | 'remember'
> {
  readonly events: number;
  readonly quarantined: number;
  readonly conflicts: number;
  /** All quarantined messages, including the conflicts. */
  readonly refusals: readonly Refusal[];
}

/** How the marks of a repeat differ from those that are stored under its sequence numbers. */
const markDifference = async (
  tx: Sql,
  { known: { batch }, recording, parts }: Overlap,
): Promise<string | undefined> => {
  if (batch.k !== 'events') return undefined;
  for (const [index, { e }] of batch.ev.entries()) {
    const seq = batch.seq + index;
    if (e.type !== 'mark' || !parts.some(({ start, end }) => seq >= start && seq < end)) continue;
    const [stored] = await tx<{ kind: string; at_seq: number | null }[]>`
      SELECT kind, at_seq FROM roast_marks
      WHERE roast_id = ${e.roast_id} AND recording_id = ${recording.recordingId} AND event_seq = ${seq}`;
    if (stored !== undefined && (stored.kind !== e.kind || stored.at_seq !== e.at_seq)) {
      return `seq ${seq} is another mark`;
    }
  }
  return undefined;
};

const conflictingMarks = async (tx: Sql, repeats: readonly Overlap[]): Promise<Conflict[]> => {
  const found: Conflict[] = [];
  for (const repeat of repeats) {
    const difference = await markDifference(tx, repeat);
    if (difference !== undefined) found.push({ known: repeat.known, difference });
  }
  return found;
};

/**
 * Stores these messages within the caller's transaction, and applies their events to roasts. The caller quarantines the refused
 * ones, unless it rolls back, and calls `remember` after its commit.
 */
export const commitIn = async (
  tx: Sql,
  messages: readonly JournalMessage[],
  options?: StoringOptions,
): Promise<Committed> => {
  const { events, clockChanges, refusals, repeats, ...stored } = await storeEntries(tx, messages, options);
  const conflicts = [...stored.conflicts, ...(await conflictingMarks(tx, repeats))];
  const touched = await moveStarts(tx, clockChanges);
  await applyEvents(tx, events, touched);
  return {
    ...stored,
    events: events.length,
    quarantined: refusals.length,
    conflicts: conflicts.length,
    refusals: [
      ...refusals,
      ...conflicts.map(({ known: { message, machineId }, difference }) => ({
        message,
        machineId,
        reason: `sequence number claimed twice: ${difference}`,
      })),
    ],
  };
};
