import type { Database, Sql } from '../db/sql.ts';
import { findConflicts, overlapOf, type Overlap } from './conflicts.ts';
import type { JournalMessage, KnownBatch } from './journal-message.ts';
import { placeBatch, rangeOf, type Placed } from './place-batch.ts';
import { writeQuarantine, type Refusal } from './quarantine.ts';
import { applyEvents } from './roast-events.ts';
import { arrivingSamples, joinNeighbours, samplesIn } from './sample-pieces.ts';
import { missingFrom, withRange, type SeqRange, type SeqRanges } from './seq-ranges.ts';
import { insertChunks, updateCommitted, writeBoots, writeLayouts, type BootRow } from './store-samples.ts';
import { keyOf, lockStreams, type Stream, type StreamKey } from './streams.ts';
import { moveStarts, type ClockChange } from './clock-changes.ts';

/** What may be told to a board after the commit. */
export interface Acknowledgement {
  readonly serialNumber: string;
  readonly epoch: string;
  /** All that is in the database, or only what this message claimed when its machine is unknown. */
  readonly ranges: SeqRanges;
  /** What the messages of this commit covered. */
  readonly covered: readonly SeqRange[];
}

export interface Committed {
  readonly acknowledgements: Acknowledgement[];
  readonly samples: number;
  readonly events: number;
  readonly quarantined: number;
  readonly conflicts: number;
  /** Older messages that left the quarantine for want of room. */
  readonly dropped: number;
  /** Machines that were heard from. */
  readonly machineIds: string[];
}

interface MachineRow {
  id: string;
  serial_number: string;
  owner_id: string;
}

interface Claim {
  readonly key: StreamKey;
  readonly message: JournalMessage;
  readonly range: SeqRange;
  readonly reason: string;
}

interface Sorted {
  readonly known: KnownBatch[];
  /** Refused, and it is known which entries of which stream they are. */
  readonly claims: Claim[];
  /** Refused, and nothing can be said about a stream of ours. */
  readonly strays: Refusal[];
}

const sortOut = (messages: readonly JournalMessage[], machines: ReadonlyMap<string, MachineRow>): Sorted => {
  const sorted: Sorted = { known: [], claims: [], strays: [] };
  for (const message of messages) {
    const machine = machines.get(message.serialNumber);
    const { decoded } = message;
    if (machine === undefined) {
      const why = decoded.ok ? '' : `; ${decoded.reason}`;
      sorted.strays.push({ message, reason: `no machine has this serial number, or it is archived${why}` });
    } else if (decoded.ok) {
      sorted.known.push({ message, machineId: machine.id, ownerId: machine.owner_id, batch: decoded.batch });
    } else if (decoded.claims === undefined) {
      sorted.strays.push({ message, machineId: machine.id, reason: decoded.reason });
    } else {
      const key = { machineId: machine.id, epoch: decoded.claims.epoch };
      sorted.claims.push({ key, message, range: decoded.claims.range, reason: decoded.reason });
    }
  }
  return sorted;
};

/** Entries refused for good count as dealt with, so that a repeat of them is not quarantined again. */
const takeClaims = (claims: readonly Claim[], streams: ReadonlyMap<string, Stream>): Refusal[] =>
  claims.flatMap(({ key, message, range, reason }) => {
    const stream = streams.get(keyOf(key));
    if (stream === undefined || missingFrom(stream.committed, range).length === 0) return [];
    stream.committed = withRange(stream.committed, range);
    return [{ message, reason, machineId: key.machineId }];
  });

const clockChanges = (streams: Iterable<Stream>, before: ReadonlyMap<string, ReadonlyMap<number, number>>) => {
  const rows: BootRow[] = [];
  const changes: ClockChange[] = [];
  for (const { recordingId, machineId, boots } of streams) {
    for (const [bootId, { bootNo, clock }] of boots) {
      const offsetBefore = before.get(recordingId)?.get(bootNo);
      if (clock === undefined || clock.offsetMs === offsetBefore) continue;
      rows.push({ recordingId, bootNo, bootId, clock });
      if (offsetBefore !== undefined)
        changes.push({ recordingId, machineId, bootNo, byMs: clock.offsetMs - offsetBefore });
    }
  }
  return { rows, changes };
};

const offsetsOf = (streams: Iterable<Stream>): Map<string, Map<number, number>> =>
  new Map(
    Array.from(streams, ({ recordingId, boots }) => [
      recordingId,
      new Map(Array.from(boots.values(), ({ bootNo, clock }) => [bootNo, clock?.offsetMs ?? 0])),
    ]),
  );

const acknowledge = (sorted: Sorted, streams: ReadonlyMap<string, Stream>): Acknowledgement[] => {
  const covered = new Map<Stream, { serialNumber: string; ranges: SeqRange[] }>();
  const add = (stream: Stream | undefined, serialNumber: string, range: SeqRange): void => {
    if (stream === undefined) return;
    const entry = covered.get(stream) ?? { serialNumber, ranges: [] };
    entry.ranges.push(range);
    covered.set(stream, entry);
  };
  for (const known of sorted.known) {
    const key = keyOf({ machineId: known.machineId, epoch: known.batch.epoch });
    add(streams.get(key), known.message.serialNumber, rangeOf(known));
  }
  for (const { key, message, range } of sorted.claims) add(streams.get(keyOf(key)), message.serialNumber, range);
  const ours = Array.from(covered, ([stream, { serialNumber, ranges }]) => ({
    serialNumber,
    epoch: stream.epoch,
    ranges: stream.committed,
    covered: ranges,
  }));
  const strays = sorted.strays.flatMap(({ message: { serialNumber, decoded } }) => {
    const claim = decoded.ok
      ? { epoch: decoded.batch.epoch, range: rangeOf({ batch: decoded.batch }) }
      : decoded.claims;
    if (claim === undefined) return [];
    return [{ serialNumber, epoch: claim.epoch, ranges: [claim.range], covered: [claim.range] }];
  });
  return [...ours, ...strays];
};

