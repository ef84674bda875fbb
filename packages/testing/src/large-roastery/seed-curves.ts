import type postgres from 'postgres';
import type { RoasterySizes } from './sizes.ts';

type Sql = postgres.TransactionSql;

/** A curve takes this many sequence numbers of its machine's recording, 1 Hz; roasts are shorter. */
const seqsEach = 1000;
const chunkSamples = 250;

/** Curves differ by so many degrees at most, in tenths. */
const variants = 60;

/**
 * One recording a machine, and curves for all roasts, or for the newest 40 of each of the first recipes: six channels at 1 Hz in
 * chunks as ingest writes them, sealed ones of 250 samples.
 */
export const seedCurves = async (sql: Sql, sizes: RoasterySizes): Promise<void> => {
  await sql`
    CREATE TEMPORARY TABLE curved ON COMMIT DROP AS
      SELECT id, machine_id, start_time, ceil(duration_seconds)::int AS lasts,
             row_number() OVER (PARTITION BY machine_id ORDER BY start_time, id) AS nth
        FROM (SELECT r.*, row_number() OVER (PARTITION BY r.profile_id ORDER BY r.start_time DESC, r.id DESC) AS place, p.recipe_no
                FROM roasts r LEFT JOIN seeded_profiles p ON p.id = r.profile_id WHERE r.status = 'completed') newest
       WHERE ${sizes.curves >= sizes.roasts} OR place <= 40 AND recipe_no <= ${Math.ceil(sizes.curves / 40)}`;
  await sql`
    INSERT INTO recordings (id, machine_id, epoch, source, committed, last_received_at, sealed_seq)
    SELECT pg_temp.made_id('recording' || machine_id, 1, now()), machine_id, 'seed', 'agent',
           int8multirange(int8range(0, max(nth + 1) * ${seqsEach})), now(), max(nth + 1) * ${seqsEach}
      FROM curved GROUP BY machine_id`;
  await sql`
    INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels)
    SELECT id, 0, 'seed', 1, '{bean_temp,exhaust_temp,burner_front_temp,heat_power,fan_speed,drum_speed}'
      FROM recordings WHERE epoch = 'seed'`;
  await sql`
    INSERT INTO recording_boots (recording_id, boot_no, boot_id, wall_offset_ms, quality)
    SELECT id, 0, 'seed', extract(epoch FROM now() - interval '3 years')::bigint * 1000, 2 FROM recordings WHERE epoch = 'seed'`;
  await sql`
    UPDATE roasts r SET recording_id = x.id, boot_no = 0, charge_seq = c.nth * ${seqsEach}, drop_seq = c.nth * ${seqsEach} + c.lasts,
           charge_mono_ms = c.nth * ${seqsEach * 1000}, drop_mono_ms = (c.nth * ${seqsEach} + c.lasts) * 1000
      FROM curved c JOIN recordings x ON x.machine_id = c.machine_id AND x.epoch = 'seed' WHERE r.id = c.id`;
  // What a chunk holds follows from its place in the roast and the variant: a few are made, and many written.
  await sql`
    CREATE TEMPORARY TABLE made_chunks ON COMMIT DROP AS
      SELECT variant, at, array_agg(CASE channel
                     WHEN 0 THEN round((214 - 120 * exp(-(at + k) / 260.0) + 96 * exp(-(at + k) / 22.0) + variant / 10.0)::numeric, 1)
                     WHEN 1 THEN round((225 + 12 * sin((at + k) / 90.0))::numeric, 1)
                     WHEN 2 THEN round((330 + 60 * sin((at + k) / 150.0))::numeric, 1)
                     WHEN 3 THEN greatest(0, 95 - (at + k) / 70 * 8)
                     WHEN 4 THEN 30 + (at + k) / 90 * 7
                     ELSE 62 END ORDER BY channel, k)::real[] AS "values"
        FROM generate_series(0, ${variants - 1}) variant, generate_series(0, ${seqsEach - 1}, ${chunkSamples}) at,
             generate_series(0, 5) channel, generate_series(0, ${chunkSamples - 1}) k
       GROUP BY variant, at`;
  await sql`
    INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, "values", received_at)
    SELECT x.id, from_seq, 0, 0, from_seq * 1000,
           (SELECT array_agg(k * 1000 ORDER BY k) FROM generate_series(0, ${chunkSamples - 1}) k), m."values", c.start_time
      FROM curved c JOIN recordings x ON x.machine_id = c.machine_id AND x.epoch = 'seed'
      JOIN made_chunks m ON m.variant = abs(hashtext(c.id::text)) % ${variants} AND m.at <= c.lasts
      CROSS JOIN LATERAL (SELECT c.nth * ${seqsEach} + m.at AS from_seq) s`;
  await sql`
    UPDATE roast_marks m SET recording_id = r.recording_id, boot_no = 0,
           event_seq = CASE WHEN m.origin <> 'person' THEN r.charge_seq + 900 + k.place END,
           at_seq = r.charge_seq + k.at, mono_ms = (r.charge_seq + k.at) * 1000
      FROM roasts r JOIN curved c ON c.id = r.id
      CROSS JOIN LATERAL (VALUES ('charge', 0, 0), ('turning_point', 80, 1), ('first_crack', floor(r.first_crack_time)::int, 2),
                                 ('drop', c.lasts, 3)) AS k (kind, at, place)
     WHERE m.roast_id = r.id AND m.kind = k.kind`;
};
