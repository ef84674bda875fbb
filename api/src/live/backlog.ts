import type { LiveSamples } from '@roastery/contract/live';
import type { Roast } from '@roastery/contract/roasts';
import type { Sql } from '../db/sql.ts';
import { readSamples, type Samples, readClocks } from '../recordings/recordings.ts';
import { readRoast } from '../domains/roasts/roast-row.ts';

/** Preheat shown before the charge of a running roast. */
const beforeChargeMs = 60_000;
/** Shown of a running roast: a longer one missed its drop. */
const roastMs = 2 * 3_600_000;
/** Shown of a machine without a running roast. */
const idleMs = 5 * 60_000;
/** Highest rate a machine map allows. */
const maxHz = 10;

export interface Backlog {
  readonly epoch: string | null;
  readonly samples: LiveSamples[];
  readonly roast: Roast | null;
  readonly chargeMono: number | null;
  /** The boot the samples belong to. */
  readonly lastSeq: number;
  /** When the last of the samples was measured, ms since 1970; null without samples. */
  readonly lastAtMs: number | null;
}

interface StreamRow {
  id: string;
  /** Of the current stream. */
  epoch: string;
  last_seq: number;
  is_fresh: boolean;
}

export const toLiveSamples = (epoch: string, samples: Samples): LiveSamples => ({
  epoch,
  seq: samples.seq,
  mono: samples.monoMs,
  channels: Object.fromEntries(samples.channels),
});

/** The stream that the board names in its status, else the one that was received last: an earlier one may still drain. */
const newestStream = async (sql: Sql, machineId: string): Promise<StreamRow | undefined> => {
  const [row] = await sql<StreamRow[]>`
    SELECT id, (SELECT p.epoch FROM stream_parts p WHERE p.recording_id = r.id ORDER BY p.from_seq DESC LIMIT 1) AS epoch,
           coalesce(upper(committed_now(r)) - 1, 0) AS last_seq, last_received_at > now() - interval '10 minutes' AS is_fresh
    FROM recordings r WHERE machine_id = ${machineId} AND epoch IS NOT NULL
    ORDER BY (SELECT EXISTS (
                SELECT FROM stream_parts p WHERE p.recording_id = r.id AND p.epoch = m.status->>'epoch')
              FROM machines m WHERE m.id = r.machine_id) DESC NULLS LAST,
             last_received_at DESC NULLS LAST LIMIT 1`;
  return row;
};

interface RunningRow {
  id: string;
  recording_id: string;
  charge_seq: number | null;
  charge_mono_ms: number | null;
}

const runningRoast = async (sql: Sql, machineId: string): Promise<RunningRow | undefined> => {
  const [row] = await sql<RunningRow[]>`
    SELECT id, recording_id, charge_seq, charge_mono_ms FROM roasts
    WHERE machine_id = ${machineId} AND status = 'in_progress' ORDER BY start_time DESC, id DESC LIMIT 1`;
  return row;
};

/**
 * Which samples of a stream are shown: of the running roast from a minute before charge, two hours at most, else the last
 * five minutes.
 */
const shownOf = ({ id, last_seq: lastSeq }: StreamRow, running: RunningRow | undefined) => {
  const { charge_seq: chargeSeq = null, charge_mono_ms: chargeMono = null } =
    running?.recording_id === id ? running : {};
  const isRoasting = chargeSeq !== null && chargeMono !== null;
  const shownMs = isRoasting ? roastMs : idleMs;
  const firstSeq = isRoasting ? chargeSeq - (beforeChargeMs / 1000) * maxHz : 0;
  return {
    fromSeq: Math.max(firstSeq, lastSeq - (shownMs / 1000) * maxHz),
    fromMs: (newestMs: number) => Math.max(isRoasting ? chargeMono - beforeChargeMs : 0, newestMs - shownMs),
  };
};

/** The samples that pass the filter, in order. */
const keepSamples = (samples: Samples, keep: (index: number) => boolean): Samples => {
  const kept = samples.seq.flatMap((_, index) => (keep(index) ? [index] : []));
  if (kept.length === samples.seq.length) return samples;
  const pick = <T>(column: readonly T[]): T[] => kept.map((index) => column[index] as T);
  return {
    seq: pick(samples.seq),
    bootNo: pick(samples.bootNo),
    monoMs: pick(samples.monoMs),
    channels: new Map(Array.from(samples.channels, ([name, column]) => [name, pick(column)])),
  };
};

