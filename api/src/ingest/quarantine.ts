import { createHash } from 'node:crypto';
import { uuidV7 } from '@roastery/runtime/uuid';
import { recordAudits, systemActor } from '../db/audit.ts';
import type { Database, Sql } from '../db/sql.ts';
import type { JournalMessage } from './decode-batch.ts';

export interface Refusal {
  readonly message: JournalMessage;
  /** Why it was not stored; shown to people. */
  readonly reason: string;
  /** Undefined where no machine has the serial number. */
  readonly machineId?: string | undefined;
}

export interface QuarantineLimits {
  readonly messages: number;
  readonly bytes: number;
}
/** Of one machine, and of all: above it the oldest are dropped. */
export const machineLimits: QuarantineLimits = { messages: 200, bytes: 16 * 1024 * 1024 };
export const allLimits: QuarantineLimits = { messages: 5000, bytes: 256 * 1024 * 1024 };

/** More than the broker's limit on packets. */
const maxKeptBytes = 256 * 1024;
const maxReasonLength = 500;
/** Postgres refuses NUL in a text, and a topic or a message of a driver can hold one. */
// oxlint-disable-next-line no-control-regex -- NUL is replaced here
const storable = (text: string): string => text.replaceAll(/\u0000/g, '\uFFFD').slice(0, maxReasonLength);

const keyOf = ({ serialNumber, payload }: JournalMessage): Buffer =>
  createHash('sha256').update(serialNumber).update('\0').update(payload).digest();

/** Each key once, since a statement must not upsert a row twice; in order, so that two instances wait instead of deadlocking. */
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
  limits: QuarantineLimits,
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

/** Stores refused messages with their reason, each once. Answers how many older ones were dropped for them. */
export const writeQuarantine = async (
  tx: Sql,
  refusals: readonly Refusal[],
  limits = { machine: machineLimits, all: allLimits },
): Promise<number> => {
  if (refusals.length === 0) return 0;
  const rows = rowsOf(refusals);
  await tx`
    INSERT INTO quarantine ${tx(rows)}
    ON CONFLICT (key) DO UPDATE
      SET times = quarantine.times + excluded.times, last_received_at = excluded.received_at, reason = excluded.reason`;
  const serials = [...new Set(rows.map((row) => row.serial_number))];
  return (await dropOldest(tx, serials, limits.machine)) + (await dropOldest(tx, undefined, limits.all));
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
