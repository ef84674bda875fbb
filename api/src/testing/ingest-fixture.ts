import type { JournalBatch, MarkEvent } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { JournalBoard } from '@roastery/testing/journal-board';
import { createTestDatabase } from '@roastery/testing/test-database';
import { migrate } from '../db/migrate.ts';
import { openDatabase, type Database } from '../db/sql.ts';
import { decodeBatch } from '../ingest/decode-batch.ts';
import type { JournalMessage } from '../recordings/recordings.ts';
import { fromNow } from './present.ts';

export const silentLog = createLogger('test', 'silent');

/** The schema without rows, applied once per run. */
export const migratedTemplate = {
  name: 'migrated',
  prepare: async (url: string) => {
    const sql = openDatabase({ url, log: silentLog });
    await migrate(sql, silentLog);
    await sql.end();
  },
};

/** A new migrated database with a pool; both are removed when the test ends. */
export const openMigratedDatabase = async () => {
  const database = await createTestDatabase(migratedTemplate);
  const sql = openDatabase({ url: database.url, log: silentLog });
  return {
    sql,
    url: database.url,
    async [Symbol.asyncDispose]() {
      await sql.end();
      await database.drop();
    },
  };
};

/** A machine with its own owner. */
export const registerMachine = async (
  sql: Database,
  serialNumber: string,
  owner = uuidV7(),
): Promise<{ id: string; owner: string }> => {
  const id = uuidV7();
  await sql`
    INSERT INTO users (id, full_name, email, password_hash) VALUES (${owner}, 'Ada', ${`${owner}@example.org`}, 'x')
    ON CONFLICT DO NOTHING`;
  await sql`
    INSERT INTO machines (id, owner_id, serial_number, display_name, machine_type, max_capacity_kg)
    VALUES (${id}, ${owner}, ${serialNumber}, 'Roaster', 'RM15', 15)`;
  return { id, owner };
};

/** Makes all samples so old that the sweeper may remove them. */
export const ageSamples = async (sql: Database): Promise<void> => {
  await sql`UPDATE recording_chunks SET received_at = now() - interval '92 days'`;
  await sql`UPDATE recordings SET unswept_since = now() - interval '92 days'`;
};

export const messageOf = (serialNumber: string, batch: JournalBatch, receivedAtMs = fromNow(0)): JournalMessage => {
  const payload = Buffer.from(JSON.stringify(batch));
  return {
    topic: `roastery/v1/${serialNumber}/journal`,
    serialNumber,
    payload,
    receivedAtMs,
    decoded: decodeBatch(payload),
  };
};

export const markEvent = (
  roastId: string,
  kind: MarkEvent['kind'],
  at: { seq: number; mono: number } | null,
  temp: number | null,
  more: Partial<MarkEvent> = {},
): MarkEvent => ({
  type: 'mark',
  roast_id: roastId,
  kind,
  at_seq: at?.seq ?? null,
  at_mono: at?.mono ?? null,
  temp,
  origin: 'detector',
  confidence: 0.9,
  provisional: false,
  ...more,
});

/**
 * Twelve minutes at 1 Hz, channels bean_temp, exhaust_temp, heat_power: charge at second 60 (first reported at 63),
 * first crack at 541, drop at 663, completed at 665. Sample s was taken at 5 s + s of monotonic time, and its bean
 * temperature is 90 + 0.16 s.
 */
export const roastOn = (board: JournalBoard, roastId: string, planId?: string, afterMs = 0): void => {
  const at = (second: number) => ({ seq: board.length - 1, mono: afterMs + 5000 + second * 1000 });
  const seqOf = new Map<number, number>();
  const moment = (second: number) => ({ ...at(second), seq: seqOf.get(second) ?? board.length - 1 });
  for (let second = 0; second < 720; second++) {
    const { mono } = at(second);
    const bean = second === 100 ? null : 90 + Math.round(second * 1.6) / 10;
    seqOf.set(second, board.sample(mono, bean, 180.5, second % 3 === 0 ? 70 : null));
    if (second === 64) {
      board.event(mono, { type: 'roast', roast_id: roastId, state: 'in_progress', ...(planId && { plan_id: planId }) });
      board.event(mono, markEvent(roastId, 'charge', moment(63), 96, { provisional: true }));
    }
    if (second === 70) board.event(mono, markEvent(roastId, 'charge', moment(60), 99.6));
    if (second === 545) board.event(mono, markEvent(roastId, 'first_crack', moment(541), 176.6));
    if (second === 665) {
      board.event(mono, markEvent(roastId, 'drop', moment(663), 196.1));
      board.event(mono, { type: 'roast', roast_id: roastId, state: 'completed' });
    }
  }
};
