import type { Sql } from '../../db/sql.ts';

interface Numbered {
  machine_id: string | null;
  batch_number: string | null;
  planned: string | null;
  is_charged: boolean;
  is_running: boolean;
  is_awaiting: boolean;
  is_numbered: boolean;
}

/** Clocks of board and server may differ a little, s. */
const toleranceSeconds = 60;

/**
 * Sets the roaster of a roast that has just been charged: the person chosen last before the charge, with the plan or at
 * the machine. A roaster that was set on the roast itself stays.
 */
export const nameRoaster = async (tx: Sql, roastId: string): Promise<void> => {
  await tx`
    UPDATE roasts r SET roasted_by = u.full_name
    FROM machines m JOIN users u ON u.id = m.roaster_id
    WHERE r.id = ${roastId} AND m.id = r.machine_id AND u.is_active
      AND m.roaster_since <= r.start_time + make_interval(secs => ${toleranceSeconds})
      AND (r.roasted_by IS NULL OR EXISTS (
        SELECT FROM planned_roasts p
        WHERE p.roast_id = r.id AND p.roasted_by = r.roasted_by AND p.created_at < m.roaster_since))`;
};

/** How long a roast waits for earlier entries of its board. */
const awaitSeconds = 60;

/** The roasts of these recordings that have no number yet. */
export const roastsWithoutNumber = async (tx: Sql, recordingIds: readonly string[]): Promise<string[]> => {
  const rows = await tx<{ id: string }[]>`
    SELECT id FROM roasts WHERE batch_number IS NULL AND is_numbered AND recording_id = ANY(${[...recordingIds]}::uuid[])`;
  return rows.map(({ id }) => id);
};

/**
 * Gives a roast its batch number: that of its plan, else the next one. A running roast gets it with its charge, since
 * a plan is bound then. While earlier parts of its board's backlog are in transit it waits, so that the numbers follow
 * the roasts. An imported roast with a number of its program gets none, unless a plan gives it one. Called in the
 * transaction that changed the roast; the caller holds the roast's row. Idempotent.
 */
export const giveBatchNumber = async (tx: Sql, roastId: string): Promise<void> => {
  const [roast] = await tx<Numbered[]>`
    SELECT r.machine_id, r.batch_number, r.is_numbered, p.batch_number AS planned,
           r.charge_mono_ms IS NOT NULL AS is_charged, r.status = 'in_progress' AS is_running,
           r.created_at > now() - make_interval(secs => ${awaitSeconds}) AND EXISTS (
             SELECT FROM recordings c
             WHERE c.id = r.recording_id AND lower(c.committed) <= coalesce(r.charge_seq, r.status_seq)
               AND NOT committed_now(c) @> int8range(lower(c.committed), coalesce(r.charge_seq, r.status_seq))) AS is_awaiting
    FROM roasts r LEFT JOIN planned_roasts p ON p.roast_id = r.id WHERE r.id = ${roastId}`;
  if (roast === undefined) return;
  const { planned, batch_number: held } = roast;
  if (planned === null && !roast.is_numbered) return;
  if (planned === null && (held !== null || roast.is_awaiting || (roast.is_running && !roast.is_charged))) return;
  if (planned !== null && planned === held) return;
  await tx`
    WITH given AS (SELECT coalesce(${planned}::text, give_batch_number(${roast.machine_id}::uuid)) AS batch_number)
    UPDATE roasts SET batch_number = given.batch_number FROM given WHERE id = ${roastId}`;
  await tx`
    UPDATE batch_numbers b SET roast_id = r.id FROM roasts r WHERE r.id = ${roastId} AND b.batch_number = r.batch_number`;
  // Together with the first number: from then on a person may change or remove the name.
  if (held === null && roast.is_charged) await nameRoaster(tx, roastId);
};

/** Records the use of a number, before its roast or plan is removed. */
export const noteUseOfNumber = async (
  tx: Sql,
  batchNumber: string | null,
  coffeeName: string | null,
): Promise<void> => {
  await tx`UPDATE batch_numbers SET coffee_name = ${coffeeName} WHERE batch_number = ${batchNumber}`;
};

/**
 * Lists numbers of the roastery's sequence that were drawn in a failed transaction: the sequence continues whatever
 * happens to the transaction. A number below one of ten minutes ago that is not stored is lost. A number whose
 * transaction still runs is awaited by its key. Numbers that were checked are not read again.
 */
export const listLostNumbers = async (sql: Sql): Promise<void> => {
  await sql`
    WITH due AS (
      SELECT checked_to, (
        SELECT batch_number::bigint FROM batch_numbers
        WHERE batch_number ~ '^[0-9]+$' AND given_at < now() - interval '10 minutes'
        ORDER BY batch_number::bigint DESC LIMIT 1) AS upto
      FROM batch_number_checks),
    lost AS (
      INSERT INTO batch_numbers (batch_number, given_at, lost_at)
      SELECT n::text, coalesce((SELECT given_at FROM batch_numbers WHERE batch_number = (n + 1)::text), now()), now()
      FROM due, generate_series(checked_to + 1, upto) n
      WHERE NOT EXISTS (SELECT FROM batch_numbers b WHERE b.batch_number = n::text)
      ON CONFLICT DO NOTHING)
    UPDATE batch_number_checks c SET checked_to = greatest(c.checked_to, upto) FROM due WHERE upto IS NOT NULL`;
};
