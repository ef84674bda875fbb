import type { Sql } from '../db/sql.ts';
import { coveredBy, missingFrom, rangeOf, type SeqRange, withRange } from '../db/seq-ranges.ts';
import type {
  Acknowledgement,
  BusyStreams,
  CoveredBatch,
  JournalMessage,
  KnownBatch,
  Refusal,
  StoredBatch,
} from './arrived-entries.ts';
import { asRecorded, insertNotes, placeBatch, type PlacedEvent, storePlaced } from './place-batch.ts';
import { type StreamPart, updateCommitted } from './recording-rows.ts';
import { type Conflict, findConflicts, type Overlap, overlapOf, repeatsIn } from './repeats.ts';
import { headsOf, type StreamHead } from './stream-heads.ts';
import { keyOf, lockStreams, otherHolders, partsOf, partsOfGap, type Stream, type StreamKey } from './streams.ts';
import { type ClockChange, clockChanges, clocksOf, writeBoots } from './wall-clock.ts';

/** What one transaction stores of the messages of many boards, and what it leaves to its caller. */
export interface Stored {
  readonly acknowledgements: readonly Acknowledgement[];
  readonly samples: number;
  /** All batches that are stored now, with repeats of what another instance has stored. */
  readonly stored: readonly StoredBatch[];
  /** Left, because another transaction stores entries of their streams. */
  readonly busy: readonly JournalMessage[];
  /** Machines whose batches were read. */
  readonly machineIds: readonly string[];
  readonly refusals: readonly Refusal[];
  /** Repeats with other samples than those that are stored. */
  readonly conflicts: readonly Conflict[];
  /** Repeats without such a difference. Their marks are to be compared. */
  readonly repeats: readonly Overlap[];
  /** New events, to be applied to roasts. */
  readonly events: readonly PlacedEvent[];
  /** The roasts of these boots have to follow. */
  readonly clockChanges: readonly ClockChange[];
  /** To be cached after the commit. */
  readonly heads: readonly StreamHead[];
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

interface Classified {
  readonly known: KnownBatch[];
  /** Refused; stream and entries are known. */
  readonly claims: Claim[];
  /** Refused; the stream is unknown. */
  readonly unassigned: Refusal[];
}

const classify = (messages: readonly JournalMessage[], machines: ReadonlyMap<string, MachineRow>): Classified => {
  const sorted: Classified = { known: [], claims: [], unassigned: [] };
  for (const message of messages) {
    const machine = machines.get(message.serialNumber);
    const { decoded } = message;
    if (machine === undefined) {
      const why = decoded.ok ? '' : `; ${decoded.reason}`;
      sorted.unassigned.push({ message, reason: `no machine has this serial number, or it is archived${why}` });
    } else if (decoded.ok) {
      sorted.known.push({ message, machineId: machine.id, ownerId: machine.owner_id, batch: decoded.batch });
    } else if (decoded.claims === undefined) {
      sorted.unassigned.push({ message, machineId: machine.id, reason: decoded.reason });
    } else {
      const key = { machineId: machine.id, epoch: decoded.claims.epoch };
      sorted.claims.push({ key, message, range: decoded.claims.range, reason: decoded.reason });
    }
  }
  return sorted;
};

/** Refused entries count as committed, so that a repeat of them is not quarantined again. */
const commitClaims = (claims: readonly Claim[], streams: ReadonlyMap<string, Stream>): Refusal[] =>
  claims.flatMap(({ key, message, range, reason }) => {
    const parts = partsOf(streams.get(keyOf(key)) ?? [], range).filter(
      ({ recording, range: part }) => missingFrom(recording.committed, part).length > 0,
    );
    for (const { recording, range: part } of parts) {
      recording.committed = withRange(recording.committed, part);
      recording.isRowDue = true;
      recording.isReceiving = true;
    }
    return parts.length === 0 ? [] : [{ message, reason, machineId: key.machineId }];
  });

const acknowledge = (sorted: Classified, streams: ReadonlyMap<string, Stream>): Acknowledgement[] => {
  const covered = new Map<string, { serialNumber: string; epoch: string; batches: CoveredBatch[] }>();
  const add = (key: StreamKey, { serialNumber, receivedAtMs }: JournalMessage, range: SeqRange): void => {
    const entry = covered.get(keyOf(key)) ?? { serialNumber, epoch: key.epoch, batches: [] };
    entry.batches.push({ ...range, receivedAtMs });
    covered.set(keyOf(key), entry);
  };
  for (const known of sorted.known)
    add({ machineId: known.machineId, epoch: known.batch.epoch }, known.message, rangeOf(known.batch));
  for (const { key, message, range } of sorted.claims) add(key, message, range);
  const ours = Array.from(covered, ([key, { serialNumber, epoch, batches }]) => ({
    serialNumber,
    epoch,
    ranges: (streams.get(key) ?? []).flatMap(({ recording, range }) => coveredBy(recording.committed, range)),
    covered: batches,
  }));
  const unassigned = sorted.unassigned.flatMap(({ message: { serialNumber, receivedAtMs, decoded } }) => {
    const claim = decoded.ok ? { epoch: decoded.batch.epoch, range: rangeOf(decoded.batch) } : decoded.claims;
    if (claim === undefined) return [];
    const covered = [{ ...claim.range, receivedAtMs }];
    return [{ serialNumber, epoch: claim.epoch, ranges: [claim.range], covered }];
  });
  return [...ours, ...unassigned];
};

const streamOf = ({ machineId, batch: { epoch, continues } }: KnownBatch) => ({ machineId, epoch, continues });

/** Sets aside the messages of busy streams. */
const withoutBusy = (all: Classified, busy: ReadonlySet<string>): Classified & { readonly left: JournalMessage[] } => {
  if (busy.size === 0) return { ...all, left: [] };
  const left: JournalMessage[] = [];
  const isFree = (key: StreamKey, message: JournalMessage): boolean => {
    const isBusy = busy.has(keyOf(key));
    if (isBusy) left.push(message);
    return !isBusy;
  };
  const known = all.known.filter((batch) => isFree(streamOf(batch), batch.message));
  return { ...all, known, claims: all.claims.filter(({ key, message }) => isFree(key, message)), left };
};

const nothing: Stored = {
  acknowledgements: [],
  samples: 0,
  stored: [],
  busy: [],
  machineIds: [],
  refusals: [],
  conflicts: [],
  repeats: [],
  events: [],
  clockChanges: [],
  heads: [],
};

/** Stores messages of any kind. */
export const storeBatches = async (
  tx: Sql,
  messages: readonly JournalMessage[],
  busyStreams: BusyStreams,
): Promise<Stored> => {
  if (messages.length === 0) return nothing;
  const serials = [...new Set(messages.map((message) => message.serialNumber))];
  const machines = await tx<MachineRow[]>`
    SELECT id, serial_number, owner_id FROM machines
    WHERE serial_number = ANY(${serials}::text[]) AND archived_at IS NULL`;
  const all = classify(messages, new Map(machines.map((row) => [row.serial_number, row])));
  const receivedAtMs = messages[0]?.receivedAtMs ?? Date.now();
  const arriving = [
    ...all.known.map(({ machineId, batch }) => ({
      machineId,
      epoch: batch.epoch,
      end: rangeOf(batch).end,
      continues: batch.continues,
    })),
    ...all.claims.map(({ key, range }) => ({ ...key, end: range.end })),
  ];
  const { streams, busy } = await lockStreams(tx, arriving, busyStreams);
  const { left, ...classified } = withoutBusy(all, busy);
  const { known, claims, unassigned } = classified;
  const recordings = [...new Set([...streams.values()].flatMap((parts) => parts.map(({ recording }) => recording)))];
  const clocksBefore = clocksOf(recordings);

  const overlaps: Overlap[] = [];
  const stored: StoredBatch[] = [];
  const placesOf = (known: KnownBatch): StreamPart[] =>
    partsOf(streams.get(keyOf(streamOf(known))) ?? [], rangeOf(known.batch));
  const holdersOf = (known: KnownBatch, part: StreamPart) => otherHolders(streams, streamOf(known), part);
  const place = (batch: KnownBatch) =>
    placesOf(batch).map((part) => {
      const { recording } = part;
      const recorded = asRecorded(recording, batch.batch);
      const overlap = overlapOf({ ...batch, batch: recorded }, part);
      if (overlap !== undefined) overlaps.push(overlap);
      const added = placeBatch(batch, part, (gap) => partsOfGap(streams, streamOf(batch), gap));
      const bootNo = recording.boots.get(batch.batch.boot)?.bootNo;
      const { recordingId } = recording;
      if (bootNo !== undefined) stored.push({ recordingId, bootNo, range: part.range, batch: recorded });
      return { recording, placed: added };
    });
  /** Counts as committed what another recording holds of a batch. */
  const leaveRepeats = async (batch: KnownBatch): Promise<void> => {
    for (const part of placesOf(batch)) {
      if (missingFrom(part.recording.committed, part.range).length === 0) continue;
      for (const holder of holdersOf(batch, part)) {
        const repeats = await repeatsIn(tx, { ...batch, batch: asRecorded(holder.recording, batch.batch) }, holder);
        if (repeats.length === 0) continue;
        part.recording.committed = repeats.reduce(withRange, part.recording.committed);
        part.recording.isRowDue = true;
      }
    }
  };
  const isContested = (batch: KnownBatch): boolean => placesOf(batch).some((part) => holdersOf(batch, part).length > 0);
  const placed = known.filter((batch) => !isContested(batch)).flatMap(place);
  let samples = await storePlaced(tx, placed, receivedAtMs);
  // The entries that they repeat may have come in the same transaction.
  for (const batch of known.filter(isContested)) {
    await leaveRepeats(batch);
    const added = place(batch);
    samples += await storePlaced(tx, added, receivedAtMs);
    placed.push(...added);
  }
  const refusals = [...unassigned, ...commitClaims(claims, streams)];

  const { rows, changes } = clockChanges(recordings, clocksBefore);
  await writeBoots(tx, rows);
  await updateCommitted(tx, recordings, receivedAtMs);
  const { conflicts, repeats } = await findConflicts(tx, overlaps);
  const events = placed.flatMap(({ recording, placed: { events: added } }) =>
    added.map(({ bootId, ...event }) => ({
      ...event,
      wallOffsetMs: recording.boots.get(bootId)?.clock?.offsetMs ?? receivedAtMs - event.monoMs,
    })),
  );
  await insertNotes(tx, events);
  return {
    acknowledgements: acknowledge(classified, streams),
    samples,
    stored,
    busy: left,
    machineIds: [...new Set(known.map(({ machineId }) => machineId))],
    refusals,
    conflicts,
    repeats,
    events,
    clockChanges: changes,
    heads: headsOf(known, streams),
  };
};
