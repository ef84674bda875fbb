import type postgres from 'postgres';
import { secondsEach } from './seed-roasts.ts';
import type { RoasterySizes } from './sizes.ts';

type Sql = postgres.TransactionSql;

/** Stored of each roast at 1 Hz: from `chargeAt` samples before its charge until the next one may begin. */
const samplesEach = secondsEach;
const chargeAt = 120;
const chunkSamples = 500;

/** Curves differ by at most this many degrees, in tenths; few curves have few variants, since each takes a while to generate. */
const variantsOf = ({ curves }: RoasterySizes): number => Math.min(60, Math.ceil(curves / 4));

/** The length of a roast without a drop: its board was lost this long after the charge, s. */
const abortedAfter = 400;

/**
 * Curves for all roasts, or for the newest 40 of each of the first recipes: eight channels at 1 Hz in large chunks, as sealing
 * leaves them. A machine has one recording, with a boot of its board for each day; every tenth roast was uploaded as a file and
 * has a recording of its own. Wall time, boots and marks agree.
 */
export const seedCurves = async (sql: Sql, sizes: RoasterySizes): Promise<void> => {
  const variants = variantsOf(sizes);
  await sql`
    CREATE TEMPORARY TABLE curved ON COMMIT DROP AS
      SELECT id, machine_id, start_time, status, is_file, at_day, lasts, pg_temp.made_id(
               CASE WHEN is_file THEN 'file' || id ELSE 'recording' || machine_id END, 1, start_time) AS recording_id,
             CASE WHEN is_file THEN 0 ELSE row_number() OVER (PARTITION BY machine_id, is_file ORDER BY start_time, id) END
               * ${samplesEach} + ${chargeAt} AS charge_seq,
             CASE WHEN is_file THEN 0 ELSE dense_rank() OVER (PARTITION BY machine_id, is_file ORDER BY at_day) END AS boot_no,
             (extract(epoch FROM start_time - at_day) * 1000)::bigint AS charge_ms
        FROM (SELECT r.*, row_number() OVER (PARTITION BY r.profile_id ORDER BY r.start_time DESC, r.id DESC) AS place, p.recipe_no,
                     hashtext(r.id::text) % 10 = 0 AND r.status = 'completed' AS is_file,
                     date_trunc('day', r.start_time) - interval '1 hour' AS at_day, ceil(r.duration_seconds)::int AS lasts
                FROM roasts r LEFT JOIN seeded_profiles p ON p.id = r.profile_id) newest
       WHERE ${sizes.curves >= sizes.roasts} OR status = 'completed' AND place <= 40 AND recipe_no <= ${Math.ceil(sizes.curves / 40)}`;
  // One recording for all of a machine's roasts, whatever the time in the generated id.
  await sql`
    UPDATE curved c SET recording_id = f.recording_id FROM (
      SELECT DISTINCT ON (machine_id) machine_id, recording_id FROM curved WHERE NOT is_file ORDER BY machine_id, start_time) f
     WHERE f.machine_id = c.machine_id AND NOT c.is_file`;
  await sql`CREATE INDEX ON curved (id)`;
  await sql`ANALYZE curved`;
  await sql`
    INSERT INTO recordings (id, machine_id, epoch, source, committed, last_received_at, sealed_seq, created_at, file_name)
    SELECT recording_id, CASE WHEN is_file THEN NULL ELSE machine_id END, CASE WHEN is_file THEN NULL ELSE 'seed' END,
           CASE WHEN is_file THEN 'upload' ELSE 'agent' END,
           int8multirange(int8range(0, max(charge_seq) + ${samplesEach - chargeAt})), CASE WHEN is_file THEN NULL ELSE now() END,
           max(charge_seq) + ${samplesEach - chargeAt}, min(start_time), CASE WHEN is_file THEN 'roast.alog' END
      FROM curved GROUP BY recording_id, machine_id, is_file`;
  await sql`
    INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels)
    SELECT DISTINCT recording_id, 0, 'seed', 1,
           '{bean_temp,exhaust_temp,burner_front_temp,burner_back_temp,heat_power,fan_speed,drum_speed,drum_pressure}'::text[]
      FROM curved`;
  await sql`
    INSERT INTO recording_boots (recording_id, boot_no, boot_id, wall_offset_ms, quality)
    SELECT DISTINCT recording_id, boot_no, 'seed' || boot_no, extract(epoch FROM at_day)::bigint * 1000, 2 FROM curved`;
  await sql`
    INSERT INTO recording_notes (recording_id, epoch, event_seq, boot_no, mono_ms, kind, agent_version)
    SELECT recording_id, 'seed', min(charge_seq) - ${chargeAt}, boot_no, min(charge_ms) - ${chargeAt * 1000}, 'start', '1.0.0'
      FROM curved WHERE NOT is_file GROUP BY recording_id, boot_no`;
  await sql`
    UPDATE roasts r SET recording_id = c.recording_id, boot_no = c.boot_no, charge_seq = c.charge_seq, charge_mono_ms = c.charge_ms,
           drop_seq = c.charge_seq + c.lasts, drop_mono_ms = c.charge_ms + c.lasts * 1000,
           status_seq = CASE WHEN NOT c.is_file THEN
             c.charge_seq + CASE c.status WHEN 'in_progress' THEN 0 WHEN 'aborted' THEN ${abortedAfter} ELSE c.lasts END END
      FROM curved c WHERE r.id = c.id`;
  // The content of a chunk depends on its position in the roast and the variant: a few are generated, and many
  // written.
  await sql`
    CREATE TEMPORARY TABLE made_chunks ON COMMIT DROP AS
      SELECT variant, at, array_agg(CASE channel
                     WHEN 0 THEN round((214 - 120 * exp(-t / 260.0) + 96 * exp(-t / 22.0) + variant / 10.0)::numeric, 1)
                     WHEN 1 THEN round((225 + 12 * sin(t / 90.0))::numeric, 1)
                     WHEN 2 THEN round((330 + 60 * sin(t / 150.0))::numeric, 1)
                     WHEN 3 THEN round((305 + 50 * sin(t / 150.0))::numeric, 1)
                     WHEN 4 THEN greatest(0, 95 - t / 70 * 8)
                     WHEN 5 THEN 30 + t / 90 * 7
                     WHEN 6 THEN 62
                     ELSE round((-40 + 4 * sin(t / 7.0))::numeric, 1) END ORDER BY channel, k)::real[] AS "values"
        FROM generate_series(0, ${variants - 1}) variant, generate_series(0, ${samplesEach - 1}, ${chunkSamples}) at,
             generate_series(0, 7) channel, generate_series(0, ${chunkSamples - 1}) k,
             LATERAL (SELECT greatest(0, at + k - ${chargeAt}) AS t) since_charge
       GROUP BY variant, at`;
  await sql`
    INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, "values", received_at)
    SELECT c.recording_id, c.charge_seq - ${chargeAt} + m.at, c.boot_no, 0, c.charge_ms + (m.at - ${chargeAt}) * 1000,
           (SELECT array_agg(k * 1000 ORDER BY k) FROM generate_series(0, ${chunkSamples - 1}) k), m."values", c.start_time
      FROM curved c JOIN made_chunks m ON m.variant = abs(hashtext(c.id::text)) % ${variants}
     ORDER BY c.recording_id, c.charge_seq, m.at`;
  await sql`
    UPDATE roast_marks m SET recording_id = r.recording_id, boot_no = r.boot_no,
           event_seq = CASE WHEN m.origin <> 'person' THEN r.charge_seq + 860 + k.place END,
           at_seq = r.charge_seq + k.at, mono_ms = r.charge_mono_ms + k.at * 1000
      FROM roasts r JOIN curved c ON c.id = r.id
      CROSS JOIN LATERAL (VALUES ('charge', 0, 0), ('turning_point', 80, 1), ('first_crack', floor(r.first_crack_time)::int, 2),
                                 ('drop', c.lasts, 3)) AS k (kind, at, place)
     WHERE m.roast_id = r.id AND m.kind = k.kind`;
};

/** An alarm in every third roast. */
export const seedAlarms = async (sql: Sql): Promise<void> => {
  await sql`
    INSERT INTO roast_alarms (id, roast_id, machine_id, kind, occurrence, message, colour, sound, mono_ms, happened_at, raised_at,
                              is_late, cleared_at)
    SELECT pg_temp.made_id('alarm' || id, 1, start_time), id, machine_id, 'rule', 'seed', 'Gas down', 'amber', true, 300000,
           start_time + interval '5 minutes', start_time + interval '5 minutes', false, start_time + interval '6 minutes'
      FROM roasts WHERE hashtext(id::text) % 3 = 0 AND machine_id IS NOT NULL`;
};
