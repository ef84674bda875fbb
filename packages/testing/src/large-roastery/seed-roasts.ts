import type postgres from 'postgres';
import type { RoasterySizes } from './sizes.ts';

type Sql = postgres.TransactionSql;

/** Roasts that run right now, each on another machine. */
const running = 20;
/** From the beginning of a roast to the next one on its machine, at least. */
export const secondsEach = 1000;

/**
 * Roasts over three years, more of them recent; a few recipes and machines do most of the work: of 200 machines the first
 * has a sixth of all roasts. No two overlap on a machine. Each has its batch number, its four marks, every third crack
 * marked by a person, and, if a lot is known, its use in the ledger; one in fifty was edited afterwards. Some run right
 * now.
 */
export const seedRoasts = async (sql: Sql, sizes: RoasterySizes): Promise<void> => {
  await sql`
    CREATE TEMPORARY TABLE seeded_machines ON COMMIT DROP AS
      SELECT substr(serial_number, 4)::int AS machine_no, id, owner_id FROM machines WHERE serial_number LIKE 'LR-%'`;
  await sql`
    CREATE TEMPORARY TABLE seeded_lots ON COMMIT DROP AS
      SELECT substr(lot_number, 5)::int AS lot_no, id, coffee_name, origin, process FROM lots WHERE lot_number LIKE 'LOT-%'`;
  await sql`
    CREATE TEMPORARY TABLE seeded_profiles ON COMMIT DROP AS
      SELECT substring(name FROM '[0-9]+$')::int AS recipe_no, id, name, roast_level, target_drop_temp FROM profiles`;
  await sql`ANALYZE seeded_machines, seeded_lots, seeded_profiles`;
  await sql`
    INSERT INTO roasts (id, machine_id, owner_id, status, start_time, coffee_name, coffee_origin, coffee_process, profile_id,
                        profile_name, lot_id, roasted_by, batch_size_kg, end_weight_kg, roast_level, roast_level_target, notes,
                        cupping_score, duration_seconds, charge_temp, drop_temp, first_crack_time, first_crack_temp,
                        first_crack_observed, development_time_seconds, development_time_ratio, deducts, created_at)
    SELECT pg_temp.made_id('roast', n, at), m.id, m.owner_id, s.status, at, l.coffee_name, l.origin, l.process, p.id, p.name, l.id,
           CASE WHEN n % 4 <> 0 THEN pg_temp.pick('by', n, '{Ida,Jon,Mara,Ole,Priya,Sam,Tove,Yusuf,Ana,Bo,Lars,Nia}') END,
           batch, CASE WHEN n % 3 <> 0 AND is_done THEN round((batch * (0.83 + pg_temp.chance('loss', n) * 0.04))::numeric, 2) END,
           CASE WHEN n % 2 = 0 AND is_done THEN p.roast_level END, p.roast_level, CASE WHEN n % 9 = 0 THEN 'Chaff bin emptied' END,
           CASE WHEN n % 11 = 0 AND is_done THEN round((80 + pg_temp.chance('score', n) * 9)::numeric, 2) END,
           CASE WHEN is_done THEN lasts END, 180 + n % 30,
           CASE WHEN is_done THEN round((p.target_drop_temp + pg_temp.chance('drop', n) * 4 - 2)::numeric, 1) END,
           CASE WHEN is_done THEN round((lasts * cracks)::numeric, 1) END, CASE WHEN is_done THEN 196 END,
           is_done AND n % 3 = 0,
           CASE WHEN is_done THEN round((lasts * (1 - cracks))::numeric, 1) END, CASE WHEN is_done THEN 1 - cracks END,
           CASE WHEN s.status <> 'in_progress' THEN is_done END, CASE WHEN s.status = 'in_progress' THEN now() ELSE at END
      FROM generate_series(1, ${sizes.roasts}::int) n
      CROSS JOIN LATERAL (
        SELECT CASE WHEN n > ${sizes.roasts}::int - ${running} THEN now() - interval '5 minutes' ELSE
                 date_trunc('day', now()) - (1 + floor(1095 * (1 - sqrt((n - 1)::double precision / ${sizes.roasts}::int)))) * interval '1 day'
                   + pg_temp.chance('hour', n) * interval '16 hours' END AS at,
               560 + pg_temp.chance('lasts', n) * 260 AS lasts, 0.78 + pg_temp.chance('cracks', n) * 0.08 AS cracks,
               round((4 + pg_temp.chance('batch', n) * 24)::numeric, 1)::double precision AS batch,
               CASE WHEN n > ${sizes.roasts}::int - ${running} THEN 'in_progress' WHEN n % 60 = 0 THEN 'aborted' ELSE 'completed' END AS status) s
      CROSS JOIN LATERAL (SELECT s.status = 'completed' AS is_done) d
      JOIN seeded_machines m ON m.machine_no = 1 + CASE WHEN s.status = 'in_progress' THEN n % ${sizes.machines}::int
        ELSE floor(power(pg_temp.chance('machine', n), 3) * ${sizes.machines}::int) END
      LEFT JOIN seeded_profiles p ON p.recipe_no = 1 + floor(power(pg_temp.chance('profile', n), 2) * ${sizes.recipes}::int) AND n % 13 <> 0
      LEFT JOIN seeded_lots l
        ON l.lot_no = greatest(1, least(${sizes.lots}::int, ceil(n::double precision / ${sizes.roasts}::int * ${sizes.lots}::int)
                                     - floor(pg_temp.chance('lot', n) * 60))) AND n % 17 <> 0`;
  // A roast begins when the previous one on the machine has ended.
  await sql`
    WITH placed AS (
      SELECT id, max(start_time - nth * make_interval(secs => ${secondsEach})) OVER (PARTITION BY machine_id ORDER BY nth)
                   + nth * make_interval(secs => ${secondsEach}) AS at
        FROM (SELECT id, machine_id, start_time, row_number() OVER (PARTITION BY machine_id ORDER BY start_time, id) AS nth
                FROM roasts WHERE status <> 'in_progress') ordered)
    UPDATE roasts r SET start_time = p.at FROM placed p WHERE p.id = r.id AND p.at <> r.start_time`;
  await sql`
    UPDATE roasts r SET batch_number = n.batch_number
      FROM (SELECT id, row_number() OVER (ORDER BY start_time, id) AS batch_number FROM roasts) n WHERE n.id = r.id`;
  await sql`
    INSERT INTO batch_numbers (batch_number, machine_id, given_at, roast_id)
    SELECT batch_number, machine_id, start_time, id FROM roasts`;
  // One number in fifty more: of roasts that were deleted later.
  await sql`
    INSERT INTO batch_numbers (batch_number, machine_id, given_at, roast_id, coffee_name)
    SELECT ${sizes.roasts}::int + n, m.id, now() - n * interval '1 hour', pg_temp.made_id('deleted', n, now()), 'Santos 12'
      FROM generate_series(1, ${Math.ceil(sizes.roasts / 50)}::int) n JOIN seeded_machines m ON m.machine_no = 1 + n % ${sizes.machines}::int`;
  await sql`
    INSERT INTO roast_tombstones (roast_id, deleted_at)
    SELECT roast_id, given_at + interval '1 day' FROM batch_numbers WHERE batch_number::bigint > ${sizes.roasts}::int`;
  await sql`SELECT setval('roastery_batch_numbers', (SELECT count(*) FROM batch_numbers))`;
  await sql`
    INSERT INTO lot_movements (id, lot_id, at, kg, reason, roast_id)
    SELECT pg_temp.made_id('used' || id, 1, start_time), lot_id, start_time + interval '14 minutes', -batch_size_kg, 'roast', id
      FROM roasts WHERE lot_id IS NOT NULL AND status = 'completed'`;
  // A corrected batch: the ledger has the difference, the roast the new weight.
  await sql`
    WITH edited AS (
      UPDATE roasts SET batch_size_kg = batch_size_kg + 0.5
       WHERE lot_id IS NOT NULL AND status = 'completed' AND hashtext(id::text) % 50 = 0 RETURNING id, lot_id, start_time)
    INSERT INTO lot_movements (id, lot_id, at, kg, reason, roast_id)
    SELECT pg_temp.made_id('edited' || id, 1, start_time), lot_id, start_time + interval '2 hours', -0.5, 'roast_edit', id FROM edited`;
  await sql`UPDATE lots l SET current_weight = (SELECT sum(v.kg) FROM lot_movements v WHERE v.lot_id = l.id)`;
  await sql`
    UPDATE profiles p SET times_used = (
      SELECT count(*) FROM roasts r WHERE r.profile_id = p.id AND r.status = 'completed')`;
  await sql`
    INSERT INTO roast_marks (id, roast_id, kind, origin, temp, confidence, provisional, created_at)
    SELECT pg_temp.made_id(k.kind || r.id, 1, r.start_time), r.id, k.kind, coalesce(k.origin, CASE WHEN r.first_crack_observed THEN 'person' ELSE 'detector' END), k.temp, 0.9, false, r.start_time
      FROM roasts r CROSS JOIN (VALUES ('charge', 'machine', 190), ('turning_point', 'detector', 88),
                                       ('first_crack', NULL, 196), ('drop', 'machine', 212)) AS k (kind, origin, temp)
     WHERE r.status = 'completed' OR k.kind = 'charge'`;
  await sql`
    INSERT INTO planned_roasts (id, machine_id, created_by, profile_id, batch_size_kg)
    SELECT pg_temp.made_id('plan', m.machine_no, now()), m.id, m.owner_id, p.id, 12
      FROM seeded_machines m JOIN seeded_profiles p ON p.recipe_no = m.machine_no WHERE m.machine_no % 2 = 0`;
};

