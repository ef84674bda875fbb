import { readFileSync } from 'node:fs';
import type { JournalBatch } from '@roastery/contract/mqtt';
import { describe, expect, it } from 'vitest';
import { messageOf, openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import { commitMessages } from './store-batch.ts';

/** What an agent of commit f7cf7b7 sent; see `wire-compatibility.test.ts` there. */
const fixture = new URL('../../../packages/testing/src/wire/f7cf7b7.json', import.meta.url);
const recorded = Object.entries(JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, JournalBatch>);

describe('an agent of commit f7cf7b7', () => {
  it('sends journal batches that are all stored and acknowledged, also with unknown fields', async () => {
    for (const newer of [{}, { newer_field: { any: 'thing' } }]) {
      await using database = await openMigratedDatabase();
      const { sql } = database;
      await registerMachine(sql, 'REC-1');
      const batches = recorded.filter(([name]) => name.startsWith('journal-')).map(([, batch]) => batch);
      expect(batches.length).toBeGreaterThan(5);
      for (const batch of batches) {
        const { acknowledgements } = await commitMessages(sql, [messageOf('REC-1', { ...batch, ...newer })]);
        expect(acknowledgements[0]?.epoch).toBe(batch.epoch);
      }
      expect(await sql`SELECT reason FROM quarantine WHERE reason NOT LIKE 'sequence number claimed twice%'`).toEqual(
        [],
      );
      const [roast] = await sql<{ status: string }[]>`SELECT status FROM roasts`;
      expect(roast?.status).toBe('completed');
      const [stored] = await sql<{ n: number }[]>`SELECT sum(cardinality(dt_ms)) AS n FROM recording_chunks`;
      expect(stored?.n).toBeGreaterThan(0);
    }
  });
});
