import { parseArgs } from 'node:util';
import * as contract from '@roastery/contract/quarantine';
import type { Quarantined } from '@roastery/contract/quarantine';
import { createLogger } from '@roastery/runtime/logger';
import type { Domain } from '../app.ts';
import { type Actor, actorOf, recordAudit, systemActor } from '../db/audit.ts';
import { containing, openDatabase, type Database, type Sql } from '../db/sql.ts';
import { AppError, notFound } from '../http/app-error.ts';
import { commitIn } from './commit.ts';
import { decodeBatch } from './decode-batch.ts';
import { rangeOf } from './recordings.ts';
import { formatMultirange, missingFrom, type SeqRange, withRange } from './seq-ranges.ts';
import { lockStreams, partsOf } from './streams.ts';

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

/**
 * The refusal counted these entries as committed. Those that no chunk holds are uncommitted again; events are idempotent.
 */
const reopen = async (tx: Sql, machineId: string, epoch: string, range: SeqRange): Promise<void> => {
  const isStored = await tx`SELECT 1 FROM stream_parts WHERE machine_id = ${machineId} AND epoch = ${epoch}`;
  if (isStored.length === 0) return;
  const stream = (await lockStreams(tx, [{ machineId, epoch, end: range.end }], Date.now())).values();
  for (const { recording, range: part } of partsOf([...stream].flat(), range)) {
    const chunks = await tx<{ start: number; end: number }[]>`
      SELECT first_seq AS start, first_seq + cardinality(dt_ms) AS end FROM recording_chunks
       WHERE recording_id = ${recording.recordingId} AND first_seq < ${part.end}
         AND first_seq + cardinality(dt_ms) > ${part.start}`;
    const stored = chunks.reduce((ranges, chunk) => withRange(ranges, chunk), [] as readonly SeqRange[]);
    const open = formatMultirange(missingFrom(stored, part));
    await tx`UPDATE recordings r SET committed = committed_now(r) - ${open}::int8multirange WHERE r.id = ${recording.recordingId}`;
  }
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
  await reopen(tx, machine.id, decoded.batch.epoch, rangeOf({ batch: decoded.batch }));
  const message = { topic, serialNumber, payload, receivedAtMs: Date.parse(received_at), decoded };
  const { samples, events, quarantined, conflicts } = await commitIn(tx, [message]);
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

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly q?: string | undefined;
}

/** Refused messages, newest first. */
export const listQuarantined = async (sql: Sql, { limit, offset, q }: Page) => {
  const search = q === undefined || q === '' ? undefined : containing(q);
  const where = sql`${search === undefined ? sql`true` : sql`q.serial_number ILIKE ${search} OR m.display_name ILIKE ${search} OR q.reason ILIKE ${search}`}`;
  const from = sql`
    quarantine q LEFT JOIN machines m ON m.serial_number = q.serial_number AND m.archived_at IS NULL
      AND (q.machine_id IS NULL OR q.machine_id = m.id)`;
  const [count] = await sql<{ total: number }[]>`SELECT count(*) AS total FROM ${from} WHERE ${where}`;
  const [drops] = await sql<{ dropped: number }[]>`SELECT coalesce(sum(dropped), 0) AS dropped FROM quarantine_drops`;
  const quarantined = await sql<Quarantined[]>`
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

export const quarantineUsage = `Journal messages that were refused:
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

/** `npm run quarantine -- list|replay`. Answers the exit code: 0, 1 when some were refused again, 2 for a wrong call. */
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