/** The samples of the newest boot from a time on. */
const tailOf = (samples: Samples, fromMs: (newestMs: number) => number): Samples => {
  const boot = samples.bootNo.at(-1);
  const from = fromMs(samples.monoMs.at(-1) ?? 0);
  return keepSamples(samples, (index) => samples.bootNo[index] === boot && (samples.monoMs[index] ?? 0) >= from);
};

const wallTimeOf = async (
  sql: Sql,
  recordingId: string,
  bootNo: number | undefined,
  monoMs: number | undefined,
): Promise<number | null> => {
  if (bootNo === undefined || monoMs === undefined) return null;
  const boot = (await readClocks(sql, recordingId, [bootNo])).get(bootNo);
  return boot === undefined ? null : boot.offsetMs + monoMs;
};

/** Samples before a live stream began, and the running roast. */
export const readBacklog = async (sql: Sql, machineId: string): Promise<Backlog> => {
  const [stream, running] = await Promise.all([newestStream(sql, machineId), runningRoast(sql, machineId)]);
  const read = running === undefined ? undefined : await readRoast(sql, running.id, null);
  const roast = read?.roast ?? null;
  const chargeMono = running?.charge_mono_ms ?? null;
  if (stream === undefined || (!stream.is_fresh && running?.recording_id !== stream.id)) {
    return { epoch: null, samples: [], roast, chargeMono, lastSeq: -1, lastAtMs: null };
  }
  const { fromSeq, fromMs } = shownOf(stream, running);
  const range = { recordingId: stream.id, fromSeq, toSeq: stream.last_seq };
  const samples = tailOf(await readSamples(sql, range), fromMs);
  return {
    epoch: stream.epoch,
    samples: samples.seq.length === 0 ? [] : [toLiveSamples(stream.epoch, samples)],
    roast,
    chargeMono,
    lastSeq: stream.last_seq,
    lastAtMs: await wallTimeOf(sql, stream.id, samples.bootNo.at(-1), samples.monoMs.at(-1)),
  };
};

/** The last known sample of a stream. */
export interface StreamPlace {
  readonly epoch: string | null;
  readonly seq: number;
}

interface Since {
  readonly samples: LiveSamples | undefined;
  /** Whether every entry after the place up to `throughSeq` is stored. */
  readonly isComplete: boolean;
}

const isStored = async (sql: Sql, recordingId: string, fromSeq: number, throughSeq: number): Promise<boolean> => {
  if (throughSeq < fromSeq) return true;
  const [row] = await sql<{ is_stored: boolean }[]>`
    SELECT committed_now(r) @> int8range(${fromSeq}, ${throughSeq}, '[]') AS is_stored
    FROM recordings r WHERE id = ${recordingId}`;
  return row?.is_stored ?? true;
};

/** Samples of the newest stream after a place in it, as far back as a backlog shows them. */
export const readSince = async (
  sql: Sql,
  machineId: string,
  { epoch, seq }: StreamPlace,
  throughSeq: number,
): Promise<Since> => {
  const [stream, running] = await Promise.all([newestStream(sql, machineId), runningRoast(sql, machineId)]);
  if (stream === undefined || !stream.is_fresh) return { samples: undefined, isComplete: stream === undefined };
  const { fromSeq, fromMs } = shownOf(stream, running);
  const from = stream.epoch === epoch ? Math.max(seq + 1, fromSeq) : fromSeq;
  // Before the samples: what is committed between the two reads counts as missing.
  const isComplete = await isStored(sql, stream.id, Math.max(from, 0), throughSeq);
  if (from > stream.last_seq) return { samples: undefined, isComplete };
  const all = await readSamples(sql, { recordingId: stream.id, fromSeq: from, toSeq: stream.last_seq });
  const samples = tailOf(
    keepSamples(all, (index) => (all.seq[index] ?? 0) >= from),
    fromMs,
  );
  return { samples: samples.seq.length === 0 ? undefined : toLiveSamples(stream.epoch, samples), isComplete };
};
