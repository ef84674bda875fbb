import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { ParsedQuery } from '@roastery/contract/endpoint';
import { storableText } from '@roastery/contract/parse-shape';
import * as contract from '@roastery/contract/quarantine';
import { createLogger } from '@roastery/runtime/logger';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Domain } from '../app.ts';
import { type Actor, actorOf, recordAudit, recordAudits, systemActor } from '../db/audit.ts';
import { containing, openDatabase, type Database, type Sql } from '../db/sql.ts';
import { AppError, notFound } from '../http/app-error.ts';
import type { JournalMessage, Refusal } from '../recordings/recordings.ts';
import { commitIn } from './commit.ts';
import { decodeBatch } from './decode-batch.ts';

/** Limits per machine and in total: above them the oldest messages are dropped. */
export const machineLimits = { messages: 200, bytes: 16 * 1024 * 1024 };
const allLimits = { messages: 5000, bytes: 256 * 1024 * 1024 };

/** More than the broker's limit on packets. */
const maxKeptBytes = 256 * 1024;
/**
 * The beginning of a topic or a reason, without characters that Postgres refuses: an error of the driver can contain
 * some.
 */
const storable = (text: string): string => storableText(text.slice(0, 500));

const keyOf = ({ serialNumber, payload }: JournalMessage): Buffer =>
  createHash('sha256').update(serialNumber).update('\0').update(payload).digest();

/**
 * Each key once, because a statement must not upsert a row twice; sorted, so that two instances wait instead of
 * deadlocking.
 */
