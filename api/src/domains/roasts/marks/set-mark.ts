import type { ParsedBody } from '@roastery/contract/endpoint';
import type { putMark as putMarkEndpoint } from '@roastery/contract/roast-marks';
import type { Roast } from '@roastery/contract/roasts';
import { type MarkKind, markOf } from '@roastery/roasting/marks';
import { formatDuration } from '@roastery/roasting/units';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../../db/audit.ts';
import type { UserContext } from '../../../context.ts';
import type { Sql } from '../../../db/sql.ts';
import { AppError, notFound } from '../../../http/app-error.ts';
import { placeBoardRoasts } from '../boards/board-roasts.ts';
import { refreshRoasts } from '../life/recompute-roast.ts';
import { type EffectiveMark, effectiveMarks } from './effective-marks.ts';
import { findPlace, readSamples, type Place } from '../../../recordings/recordings.ts';
import { type LockedRoast, lockRoast } from '../life/lock-roast.ts';
import {
  insertMarkEntry,
  markNames,
  ofPerson,
  userMarkEntry,
  refuseWrongOrder,
  type UserMarkEntry,
} from './mark-entries.ts';
import { refuseOverlap, type SeqWindow } from '../life/overlap.ts';
import { readOrigin } from './places.ts';
import { readRoast } from '../roast-row.ts';

/** The sample nearest to a time of the charge's boot; undefined when there is none within a minute. */
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
  const samples = await readSamples(tx, { recordingId, fromSeq: aroundSeq - reach, toSeq: aroundSeq + reach });
  let best: { seq: number; distance: number } | undefined;
  for (const [index, seq] of samples.seq.entries()) {
    if (samples.bootNo[index] !== bootNo) continue;
    const distance = Math.abs((samples.monoMs[index] ?? 0) - monoMs);
    if (distance <= 60_000 && (best === undefined || distance < best.distance)) best = { seq, distance };
  }
  return best?.seq;
};

/** The origin of a roast's times: its charge, else where a charge was first reported. */
const axisOf = async (tx: Sql, { id, marks }: LockedRoast): Promise<Place> => {
  const charge = markOf(marks, 'charge');
  if (charge !== undefined && charge.at_seq !== null) return { ...charge, at_seq: charge.at_seq };
  const origin = await readOrigin(tx, id);
  if (origin !== undefined) return origin;
  throw new AppError('conflict', 'This roast has no charge yet, so its time is unknown.');
};

/** Whether the recording has not come as far as this place: the board still has its samples, or takes them next. */
const isAhead = async (tx: Sql, recordingId: string, { boot_no, mono_ms }: Pick<Place, 'boot_no' | 'mono_ms'>) => {
  const last = await findPlace(tx, [recordingId], 'newest');
  return last === undefined || (last.boot_no === boot_no && last.mono_ms < mono_ms);
};

/** Whether a person has set the present mark to this time and temperature. */
const isSame = (present: EffectiveMark | undefined, { boot_no, mono_ms, temp }: UserMarkEntry): boolean =>
  present?.event_seq === null && present.boot_no === boot_no && present.mono_ms === mono_ms && present.temp === temp;

type MarkBody = ParsedBody<typeof putMarkEndpoint>;

const placeOf = async (tx: Sql, roast: LockedRoast, axis: Place, { time_seconds, at }: MarkBody): Promise<Place> => {
  if (at !== undefined) {
    const place = await findPlace(tx, [roast.recordingId], Date.parse(at));
    if (place === undefined) throw new AppError('conflict', 'Nothing was recorded at that time.');
    return place;
  }
  const seconds = time_seconds ?? 0;
  const monoMs = axis.mono_ms + Math.round(seconds * 1000);
  const atSeq = await nearestSample(tx, roast.recordingId, axis.boot_no, monoMs, axis.at_seq, seconds * 1000);
  if (atSeq === undefined) {
    if (roast.status === 'in_progress' && (await isAhead(tx, roast.recordingId, { ...axis, mono_ms: monoMs }))) {
      throw new AppError('not_recorded_yet', `The readings of ${formatDuration(seconds)} have not arrived yet.`);
    }
    throw new AppError('conflict', `Nothing was recorded at ${formatDuration(seconds)}.`);
  }
  return { boot_no: axis.boot_no, mono_ms: monoMs, at_seq: atSeq };
};

