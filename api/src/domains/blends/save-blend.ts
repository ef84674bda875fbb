import type { ParsedBody } from '@roastery/contract/endpoint';
import {
  type Blend,
  type createBlend as createEndpoint,
  emptyBlendSentence,
  type updateBlend as updateEndpoint,
} from '@roastery/contract/blends';
import { milligrams } from '@roastery/roasting/units';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, invalid, notFound } from '../../http/app-error.ts';
import { formatKilograms } from '../../format/format.ts';
import { blendAccess, roastAccess } from '../../identity/access.ts';
import { blendedKg, roastedKg } from '../../ledger/weights.ts';
import { readBlend } from './blend-row.ts';

type BlendBody = ParsedBody<typeof createEndpoint>;

interface RoastRow {
  id: string;
  said_number: string;
  coffee_name: string | null;
  start_time: string;
  status: string;
}

/**
 * Replaces the components of the blend. The roasts' rows are locked first and in one order, so that two concurrent
 * blends can neither use the same kilograms nor deadlock.
 */
const putComponents = async (tx: Sql, context: UserContext, blendId: string, body: BlendBody): Promise<void> => {
  const ids = body.components.map(({ roast_id: id }) => id).sort();
  const rows = await tx<RoastRow[]>`
    SELECT r.id, r.said_number, r.coffee_name, r.start_time, r.status FROM roasts r
    WHERE r.id = ANY(${ids}::uuid[]) AND ${roastAccess(tx, context.user, 'roast')} ORDER BY r.id FOR NO KEY UPDATE`;
  const roasts = new Map(rows.map((row) => [row.id, row]));
  await tx`DELETE FROM blend_components WHERE blend_id = ${blendId} AND roast_id IS NOT NULL`;
  // Components whose roast was deleted stay, in front.
  const [kept] = await tx<{ next: number }[]>`
    SELECT coalesce(max(place) + 1, 0) AS next FROM blend_components WHERE blend_id = ${blendId}`;
  if (ids.length === 0 && kept?.next === 0) throw invalid('components', emptyBlendSentence);
  const weights = await tx<{ id: string; left_kg: number }[]>`
    SELECT r.id, ${roastedKg(tx)} - ${blendedKg(tx)} AS left_kg FROM roasts r WHERE r.id = ANY(${ids}::uuid[])`;
  const left = new Map(weights.map((row) => [row.id, row.left_kg]));
  for (const [place, { roast_id: id, kg }] of body.components.entries()) {
    const field = `components.${place}`;
    const roast = roasts.get(id);
    if (roast === undefined) throw invalid(`${field}.roast_id`, 'There is no such roast');
    if (roast.status !== 'completed') throw invalid(`${field}.roast_id`, 'This roast is not finished');
    const leftKg = left.get(id) ?? 0;
    if (milligrams(kg) > milligrams(leftKg)) {
      throw invalid(`${field}.kg`, `Only ${formatKilograms(leftKg)} of ${roast.said_number} is left`);
    }
    const component = {
      blend_id: blendId,
      place: (kept?.next ?? 0) + place,
      roast_id: id,
      roast_number: roast.said_number,
      coffee_name: roast.coffee_name,
      roasted_at: roast.start_time,
      kg,
    };
    await tx`INSERT INTO blend_components ${tx(component)}`;
  }
};

const answer = async (context: UserContext, id: string): Promise<Blend> => {
  const blend = await readBlend(context.sql, context.user, id);
  if (blend === undefined) throw notFound('Blend');
  return blend;
};

export const createBlend = async (context: UserContext, body: BlendBody): Promise<Blend> => {
  const id = uuidV7();
  await context.sql.begin(async (tx) => {
    await tx`
      INSERT INTO blends (id, owner_id, name, notes)
      VALUES (${id}, ${context.user.id}, ${body.name}, ${body.notes || null})`;
    await putComponents(tx, context, id, body);
    await recordAudit(tx, actorOf(context), { action: 'blend.created', subject: id, detail: { name: body.name } });
  });
  return answer(context, id);
};

export const updateBlend = async (
  context: UserContext,
  id: string,
  body: ParsedBody<typeof updateEndpoint>,
): Promise<Blend> => {
  await context.sql.begin(async (tx) => {
    const [before] = await tx<{ revision: number }[]>`
      SELECT b.revision FROM blends b WHERE b.id = ${id} AND ${blendAccess(tx, context.user)} FOR UPDATE`;
    if (before === undefined) throw notFound('Blend');
    if (body.revision !== undefined && body.revision !== before.revision) {
      throw new AppError('changed_meanwhile', 'Another user has changed this blend. Reload it and repeat your change.');
    }
    await tx`
      UPDATE blends SET name = ${body.name}, notes = ${body.notes || null}, revision = revision + 1 WHERE id = ${id}`;
    await putComponents(tx, context, id, body);
    await recordAudit(tx, actorOf(context), { action: 'blend.updated', subject: id, detail: { name: body.name } });
  });
  return answer(context, id);
};

export const deleteBlend = async (context: UserContext, id: string): Promise<{ message: string }> => {
  await context.sql.begin(async (tx) => {
    const [gone] = await tx<{ name: string }[]>`
      DELETE FROM blends b WHERE b.id = ${id} AND ${blendAccess(tx, context.user)} RETURNING b.name`;
    if (gone === undefined) throw notFound('Blend');
    await recordAudit(tx, actorOf(context), { action: 'blend.deleted', subject: id, detail: { name: gone.name } });
  });
  return { message: 'The blend was deleted.' };
};
