import { type Actor, recordAudit } from '../../../db/audit.ts';
import type { Sql } from '../../../db/sql.ts';
import { AppError } from '../../../http/app-error.ts';
import { giveBatchNumber, noteUseOfNumber } from '../../planned/batch-number.ts';
import { deleteSamples } from '../../../recordings/recordings.ts';
import { announceDeletedRoast } from './announce-roast.ts';
import { lockRecording } from './lock-roast.ts';
import { countProfileUse, unsettleLot } from './settle-roast.ts';

interface EffectsOfEnd {
  /** A roast with a tombstone does not come back when its board sends it again; a restorable one keeps its row there. */
  readonly tombstone: 'none' | 'final' | 'restorable';
  readonly stock: 'returned';
  readonly plan: 'used up' | 'waits again' | 'moves';
  /** Of a recipe that refers to it. */
  readonly reference: 'cleared' | 'moves';
  readonly blend: 'keeps its number' | 'refuses';
  readonly marks: 'stay' | 'removed';
  readonly alarms: 'stay' | 'removed' | 'move';
  readonly samples: 'stay' | 'removed';
  /** To those who watch it while it runs. */
  readonly live: 'announced';
  /** Null: the change that causes the end has an entry of its own. */
  readonly audit: 'roast.deleted' | 'roast.discarded' | null;
}

/** All ways in which a roast ends, and what becomes of each thing that refers to it. */
export const effectsOfEnds = {
  deleted: {
    tombstone: 'final',
    stock: 'returned',
    plan: 'used up',
    reference: 'cleared',
    blend: 'keeps its number',
    marks: 'removed',
    alarms: 'removed',
    samples: 'stay',
    live: 'announced',
    audit: 'roast.deleted',
  },
  /** Deleted with the import that created it. */
  undone: {
    tombstone: 'final',
    stock: 'returned',
    plan: 'used up',
    reference: 'cleared',
    blend: 'refuses',
    marks: 'removed',
    alarms: 'removed',
    samples: 'removed',
    live: 'announced',
    audit: 'roast.deleted',
  },
  /** No roast: a person can restore it. */
  discarded: {
    tombstone: 'restorable',
    stock: 'returned',
    plan: 'waits again',
    reference: 'cleared',
    blend: 'refuses',
    marks: 'stay',
    alarms: 'stay',
    samples: 'stay',
    live: 'announced',
    audit: 'roast.discarded',
  },
  /** Part of another roast, which gets what it lacks from this one. */
  merged: {
    tombstone: 'none',
    stock: 'returned',
    plan: 'moves',
    reference: 'moves',
    blend: 'keeps its number',
    marks: 'stay',
    alarms: 'move',
    samples: 'stay',
    live: 'announced',
    audit: null,
  },
} as const satisfies Record<string, EffectsOfEnd>;

export type RoastEnd =
  | { readonly how: Exclude<keyof typeof effectsOfEnds, 'merged'> }
  | { readonly how: 'merged'; readonly into: string };

interface EndingRow {
  id: string;
  recording_id: string | null;
  machine_id: string | null;
  status: string;
  profile_id: string | null;
  said_number: string;
  coffee_name: string | null;
  batch_number: string | null;
  /** The blend that contains it. */
  blend: string | null;
}

/** Reads the roast after locking its recording, then its row: no event of its board can arrive until it has ended. */
const lockEnding = async (tx: Sql, id: string): Promise<EndingRow | undefined> => {
  const [found] = await tx<{ recording_id: string | null }[]>`SELECT recording_id FROM roasts WHERE id = ${id}`;
  if (found === undefined) return undefined;
  await lockRecording(tx, found.recording_id);
  // A statement that waited for the row does not see the blend that it waited for.
  await tx`SELECT 1 FROM roasts WHERE id = ${id} FOR UPDATE`;
  const [roast] = await tx<EndingRow[]>`
    SELECT r.id, r.recording_id, r.machine_id, r.status, r.profile_id, r.said_number, r.coffee_name, r.batch_number,
           (SELECT b.name FROM blend_components c JOIN blends b ON b.id = c.blend_id WHERE c.roast_id = r.id LIMIT 1) AS blend
    FROM roasts r WHERE r.id = ${id}`;
  return roast;
};

/** The row with its plan and its favourites, so that it can be restored. */
const keepRow = async (tx: Sql, id: string): Promise<void> => {
  await tx`
    UPDATE roast_tombstones t SET kept = jsonb_build_object(
      'roast', to_jsonb(r),
      'plan_id', (SELECT p.id FROM planned_roasts p WHERE p.roast_id = r.id),
      'favorites', (SELECT coalesce(jsonb_agg(f.user_id), '[]') FROM roast_favorites f WHERE f.roast_id = r.id),
      'references', (SELECT coalesce(jsonb_agg(p.id), '[]') FROM profiles p WHERE p.reference_roast_id = r.id))
    FROM roasts r WHERE t.roast_id = ${id} AND r.id = ${id}`;
};

const leaveTombstone = async (tx: Sql, roast: EndingRow, { tombstone }: EffectsOfEnd, who: Actor): Promise<void> => {
  if (tombstone === 'none') return;
  await tx`INSERT INTO roast_tombstones (roast_id, deleted_by) VALUES (${roast.id}, ${who.actorId})`;
  if (tombstone === 'restorable') await keepRow(tx, roast.id);
  // The board's roasts that belonged to it create no roast either.
  await tx`UPDATE roast_sources SET is_manual = true WHERE roast_id = ${roast.id}`;
  await noteUseOfNumber(tx, roast.batch_number, roast.coffee_name);
};

