import type { JournalEvent } from '@roastery/contract/mqtt';
import type { Sql } from '../db/sql.ts';

/** An event of a stream, and its place there. */
interface EventInStream {
  readonly recordingId: string;
  readonly bootNo: number;
  readonly seq: number;
  readonly monoMs: number;
  readonly event: JournalEvent;
}

/** Keeps what a board says about its own journal: its starts, and the entries that will never come. */
export const insertNotes = async (tx: Sql, events: readonly EventInStream[]): Promise<void> => {
  const rows = events.flatMap(({ recordingId, seq, bootNo, monoMs, event }) => {
    const place = { recording_id: recordingId, event_seq: seq, boot_no: bootNo, mono_ms: monoMs };
    const nothing = { agent_version: null, from_seq: null, to_seq: null, reason: null };
    if (event.type === 'start') return { ...place, ...nothing, kind: 'start', agent_version: event.agent_version };
    // A range that runs backwards says nothing about any entry.
    if (event.type !== 'gap' || event.to_seq < event.from_seq) return [];
    const { from_seq, to_seq, reason } = event;
    return { ...place, ...nothing, kind: 'gap', from_seq, to_seq, reason };
  });
  if (rows.length === 0) return;
  await tx`INSERT INTO recording_notes ${tx(rows)} ON CONFLICT (recording_id, event_seq) DO NOTHING`;
};
