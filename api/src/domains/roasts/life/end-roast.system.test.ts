import { uuidV7 } from '@roastery/runtime/uuid';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemActor } from '../../../db/audit.ts';
import { addRoast, addUser } from '../../../testing/example-data.ts';
import { openMigratedDatabase } from '../../../testing/ingest-fixture.ts';
import { roastChangedChannel } from './announce-roast.ts';
import { effectsOfEnds, endRoast, type RoastEnd } from './end-roast.ts';
import { settleLot } from './settle-roast.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let owner: string;
beforeAll(async () => {
  database = await openMigratedDatabase();
  owner = await addUser(database.sql);
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

/** A roast that has everything that its end can change, and another one for it to be merged into. */
const prepare = async () => {
  const { sql } = database;
  const [lot, recipe, plan, blend, recording] = Array.from({ length: 5 }, () => uuidV7());
  const [id, into] = [await addRoast(sql, owner), await addRoast(sql, owner)];
  await sql`
    INSERT INTO lots (id, lot_number, coffee_name, origin, initial_weight) VALUES (${lot ?? ''}, ${`L-${id}`}, 'Guji', 'Ethiopia', 60)`;
  await sql`
    INSERT INTO profiles (id, name, roast_level, target_drop_temp, target_roast_time, control_profile, reference_roast_id)
    VALUES (${recipe ?? ''}, 'City', 'medium', 205, 600, '{}', ${id})`;
  await sql`INSERT INTO recordings (id, source) VALUES (${recording ?? ''}, 'upload')`;
  await sql`
    INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, values)
    VALUES (${recording ?? ''}, 0, 0, 0, 0, '{0}', '{200}')`;
  await sql`
    UPDATE roasts SET lot_id = ${lot ?? ''}, profile_id = ${recipe ?? ''}, recording_id = ${recording ?? ''}, batch_number = ${id}
     WHERE id = ${id}`;
  await sql`
    INSERT INTO planned_roasts (id, machine_id, created_by, roast_id, bound_at)
    SELECT ${plan ?? ''}, machine_id, owner_id, id, now() FROM roasts WHERE id = ${id}`;
  await sql`INSERT INTO blends (id, owner_id, name) VALUES (${blend ?? ''}, ${owner}, 'House')`;
  await sql`
    INSERT INTO blend_components (blend_id, place, roast_id, roast_number, kg) VALUES (${blend ?? ''}, 0, ${id}, 'PR-1', 3)`;
  await sql`
    INSERT INTO roast_marks (id, roast_id, kind, origin, confidence, provisional)
    VALUES (gen_random_uuid(), ${id}, 'drop', 'person', 1, false)`;
  await sql`
    INSERT INTO roast_alarms (id, roast_id, machine_id, kind, occurrence, colour, sound, mono_ms, happened_at, is_late)
    SELECT gen_random_uuid(), id, machine_id, 'frozen', 'frozen', 'red', true, 0, now(), false FROM roasts WHERE id = ${id}`;
  await sql.begin((tx) => settleLot(tx, id, owner));
  return { id, into, lot, recipe, plan, blend, recording };
};

/** What became of all of it, in the words of the table. */
const observe = async ({ id, into, lot, recipe, plan, blend, recording }: Awaited<ReturnType<typeof prepare>>) => {
  const [row] = await database.sql`
    SELECT
      coalesce((SELECT CASE WHEN kept IS NULL THEN 'final' ELSE 'restorable' END FROM roast_tombstones WHERE roast_id = ${id}), 'none')
        AS tombstone,
      (SELECT CASE WHEN count(*) = 2 AND sum(kg) = 0 THEN 'returned' END FROM lot_movements WHERE lot_id = ${lot ?? ''}) AS stock,
      (SELECT CASE WHEN roast_id = ${into} THEN 'moves' WHEN bound_at IS NULL THEN 'waits again' WHEN roast_id IS NULL THEN 'used up' END
         FROM planned_roasts WHERE id = ${plan ?? ''}) AS plan,
      (SELECT CASE WHEN reference_roast_id = ${into} THEN 'moves' WHEN reference_roast_id IS NULL THEN 'cleared' END
         FROM profiles WHERE id = ${recipe ?? ''}) AS reference,
      (SELECT CASE WHEN roast_id IS NULL AND roast_number = 'PR-1' THEN 'keeps its number' END
         FROM blend_components WHERE blend_id = ${blend ?? ''}) AS blend,
      (SELECT CASE count(*) WHEN 1 THEN 'stay' ELSE 'removed' END FROM roast_marks WHERE roast_id = ${id}) AS marks,
      coalesce((SELECT CASE roast_id WHEN ${id} THEN 'stay' ELSE 'move' END FROM roast_alarms WHERE roast_id IN (${id}, ${into})), 'removed')
        AS alarms,
      (SELECT CASE count(*) WHEN 1 THEN 'stay' ELSE 'removed' END FROM recording_chunks WHERE recording_id = ${recording ?? ''}) AS samples,
      (SELECT action FROM audit_log WHERE subject = ${id}) AS audit`;
  return row;
};

const ends = ['deleted', 'undone', 'discarded', 'merged'] as const;
const end = async (how: RoastEnd['how'], { id, into }: { id: string; into: string }): Promise<boolean> =>
  database.sql.begin((tx) => endRoast(tx, id, how === 'merged' ? { how, into } : { how }, systemActor));

/** Ends it unless its blend refuses that; the roast is then there as before. */
const isRefusedByBlend = async (how: RoastEnd['how'], roast: Awaited<ReturnType<typeof prepare>>): Promise<boolean> => {
  try {
    return !(await end(how, roast));
  } catch (error) {
    if (!String(error).includes('The blend “House” contains this roast.')) throw error;
    return (await observe(roast))?.['plan'] === null;
  }
};

describe('end of a roast', () => {
  it('has a test for each way', () => expect(Object.keys(effectsOfEnds)).toEqual(ends));

  it.each(ends)('%s: does to each thing that refers to it what the table states', async (how) => {
    const roast = await prepare();
    const { live: _, ...wanted } = effectsOfEnds[how];
    const refuses = await isRefusedByBlend(how, roast);
    if (refuses) await database.sql`DELETE FROM blend_components WHERE roast_id = ${roast.id}`;
    expect(await end(how, roast)).toBe(refuses);
    const found = await observe(roast);
    expect({ ...found, blend: refuses ? 'refuses' : found?.['blend'] }).toEqual(wanted);
    expect(await database.sql`SELECT FROM roasts WHERE id = ${roast.id}`).toEqual([]);
  });

  it.each(ends)('%s: is announced to those who watch a running roast', async (how) => {
    const roast = { id: await addRoast(database.sql, owner), into: await addRoast(database.sql, owner) };
    const notices: string[] = [];
    const listening = await database.sql.listen(roastChangedChannel, (notice) => notices.push(notice));
    await database.sql`UPDATE roasts SET status = 'in_progress' WHERE id = ${roast.id}`;
    await end(how, roast);
    await until('the end is announced', () =>
      notices.some((notice) => notice.includes(roast.id) && notice.includes('"deleted":true')),
    );
    await listening.unlisten();
    expect(effectsOfEnds[how].live).toBe('announced');
  });

  it('merged: fills what the other roast lacks, and leaves what it has', async () => {
    const roast = await prepare();
    await database.sql`UPDATE roasts SET notes = 'Sweet', cupping_score = 86 WHERE id = ${roast.id}`;
    await database.sql`UPDATE roasts SET cupping_score = 84, batch_number = NULL WHERE id = ${roast.into}`;
    await end('merged', roast);
    expect(await database.sql`SELECT notes, cupping_score, lot_id FROM roasts WHERE id = ${roast.into}`).toEqual([
      { notes: 'Sweet', cupping_score: 84, lot_id: roast.lot },
    ]);
  });
});
