import type { Roast } from '@roastery/contract/roasts';
import { markOf } from '@roastery/roasting/marks';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, invalid, notFound } from '../../http/app-error.ts';
import { requireRoast, roastAccess } from '../../identity/access.ts';
import { endRoast } from '../roasts/life/end-roast.ts';
import { type LockedRoast, lockRoast } from '../roasts/life/lock-roast.ts';
import { insertMarkEntry } from '../roasts/marks/mark-entries.ts';
import { readRoast } from '../roasts/roast-row.ts';
import { settleMade } from './make-roast.ts';

const refuseUnmergeable = async (tx: Sql, earlier: LockedRoast, later: LockedRoast): Promise<void> => {
  if (earlier.recordingId !== later.recordingId) {
    throw new AppError('conflict', 'These roasts are in different recordings, so they can’t be merged.');
  }
  const [from, to] = [markOf(earlier.marks, 'charge')?.at_seq, markOf(later.marks, 'charge')?.at_seq];
  const [between] = await tx<{ said_number: string }[]>`
    SELECT said_number FROM roasts
    WHERE recording_id = ${earlier.recordingId} AND charge_seq > ${from ?? 0} AND charge_seq < ${to ?? 0}
      AND id <> ALL(${[earlier.id, later.id]}::uuid[]) LIMIT 1`;
  if (between !== undefined) {
    throw new AppError('conflict', `Roast ${between.said_number} is between these two, so they can’t be merged.`);
  }
  const [blend] = await tx<{ name: string }[]>`
    SELECT b.name FROM blend_components c JOIN blends b ON b.id = c.blend_id WHERE c.roast_id = ${later.id} LIMIT 1`;
  if (blend !== undefined) {
    throw new AppError(
      'conflict',
      `The blend “${blend.name}” contains the later roast. Remove it from the blend first.`,
    );
  }
};

/**
 * Users' entries about the later roast count for the whole unless the earlier one has its own; its drop always does.
 */
const moveMarkEntries = async (tx: Sql, earlier: LockedRoast, later: LockedRoast, by: string): Promise<void> => {
  const said = [...earlier.marks.filter((mark) => mark.kind === 'charge'), ...later.marks].filter(
    (mark, index) =>
      index === 0 ||
      mark.kind === 'drop' ||
      (mark.kind !== 'charge' && mark.event_seq === null && markOf(earlier.marks, mark.kind) === undefined),
  );
  for (const { event_seq: _event, source_seq: _source, ...mark } of said) {
    await insertMarkEntry(tx, earlier.id, earlier.recordingId, by, {
      ...mark,
      id: uuidV7(),
      origin: 'person',
      provisional: false,
    });
  }
};

/**
 * Merges two neighbouring roasts: the earlier one keeps its coffee and gets the drop of the later one, whose row is
 * deleted. Later reports of their boards about either count for the merged roast.
 */
export const mergeRoasts = async (context: UserContext, id: string, withId: string): Promise<Roast> => {
  const { user } = context;
  const keptId = await context.sql.begin(async (tx) => {
    await requireRoast(tx, user, id, 'roast');
    const [other] = await tx`SELECT 1 FROM roasts r WHERE r.id = ${withId} AND ${roastAccess(tx, user, 'roast')}`;
    if (withId === id || other === undefined) throw invalid('with', 'There is no such roast');
    const [one, two] = [await lockRoast(tx, context, id), await lockRoast(tx, context, withId)];
    const [a, b] = [markOf(one.marks, 'charge')?.at_seq, markOf(two.marks, 'charge')?.at_seq];
    if (typeof a !== 'number' || typeof b !== 'number') {
      throw new AppError('conflict', 'Both roasts need a charge before they can be merged.');
    }
    const [earlier, later] = a <= b ? [one, two] : [two, one];
    await refuseUnmergeable(tx, earlier, later);
    if (markOf(later.marks, 'drop') === undefined) {
      throw new AppError('conflict', 'The later roast has no drop yet. Set it, then merge them.');
    }
    await moveMarkEntries(tx, earlier, later, user.id);
    await tx`
      INSERT INTO roast_sources (roast_id, board_roast_id, is_merged, is_manual)
      SELECT ${earlier.id}::uuid, board_roast_id, is_merged, true FROM roast_sources
        WHERE roast_id = ${later.id} AND board_roast_id <> ${earlier.id}
      UNION SELECT ${earlier.id}::uuid, id, true, true FROM board_roasts WHERE id = ${later.id}
      ON CONFLICT (roast_id, board_roast_id) DO UPDATE SET is_merged = roast_sources.is_merged OR excluded.is_merged, is_manual = true`;
    await tx`DELETE FROM roast_sources WHERE roast_id = ${later.id}`;
    await endRoast(tx, later.id, { how: 'merged', into: earlier.id }, actorOf(context));
    await tx`UPDATE roasts SET revision = revision + 1 WHERE id = ${earlier.id}`;
    await settleMade(tx, earlier.recordingId, [earlier.id], user.id);
    const detail = { merged: later.id };
    await recordAudit(tx, actorOf(context), { action: 'roast.merged', subject: earlier.id, detail });
    return earlier.id;
  });
  const read = await readRoast(context.sql, keptId, user);
  if (read === undefined) throw notFound('Roast');
  return read.roast;
};