/** A blend of three roasts for each fiftieth roast. */
export const seedBlends = async (sql: Sql, sizes: RoasterySizes): Promise<void> => {
  await sql`
    CREATE TEMPORARY TABLE blended ON COMMIT DROP AS
      SELECT id, owner_id, start_time, said_number, coffee_name, batch_size_kg,
             (row_number() OVER (PARTITION BY owner_id ORDER BY start_time, id) - 1) / 3 AS trio,
             (row_number() OVER (PARTITION BY owner_id ORDER BY start_time, id) - 1) % 3 AS place
        FROM roasts WHERE status = 'completed' AND hashtext(id::text) % 17 = 0`;
  await sql`
    INSERT INTO blends (id, owner_id, name, notes, created_at)
    SELECT pg_temp.made_id('blend' || owner_id, trio, max(start_time)), owner_id, 'House blend ' || trio, NULL, max(start_time)
      FROM blended GROUP BY owner_id, trio ORDER BY owner_id, trio LIMIT ${Math.ceil(sizes.roasts / 50)}`;
  await sql`
    INSERT INTO blend_components (blend_id, place, roast_id, roast_number, coffee_name, roasted_at, kg)
    SELECT b.id, c.place, c.id, c.said_number, c.coffee_name, c.start_time, 2
      FROM blends b JOIN blended c ON c.owner_id = b.owner_id AND 'House blend ' || c.trio = b.name
     WHERE c.batch_size_kg > 4`;
};

