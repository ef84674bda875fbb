import type { ParsedBody } from '@roastery/contract/endpoint';
import type { putMark as putMarkEndpoint, Roast } from '@roastery/contract/roasts';
import { markOf, marksInOrder, type MarkKind } from '@roastery/roasting/marks';
import { formatDuration } from '@roastery/roasting/units';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { announceRoast } from './announce-roast.ts';
import { onClockOf, readBootClocks, type BootClocks } from './boots.ts';
import { effectiveMarks, type EffectiveMark, type MarkWord } from './effective-marks.ts';
import { readSamples } from './read-samples.ts';
import { beanTempAt, readMarkWords, recomputeRoast } from './recompute-roast.ts';
import { readRoast, visibleTo } from './roast-row.ts';

const nameOf: Record<MarkKind, string> = {
  charge: 'Charge',
  turning_point: 'Turning point',
  dry_end: 'Dry end',
  first_crack: 'First crack',
  first_crack_end: 'First crack end',
  second_crack: 'Second crack',
  second_crack_end: 'Second crack end',
  drop: 'Drop',
  cool_end: 'Cool end',
};

interface Markable {
  readonly recordingId: string;
  readonly machineId: string | null;
  readonly words: readonly MarkWord[];
  readonly clocks: BootClocks;
}

const lockRoast = async (tx: Sql, context: UserContext, id: string): Promise<Markable> => {
  const [roast] = await tx<{ recording_id: string | null; machine_id: string | null }[]>`
    SELECT r.recording_id, r.machine_id FROM roasts r
    WHERE r.id = ${id} AND ${visibleTo(tx, context.user)} FOR UPDATE`;
  if (roast === undefined) throw notFound('Roast');
  if (roast.recording_id === null) {
    throw new AppError('conflict', 'This roast has no recorded curve to put a mark on');
  }
  return {
    recordingId: roast.recording_id,
    machineId: roast.machine_id,
    words: await readMarkWords(tx, id, roast.recording_id),
    clocks: await readBootClocks(tx, roast.recording_id),
  };
};

const refuseDisorder = (marks: readonly EffectiveMark[], clocks: BootClocks, axis: EffectiveMark): void => {
  const timed = marks.flatMap((mark) => {
    const mono = onClockOf(clocks, axis.boot_no, mark.boot_no, mark.mono_ms);
    return mono === undefined ? [] : [{ kind: mark.kind, timeSeconds: (mono - axis.mono_ms) / 1000 }];
  });
  const order = marksInOrder(timed);
  if (order.ok) return;
  const at = (kind: MarkKind) => formatDuration(markOf(timed, kind)?.timeSeconds);
  throw new AppError(
    'conflict',
    `${nameOf[order.earlier]} (${at(order.earlier)}) must come before ${nameOf[order.later].toLowerCase()} (${at(order.later)})`,
  );
};

/** The sample nearest to a moment of the charge's boot; undefined when there is none within a minute. */
const nearestSample = async (
  tx: Sql,
  recordingId: string,
  bootNo: number,
  monoMs: number,
  aroundSeq: number,
  awayMs: number,
): Promise<number | undefined> => {
  // At 10 Hz at most, plus the events among them.
  const reach = Math.ceil(Math.abs(awayMs) / 100) + 700;
  const samples = await readSamples(tx, recordingId, aroundSeq - reach, aroundSeq + reach);
  let best: { seq: number; distance: number } | undefined;
  for (const [index, seq] of samples.seq.entries()) {
    if (samples.bootNo[index] !== bootNo) continue;
    const distance = Math.abs((samples.monoMs[index] ?? 0) - monoMs);
    if (distance <= 60_000 && (best === undefined || distance < best.distance)) best = { seq, distance };
  }
  return best?.seq;
};

const insertWord = async (
  tx: Sql,
  roastId: string,
  recordingId: string,
  by: string,
  word: Omit<MarkWord, 'event_seq'>,
) => {
  const row = { ...word, roast_id: roastId, recording_id: recordingId, by_user: by, event_seq: null };
  await tx`INSERT INTO roast_marks ${tx(row)}`;
};

const finish = async (tx: Sql, id: string, machineId: string | null): Promise<void> => {
  await tx`UPDATE roasts SET revision = revision + 1 WHERE id = ${id}`;
  await recomputeRoast(tx, id);
  await announceRoast(tx, id, machineId);
};

const answer = async (context: UserContext, id: string): Promise<Roast> => {
  const read = await readRoast(context.sql, id, context.user);
  if (read === undefined) throw notFound('Roast');
  return read.roast;
};

/**
 * Sets or moves a mark by hand. Times count from the charge as it is now; moving the charge moves the window and with it the
 * times of all other marks, and no sample. A mark that would break the order of a roast is refused in words.
 */
export const putMark = async (
  context: UserContext,
  id: string,
  kind: MarkKind,
  { time_seconds: seconds, temp }: ParsedBody<typeof putMarkEndpoint>,
): Promise<Roast> => {
  await context.sql.begin(async (tx) => {
    const { recordingId, machineId, words, clocks } = await lockRoast(tx, context, id);
    const marks = effectiveMarks(words);
    const charge = markOf(marks, 'charge');
    if (charge === undefined || charge.at_seq === null) {
      throw new AppError('conflict', 'This roast has no charge yet, so there is nothing to count its time from');
    }
    const monoMs = charge.mono_ms + Math.round(seconds * 1000);
    const atSeq = await nearestSample(tx, recordingId, charge.boot_no, monoMs, charge.at_seq, seconds * 1000);
    if (atSeq === undefined) {
      throw new AppError('conflict', `Nothing was recorded at ${formatDuration(seconds)}`);
    }
    const place = { boot_no: charge.boot_no, mono_ms: monoMs, at_seq: atSeq };
    const word = {
      ...place,
      id: uuidV7(),
      kind,
      origin: 'person' as const,
      temp: temp ?? (await beanTempAt(tx, recordingId, place)),
      confidence: 1,
      provisional: false,
      taken_back: false,
    };
    refuseDisorder([...marks.filter((mark) => mark.kind !== kind), { ...word, event_seq: null }], clocks, charge);
    await insertWord(tx, id, recordingId, context.user.id, word);
    await finish(tx, id, machineId);
  });
  return answer(context, id);
};

/** Takes back a mark set by hand: the one that it replaced counts again, another one by hand or the board's. A mark that only the board made can be moved, not removed. */
export const deleteMark = async (context: UserContext, id: string, kind: MarkKind): Promise<Roast> => {
  await context.sql.begin(async (tx) => {
    const { recordingId, machineId, words, clocks } = await lockRoast(tx, context, id);
    const marks = effectiveMarks(words);
    const mark = markOf(marks, kind);
    const charge = markOf(marks, 'charge');
    if (mark === undefined || charge === undefined || mark.event_seq !== null) {
      throw new AppError('conflict', `${nameOf[kind]} was not set by hand`);
    }
    const word = { ...mark, id: uuidV7(), taken_back: true };
    const { event_seq: _none, ...row } = word;
    const remaining = effectiveMarks([...words, word]);
    if (markOf(remaining, 'charge') === undefined) {
      throw new AppError('conflict', 'A roast needs its charge: move it, it can’t be taken back');
    }
    refuseDisorder(remaining, clocks, charge);
    await insertWord(tx, id, recordingId, context.user.id, row);
    await finish(tx, id, machineId);
  });
  return answer(context, id);
};
