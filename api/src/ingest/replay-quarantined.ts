import { type Actor, recordAudit } from '../db/audit.ts';
import type { Database, Sql } from '../db/sql.ts';
import { AppError, notFound } from '../http/app-error.ts';
import { commitIn } from './commit-messages.ts';
import { decodeBatch } from './decode-batch.ts';
import { rangeOf } from './place-batch.ts';
import { lockStreams, partsOf } from './streams.ts';
import { formatMultirange, missingFrom, type SeqRange, withRange } from './seq-ranges.ts';

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
 * The refusal had counted these entries as dealt with. Those that no chunk holds are open again; events are applied once
 * however often they come.
 */
const reopen = async (tx: Sql, machineId: string, epoch: string, range: SeqRange): Promise<void> => {
  const isStored = await tx`SELECT 1 FROM stream_parts WHERE machine_id = ${machineId} AND epoch = ${epoch}`;
  if (isStored.length === 0) return;
  const stream = (await lockStreams(tx, [{ machineId, epoch, end: range.end }])).values();
  for (const { recording, range: part } of partsOf([...stream].flat(), range)) {
    const chunks = await tx<{ start: number; end: number }[]>`
      SELECT first_seq AS start, first_seq + cardinality(dt_ms) AS end FROM recording_chunks
       WHERE recording_id = ${recording.recordingId} AND first_seq < ${part.end}
         AND first_seq + cardinality(dt_ms) > ${part.start}`;
    const stored = chunks.reduce((ranges, chunk) => withRange(ranges, chunk), [] as readonly SeqRange[]);
    const open = formatMultirange(missingFrom(stored, part));
    await tx`UPDATE recordings SET committed = committed - ${open}::int8multirange WHERE id = ${recording.recordingId}`;
  }
};

/** A refusal in a replay leaves the message where it is; its reason becomes today's. */
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
    throw new StillRefused('another content was stored under its sequence numbers; the first stands');
  await tx`DELETE FROM quarantine WHERE id = ${id}`;
  await recordAudit(tx, by, {
    action: 'quarantine.replayed',
    subject: machine.id,
    detail: { serial_number: serialNumber, samples, events },
  });
  return { samples, events };
};

/** Stores a quarantined message after all, in one transaction. Throws `conflict` with the reason where it is refused again. */
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
    throw new AppError('conflict', `The message is refused again: ${error.message}`);
  }
};

/** Removes a quarantined message for good. */
export const discardQuarantined = (sql: Database, id: string, by: Actor): Promise<void> =>
  sql.begin(async (tx) => {
    const { serial_number, machine_id } = await readRow(tx, id);
    await tx`DELETE FROM quarantine WHERE id = ${id}`;
    await recordAudit(tx, by, { action: 'quarantine.discarded', subject: machine_id, detail: { serial_number } });
  });