const storePlaced = async (tx: Sql, placed: readonly { stream: Stream; placed: Placed }[], receivedAtMs: number) => {
  await writeLayouts(
    tx,
    placed.flatMap(({ placed: { newLayout } }) => (newLayout === undefined ? [] : [newLayout])),
  );
  const byStream = new Map<string, Placed['pieces']>();
  for (const { stream, placed: added } of placed) {
    const pieces = byStream.get(stream.recordingId) ?? [];
    pieces.push(...added.pieces);
    byStream.set(stream.recordingId, pieces);
  }
  const chunks = Array.from(byStream, ([recordingId, pieces]) =>
    joinNeighbours(pieces, arrivingSamples).map((run) => ({ recordingId, run })),
  ).flat();
  await insertChunks(tx, chunks, receivedAtMs);
  return chunks.reduce((sum, { run }) => sum + samplesIn(run), 0);
};

/** Stores these messages in a transaction that is under way. */
export const commitIn = async (tx: Sql, messages: readonly JournalMessage[]): Promise<Committed> => {
  const serials = [...new Set(messages.map((message) => message.serialNumber))];
  const machines = await tx<MachineRow[]>`
    SELECT id, serial_number, owner_id FROM machines
    WHERE serial_number = ANY(${serials}::text[]) AND archived_at IS NULL`;
  const sorted = sortOut(messages, new Map(machines.map((row) => [row.serial_number, row])));
  const { known, claims, strays } = sorted;
  const receivedAtMs = messages[0]?.receivedAtMs ?? Date.now();
  const keys = [
    ...known.map(({ machineId, batch }) => ({ machineId, epoch: batch.epoch })),
    ...claims.map(({ key }) => key),
  ];
  const streams = keys.length === 0 ? new Map<string, Stream>() : await lockStreams(tx, keys);
  const offsetsBefore = offsetsOf(streams.values());

  const overlaps: Overlap[] = [];
  const placed = known.map((batch) => {
    const stream = streams.get(keyOf({ machineId: batch.machineId, epoch: batch.batch.epoch }));
    if (stream === undefined) throw new Error('a locked stream is missing');
    const overlap = overlapOf(batch, stream, rangeOf(batch));
    if (overlap !== undefined) overlaps.push(overlap);
    return { stream, placed: placeBatch(batch, stream) };
  });
  const refusals = [...strays, ...takeClaims(claims, streams)];

  const { rows, changes } = clockChanges(streams.values(), offsetsBefore);
  await writeBoots(tx, rows);
  const samples = await storePlaced(tx, placed, receivedAtMs);
  if (streams.size > 0) await updateCommitted(tx, [...streams.values()], receivedAtMs);
  const conflicts = await findConflicts(tx, overlaps);
  const dropped = await writeQuarantine(tx, [
    ...refusals,
    ...conflicts.map(({ known: { message, machineId }, reason }) => ({ message, machineId, reason })),
  ]);

  const touched = await moveStarts(tx, changes);
  const events = placed.flatMap(({ stream, placed: { events: added } }) =>
    added.map(({ bootId, ...event }) => ({
      ...event,
      wallOffsetMs: stream.boots.get(bootId)?.clock?.offsetMs ?? receivedAtMs - event.monoMs,
    })),
  );
  await applyEvents(tx, events, touched);
  return {
    acknowledgements: acknowledge(sorted, streams),
    samples,
    events: events.length,
    quarantined: refusals.length,
    conflicts: conflicts.length,
    dropped,
    machineIds: [...new Set(known.map(({ machineId }) => machineId))],
  };
};

/** Of many messages a part may pass where all together take too long, so they are given up sooner than one alone. */
const deadlines = (count: number) => (count > 1 ? { statement: '5s', lock: '2s' } : { statement: '15s', lock: '5s' });

/** Stores these messages in one transaction, all or none. What it answers may be acknowledged: it is committed. */
export const commitMessages = (sql: Database, messages: readonly JournalMessage[]): Promise<Committed> =>
  sql.begin(async (tx) => {
    const { statement, lock } = deadlines(messages.length);
    await tx`SELECT set_config('statement_timeout', ${statement}, true), set_config('lock_timeout', ${lock}, true)`;
    return commitIn(tx, messages);
  });

/** Puts one message away that can't be stored, with the reason, and counts its entries as dealt with. */
export const commitRefusal = (sql: Database, message: JournalMessage, reason: string): Promise<Committed> => {
  const { decoded } = message;
  const claims = decoded.ok ? { epoch: decoded.batch.epoch, range: rangeOf({ batch: decoded.batch }) } : decoded.claims;
  const refused = { ok: false as const, reason, ...(claims === undefined ? {} : { claims }) };
  return commitMessages(sql, [{ ...message, decoded: refused }]);
};