const windowOf = (marks: readonly EffectiveMark[]): SeqWindow | undefined => {
  const fromSeq = markOf(marks, 'charge')?.at_seq ?? null;
  return fromSeq === null ? undefined : { fromSeq, toSeq: markOf(marks, 'drop')?.at_seq ?? fromSeq };
};

/** Refreshes the roast, and reassigns the board's roasts when its window moved. */
const finish = async (tx: Sql, context: UserContext, roast: LockedRoast, kind: MarkKind): Promise<void> => {
  const by = context.user.id;
  await tx`UPDATE roasts SET revision = revision + 1 WHERE id = ${roast.id}`;
  await refreshRoasts(tx, [roast.id], by);
  if (!roast.madeByHand || (kind !== 'charge' && kind !== 'drop')) return;
  await refreshRoasts(tx, await placeBoardRoasts(tx, roast.recordingId, [], [roast.id]), by);
};

const answer = async (context: UserContext, id: string): Promise<Roast> => {
  const read = await readRoast(context.sql, id, context.user);
  if (read === undefined) throw notFound('Roast');
  return read.roast;
};

/**
 * Sets or moves a mark by hand. Times count from the present charge, or without one from the roast's origin; moving the
 * charge moves the window and with it the times of all other marks, but no sample. A mark that would break the order of
 * a roast, or a window that would overlap another roast, is refused with a reason.
 */
export const putMark = async (context: UserContext, id: string, kind: MarkKind, body: MarkBody): Promise<Roast> => {
  await context.sql.begin(async (tx) => {
    const roast = await lockRoast(tx, context, id);
    const { recordingId, marks, entries, clocks } = roast;
    const axis = await axisOf(tx, roast);
    const place = await placeOf(tx, roast, axis, body);
    const entry = await userMarkEntry(tx, recordingId, kind, place, body.temp);
    // The client sends it again because the response did not arrive.
    if (isSame(markOf(marks, kind), entry)) return;
    refuseWrongOrder(kind, [...marks.filter((mark) => mark.kind !== kind), { ...entry, ...ofPerson }], clocks, axis);
    const window = windowOf(effectiveMarks([...entries, { ...entry, ...ofPerson }]));
    if (window !== undefined && (kind === 'charge' || kind === 'drop')) {
      await refuseOverlap(tx, recordingId, window, [id], windowOf(marks));
    }
    await insertMarkEntry(tx, id, recordingId, context.user.id, entry);
    await finish(tx, context, roast, kind);
    await recordAudit(tx, actorOf(context), {
      action: 'roast.mark_set',
      subject: id,
      detail: { kind, at_seq: place.at_seq, temp: entry.temp },
    });
  });
  return answer(context, id);
};

/**
 * Withdraws a mark set by hand: the one that it replaced counts again, another one by hand or the board's. A mark of
 * the board alone can be moved, not removed.
 */
export const deleteMark = async (context: UserContext, id: string, kind: MarkKind): Promise<Roast> => {
  await context.sql.begin(async (tx) => {
    const roast = await lockRoast(tx, context, id);
    const { recordingId, marks, entries, clocks } = roast;
    const mark = markOf(marks, kind);
    if (mark === undefined || mark.event_seq !== null) {
      throw new AppError('conflict', `${markNames[kind]} was not set by hand.`);
    }
    const entry = { ...mark, id: uuidV7(), is_withdrawn: true };
    const { event_seq: _event, source_seq: _source, ...row } = entry;
    const remaining = effectiveMarks([...entries, entry]);
    const charge = markOf(remaining, 'charge');
    const origin = charge === undefined && !roast.madeByHand ? await readOrigin(tx, id) : undefined;
    if (charge === undefined && origin === undefined) {
      throw new AppError('conflict', 'A roast needs a charge. Move it instead of removing it.');
    }
    const axis = charge ?? origin;
    if (axis !== undefined && axis.at_seq !== null)
      refuseWrongOrder(kind, remaining, clocks, { ...axis, at_seq: axis.at_seq });
    await insertMarkEntry(tx, id, recordingId, context.user.id, row);
    await finish(tx, context, roast, kind);
    await recordAudit(tx, actorOf(context), { action: 'roast.mark_taken_back', subject: id, detail: { kind } });
  });
  return answer(context, id);
};