const endPlan = async (tx: Sql, id: string, { plan }: EffectsOfEnd, into: string | null): Promise<void> => {
  if (plan === 'used up') return;
  if (plan === 'moves') {
    await tx`
      UPDATE planned_roasts SET roast_id = ${into}
      WHERE roast_id = ${id} AND NOT EXISTS (SELECT FROM planned_roasts WHERE roast_id = ${into})`;
  }
  await tx`UPDATE planned_roasts SET roast_id = NULL, bound_at = NULL, plan = NULL WHERE roast_id = ${id}`;
};

/** Fills what the other roast lacks. */
const describeByEnding = async (tx: Sql, id: string, into: string): Promise<void> => {
  await tx`
    UPDATE roasts i SET
      coffee_name = coalesce(i.coffee_name, f.coffee_name), coffee_origin = coalesce(i.coffee_origin, f.coffee_origin),
      coffee_process = coalesce(i.coffee_process, f.coffee_process),
      profile_id = coalesce(i.profile_id, f.profile_id), profile_name = coalesce(i.profile_name, f.profile_name),
      lot_id = coalesce(i.lot_id, f.lot_id), roasted_by = coalesce(i.roasted_by, f.roasted_by),
      batch_size_kg = coalesce(i.batch_size_kg, f.batch_size_kg),
      end_weight_kg = coalesce(i.end_weight_kg, f.end_weight_kg), roast_level = coalesce(i.roast_level, f.roast_level),
      roast_level_target = coalesce(i.roast_level_target, f.roast_level_target), notes = coalesce(i.notes, f.notes),
      cupping_score = coalesce(i.cupping_score, f.cupping_score), color = coalesce(i.color, f.color)
    FROM roasts f WHERE i.id = ${into} AND f.id = ${id}`;
};

const endMarks = async (tx: Sql, id: string, { marks }: EffectsOfEnd): Promise<void> => {
  if (marks === 'stay') return;
  // A roast that receives its marks keeps receiving them.
  const unused = tx`
    WHERE roast_id = ${id} AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.board_roast_id = ${id})`;
  await tx`DELETE FROM roast_marks ${unused}`;
  await tx`DELETE FROM replaced_marks ${unused}`;
};

const endAlarms = async (tx: Sql, id: string, { alarms }: EffectsOfEnd, into: string | null): Promise<void> => {
  if (alarms === 'stay') return;
  if (alarms === 'move') {
    await tx`
      UPDATE roast_alarms a SET roast_id = ${into} WHERE roast_id = ${id}
        AND NOT EXISTS (SELECT FROM roast_alarms o WHERE o.roast_id = ${into} AND o.occurrence = a.occurrence)`;
  }
  await tx`DELETE FROM roast_alarms WHERE roast_id = ${id}`;
};

const endSamples = async (tx: Sql, recordingId: string | null, { samples }: EffectsOfEnd): Promise<void> => {
  if (samples === 'stay') return;
  await deleteSamples(tx, recordingId);
  await tx`
    DELETE FROM recordings c WHERE c.id = ${recordingId}
      AND NOT EXISTS (SELECT FROM roasts r WHERE r.recording_id = c.id)
      AND NOT EXISTS (SELECT FROM roast_marks m WHERE m.recording_id = c.id)`;
};

/**
 * Ends a roast: its row is gone, and `effectsOfEnds` states the rest. Returns whether there was a row. A transaction that ends
 * a roast and changes others of its recording locks the recording before. The caller has checked the right.
 */
export const endRoast = async (tx: Sql, id: string, end: RoastEnd, who: Actor): Promise<boolean> => {
  const effects: EffectsOfEnd = effectsOfEnds[end.how];
  const into = end.how === 'merged' ? end.into : null;
  const roast = await lockEnding(tx, id);
  if (roast === undefined) return false;
  if (effects.blend === 'refuses' && roast.blend !== null) {
    throw new AppError('conflict', `The blend “${roast.blend}” contains this roast. Remove it from the blend first.`);
  }
  await leaveTombstone(tx, roast, effects, who);
  await endPlan(tx, id, effects, into);
  if (into !== null) await describeByEnding(tx, id, into);
  await tx`UPDATE profiles SET reference_roast_id = ${into} WHERE reference_roast_id = ${id}`;
  await endMarks(tx, id, effects);
  await endAlarms(tx, id, effects, into);
  await tx`DELETE FROM roasts WHERE id = ${id}`;
  await endSamples(tx, roast.recording_id, effects);
  await countProfileUse(tx, [roast.profile_id]);
  await unsettleLot(tx, id, who.actorId);
  // A plan that was moved keeps its number.
  if (into !== null) await giveBatchNumber(tx, into);
  if (roast.status === 'in_progress') await announceDeletedRoast(tx, id, roast.machine_id);
  if (effects.audit !== null) {
    const detail =
      effects.audit === 'roast.discarded' ? { said_number: roast.said_number } : { coffee_name: roast.coffee_name };
    await recordAudit(tx, who, { action: effects.audit, subject: id, detail });
  }
  return true;
};