const rowsOf = (refusals: readonly Refusal[]) => {
  const rows = new Map<string, ReturnType<typeof rowOf>>();
  for (const refusal of refusals) {
    const row = rowOf(refusal);
    const key = row.key.toString('hex');
    const known = rows.get(key);
    rows.set(key, known === undefined ? row : { ...known, times: known.times + 1 });
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
};

const rowOf = ({ message, reason, machineId }: Refusal) => ({
  id: uuidV7(),
  received_at: new Date(message.receivedAtMs).toISOString(),
  topic: storable(message.topic),
  serial_number: storable(message.serialNumber),
  machine_id: machineId ?? null,
  reason: storable(reason),
  payload: message.payload.subarray(0, maxKeptBytes),
  key: keyOf(message),
  times: 1,
});

/** Drops the oldest beyond the limits and counts them by serial number. */
const dropOldest = async (
  tx: Sql,
  serials: readonly string[] | undefined,
  limits: typeof machineLimits,
): Promise<number> => {
  const dropped = await tx<{ serial_number: string | null }[]>`
    DELETE FROM quarantine WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER newest AS place, sum(octet_length(payload)) OVER newest AS bytes
          FROM quarantine ${serials === undefined ? tx`` : tx`WHERE serial_number = ANY(${serials as string[]}::text[])`}
        WINDOW newest AS (${serials === undefined ? tx`` : tx`PARTITION BY serial_number`} ORDER BY received_at DESC, id DESC)
      ) AS ranked WHERE place > ${limits.messages} OR bytes > ${limits.bytes})
    RETURNING serial_number`;
  const counts = new Map<string, number>();
  for (const { serial_number: serial } of dropped) counts.set(serial ?? '', (counts.get(serial ?? '') ?? 0) + 1);
  for (const [serial, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await tx`
      INSERT INTO quarantine_drops (serial_number, dropped) VALUES (${serial}, ${count})
      ON CONFLICT (serial_number) DO UPDATE SET dropped = quarantine_drops.dropped + excluded.dropped`;
  }
  return dropped.length;
};

/** Stores refused messages with their reason, each once. Returns how many older ones were dropped for them. */
export const writeQuarantine = async (tx: Sql, refusals: readonly Refusal[]): Promise<number> => {
  if (refusals.length === 0) return 0;
  const rows = rowsOf(refusals);
  await tx`
    INSERT INTO quarantine ${tx(rows)}
    ON CONFLICT (key) DO UPDATE
      SET times = quarantine.times + excluded.times, last_received_at = excluded.received_at, reason = excluded.reason`;
  const serials = [...new Set(rows.map((row) => row.serial_number))];
  return (await dropOldest(tx, serials, machineLimits)) + (await dropOldest(tx, undefined, allLimits));
};

const auditEveryHours = 1;

/** Records in the audit log how many messages were dropped since the last record, at most once an hour for each machine. */
export const auditDrops = (sql: Database): Promise<number> =>
  sql.begin(async (tx) => {
    const due = await tx<{ serial_number: string; dropped: number; audited: number }[]>`
      SELECT serial_number, dropped, audited FROM quarantine_drops
       WHERE dropped > audited
         AND (audited_at IS NULL OR audited_at < now() - make_interval(hours => ${auditEveryHours}))
       ORDER BY serial_number LIMIT 500 FOR UPDATE SKIP LOCKED`;
    if (due.length === 0) return 0;
    await tx`
      UPDATE quarantine_drops SET audited = dropped, audited_at = now()
       WHERE serial_number = ANY(${due.map((row) => row.serial_number)}::text[])`;
    await recordAudits(
      tx,
      systemActor,
      due.map(({ serial_number, dropped, audited }) => ({
        action: 'quarantine.dropped',
        detail: { serial_number, messages: dropped - audited, because: 'quarantine full' },
      })),
    );
    return due.length;
  });

interface Row {
  readonly topic: string;
  readonly serial_number: string;
  readonly machine_id: string | null;
  readonly payload: Buffer;
  readonly received_at: string;
}

const readRow = async (tx: Sql, id: string): Promise<Row> => {
  const [row] = await tx<Row[]>`
    SELECT topic, serial_number, machine_id, payload, received_at FROM quarantine WHERE id = ${id} FOR UPDATE`;
  if (row === undefined) throw notFound('Quarantined message');
  return row;
};

/** The replayed message is refused again: it stays in quarantine with the new reason. */
class StillRefused extends Error {
  override readonly name = 'StillRefused';
}

const replayIn = async (tx: Sql, id: string, by: Actor): Promise<{ samples: number; events: number }> => {
  const { topic, serial_number: serialNumber, machine_id: machineId, payload, received_at } = await readRow(tx, id);
  const decoded = decodeBatch(payload);
  if (!decoded.ok) throw new StillRefused(decoded.reason);
  const [machine] = await tx<{ id: string }[]>`
    SELECT id FROM machines WHERE serial_number = ${serialNumber} AND archived_at IS NULL`;
  if (machine === undefined) throw new StillRefused('no machine has this serial number, or it is archived');
  if (machineId !== null && machineId !== machine.id)
    throw new StillRefused('it came from an earlier machine of this serial number');
  const message = { topic, serialNumber, payload, receivedAtMs: Date.parse(received_at), decoded };
  const { samples, events, quarantined, conflicts } = await commitIn(tx, [message], {
    again: { machineId: machine.id },
  });
  if (quarantined + conflicts > 0)
    throw new StillRefused('other content is stored under its sequence numbers; the first content stands');
  await tx`DELETE FROM quarantine WHERE id = ${id}`;
  await recordAudit(tx, by, {
    action: 'quarantine.replayed',
    subject: machine.id,
    detail: { serial_number: serialNumber, samples, events },
  });
  return { samples, events };
};

/** Stores a quarantined message in one transaction. Throws `conflict` with the reason if it is refused again. */
export const replayQuarantined = async (
  sql: Database,
  id: string,
  by: Actor,
): Promise<{ samples: number; events: number }> => {
  try {
    return await sql.begin((tx) => replayIn(tx, id, by));
  } catch (error) {
    if (!(error instanceof StillRefused)) throw error;
    await sql`UPDATE quarantine SET reason = ${error.message} WHERE id = ${id}`;
    throw new AppError('conflict', `The message was refused again (${error.message}).`);
  }
};

/** Removes a quarantined message for good. */
export const discardQuarantined = (sql: Database, id: string, by: Actor): Promise<void> =>
  sql.begin(async (tx) => {
    const { serial_number, machine_id } = await readRow(tx, id);
    await tx`DELETE FROM quarantine WHERE id = ${id}`;
    await recordAudit(tx, by, { action: 'quarantine.discarded', subject: machine_id, detail: { serial_number } });
  });

/** Refused messages, newest first. */
export const listQuarantined = async (sql: Sql, { limit, offset, q }: ParsedQuery<typeof contract.listQuarantined>) => {
  const search = q === undefined || q === '' ? undefined : containing(q);
  const where = sql`${search === undefined ? sql`true` : sql`q.serial_number ILIKE ${search} OR m.display_name ILIKE ${search} OR q.reason ILIKE ${search}`}`;
  const from = sql`
    quarantine q LEFT JOIN machines m ON m.serial_number = q.serial_number AND m.archived_at IS NULL
      AND (q.machine_id IS NULL OR q.machine_id = m.id)`;
  const [count] = await sql<{ total: number }[]>`SELECT count(*) AS total FROM ${from} WHERE ${where}`;
  const [drops] = await sql<{ dropped: number }[]>`SELECT coalesce(sum(dropped), 0) AS dropped FROM quarantine_drops`;
  const quarantined = await sql<contract.Quarantined[]>`
    SELECT q.id, coalesce(q.serial_number, '') AS serial_number, m.id AS machine_id, m.display_name, q.reason,
           octet_length(q.payload) AS bytes, q.received_at, q.times,
           coalesce(q.last_received_at, q.received_at) AS last_received_at
      FROM ${from} WHERE ${where}
     ORDER BY q.received_at DESC, q.id DESC LIMIT ${limit} OFFSET ${offset}`;
  return { quarantined: [...quarantined], total: count?.total ?? 0, dropped: drops?.dropped ?? 0 };
};

export const quarantineRoutes: Domain = (routes) => {
  routes.forUser(contract.listQuarantined, ({ sql }, { query }) => listQuarantined(sql, query));
  routes.forUser(contract.replayQuarantined, (context, { params }) =>
    replayQuarantined(context.sql, params.id, actorOf(context)),
  );
  routes.forUser(contract.discardQuarantined, async (context, { params }) => {
    await discardQuarantined(context.sql, params.id, actorOf(context));
    return { discarded: true };
  });
};

const quarantineUsage = `Journal messages that were refused:
  list [--machine SERIAL]                      what is in quarantine, newest first, and why
  replay ID …  |  --machine SERIAL  |  --all   store them, e.g. after an update`;

const pageSize = 200;
/** More than the limit of the quarantine. */
const maxMessages = 10_000;

const readAll = async (sql: Database, serial: string | undefined) => {
  const all: Awaited<ReturnType<typeof listQuarantined>>['quarantined'] = [];
  for (let offset = 0; offset < maxMessages; offset += pageSize) {
    const { quarantined } = await listQuarantined(sql, { limit: pageSize, offset, q: serial });
    all.push(...quarantined.filter((one) => serial === undefined || one.serial_number === serial));
    if (quarantined.length < pageSize) break;
  }
  return all;
};

const list = async (sql: Database, serial: string | undefined, say: (line: string) => void): Promise<number> => {
  const all = await readAll(sql, serial);
  for (const { id, serial_number, received_at, times, bytes, reason } of all)
    say(`${id}  ${received_at}  ${serial_number}  ${bytes} bytes  ${times}×  ${reason}`);
  say(`${all.length} ${all.length === 1 ? 'message' : 'messages'} in quarantine`);
  return 0;
};

const replay = async (sql: Database, ids: readonly string[], say: (line: string) => void): Promise<number> => {
  let refused = 0;
  for (const id of ids) {
    try {
      const { samples, events } = await replayQuarantined(sql, id, systemActor);
      say(`${id}  stored: ${samples} samples, ${events} events`);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused += 1;
      say(`${id}  ${error.message}`);
    }
  }
  say(`${ids.length - refused} stored, ${refused} left in quarantine`);
  return refused > 0 ? 1 : 0;
};

/**
 * `npm run quarantine -- list|replay`. Returns the exit code: 0, 1 when some were refused again, 2 for wrong arguments.
 */
export const runQuarantineCommand = async (
  args: readonly string[],
  databaseUrl: string,
  say: (line: string) => void,
): Promise<number> => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { machine: { type: 'string' }, all: { type: 'boolean', default: false } },
  });
  const [command, ...ids] = positionals;
  const isKnown = command === 'list' || (command === 'replay' && (ids.length > 0 || values.all || values.machine));
  if (!isKnown) {
    say(quarantineUsage);
    return 2;
  }
  const sql = openDatabase({ url: databaseUrl, log: createLogger('quarantine', 'warn'), connections: 1 });
  try {
    if (command === 'list') return await list(sql, values.machine, say);
    // Oldest first, in the order of arrival.
    const wanted = ids.length > 0 ? ids : (await readAll(sql, values.machine)).map(({ id }) => id).toReversed();
    return await replay(sql, wanted, say);
  } finally {
    await sql.end({ timeout: 2 });
  }
};
