import type { Roast } from '@roastery/contract/roasts';
import { markOf } from '@roastery/roasting/marks';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { refreshRoasts } from '../roasts/life/recompute-roast.ts';
import { findPlace } from '../../recordings/recordings.ts';
import { lockRoast } from '../roasts/life/lock-roast.ts';
import { insertMarkEntry, userMarkEntry } from '../roasts/marks/mark-entries.ts';
import { readRoast } from '../roasts/roast-row.ts';
import { insertRoast, settleMade } from './make-roast.ts';

/** Each part becomes a roast: a shorter one can't be. */
const minPartMs = 10_000;

/**
 * Splits a roast. The first part keeps its coffee and drops at this time; the second is charged then, gets the board's
 * marks of the rest, and drops where the whole did, or continues.
 */
export const splitRoast = async (
  context: UserContext,
  id: string,
  at: string,
): Promise<{ first: Roast; second: Roast }> => {
  const { user } = context;
  const secondId = await context.sql.begin(async (tx) => {
    const roast = await lockRoast(tx, context, id);
    const { recordingId, machineId } = roast;
    const [charge, drop] = [markOf(roast.marks, 'charge'), markOf(roast.marks, 'drop')];
    const place = await findPlace(tx, [recordingId], Date.parse(at));
    const wallOf = (mark: { boot_no: number; mono_ms: number }) =>
      (roast.clocks.get(mark.boot_no)?.offsetMs ?? 0) + mark.mono_ms;
    if (charge === undefined || place === undefined || machineId === null) {
      throw new AppError('conflict', 'A roast can only be split between its charge and its drop.');
    }
    const [fromStart, toEnd] = [wallOf(place) - wallOf(charge), drop && wallOf(drop) - wallOf(place)];
    if (fromStart < minPartMs || (toEnd !== undefined && toEnd < minPartMs)) {
      throw new AppError('conflict', 'A roast can only be split between its charge and its drop.');
    }
    if (drop === undefined && roast.status !== 'in_progress') {
      throw new AppError('conflict', 'Set the drop of this roast first, then split it.');
    }
    const [row] = await tx<{ owner_id: string }[]>`SELECT owner_id FROM roasts WHERE id = ${id}`;
    const end = drop === undefined || drop.at_seq === null ? null : { ...drop, at_seq: drop.at_seq };
    const second = await insertRoast(tx, {
      machineId,
      ownerId: row?.owner_id ?? user.id,
      by: user.id,
      charge: place,
      drop: end && { ...end, recording_id: recordingId },
    });
    // The second half receives the same marks as the first one, now and later; its charge decides which of them lie in
    // it.
    await tx`
      INSERT INTO roast_sources (roast_id, board_roast_id, is_merged, is_manual) VALUES (${second}, ${id}, false, true)`;
    await insertMarkEntry(tx, id, recordingId, user.id, await userMarkEntry(tx, recordingId, 'drop', place));
    await tx`UPDATE roasts SET revision = revision + 1 WHERE id = ${id}`;
    await refreshRoasts(tx, [id], user.id);
    await settleMade(tx, recordingId, [second], user.id);
    await recordAudit(tx, actorOf(context), { action: 'roast.split', subject: id, detail: { at, second } });
    return second;
  });
  const [first, second] = await Promise.all([id, secondId].map((one) => readRoast(context.sql, one, user)));
  if (first === undefined || second === undefined) throw notFound('Roast');
  return { first: first.roast, second: second.roast };
};