/** Two hundred roasts and twenty recipes a person. */
export const seedFavorites = async (sql: Sql): Promise<void> => {
  await sql`
    INSERT INTO roast_favorites (user_id, roast_id)
    SELECT user_id, id FROM (
      SELECT u.id AS user_id, r.id, row_number() OVER (PARTITION BY u.id ORDER BY md5(u.id::text || r.id)) AS place
        FROM users u JOIN roasts r ON r.owner_id = u.id OR (u.is_admin AND hashtext(r.id::text) % 40 = 0)) f
     WHERE place <= 200`;
  await sql`
    INSERT INTO profile_favorites (user_id, profile_id)
    SELECT user_id, id FROM (
      SELECT u.id AS user_id, p.id, row_number() OVER (PARTITION BY u.id ORDER BY md5(u.id::text || p.id)) AS place
        FROM users u CROSS JOIN profiles p) f
     WHERE place <= 20`;
};

export const seedAudit = async (sql: Sql, sizes: RoasterySizes): Promise<void> => {
  await sql`
    INSERT INTO audit_log (id, at, actor_id, actor, action, subject, address)
    SELECT pg_temp.made_id('audit', n, at), at, u.id, u.full_name,
           pg_temp.pick('action', n, '{roast.edited,lot.created,lot.adjusted,profile.saved,user.signed_in,machine.registered,mark.set}'),
           pg_temp.made_id('subject', n, at)::text, '10.0.' || n % 200 || '.' || n % 250
      FROM generate_series(1, ${sizes.audit}::int) n
      CROSS JOIN LATERAL (SELECT now() - (${sizes.audit}::int - n) * (interval '3 years' / ${sizes.audit}::int) AS at) t
      JOIN (SELECT id, full_name, row_number() OVER (ORDER BY id) AS place, count(*) OVER () AS all_of_them FROM users) u
        ON u.place = 1 + n % u.all_of_them`;
};
