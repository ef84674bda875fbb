import { stateChannelExchange } from '@roastery/contract/channel-exchanges';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import { addExchangedMachine, exchangedMapId } from '../../testing/example-data.ts';
import { messageOf, openMigratedDatabase } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin } from '../../testing/test-api.ts';
import { recordingsToFollow } from './follow-statement.ts';

interface StoredSample {
  readonly bean: number;
  readonly exhaust: number;
}

it('a statement while boards send: no sample is stored under the wrong name, in known and new recordings', async () => {
  await using database = await openMigratedDatabase();
  const { sql } = database;
  await using test = await startTestApi(database.url);
  const admin = await test.signedIn(testAdmin.email, testAdmin.password);
  const [owner] = await sql<{ id: string }[]>`SELECT id FROM users`;
  const { path } = stateChannelExchange;
  for (let round = 0; round < 5; round++) {
    const id = await addExchangedMachine(sql, owner?.id ?? '', false);
    const serial = `SN-${id}`;
    const send = async (statementsBefore: number): Promise<void> => {
      // A new journal each: its recording and layout are created while the owner confirms.
      const board = createJournalBoard({
        map: { id: exchangedMapId, rev: 1 },
        channels: ['bean_temp', 'exhaust_temp'],
      });
      for (let second = 0; second < 40; second++) board.sample(second * 1000, 231, 205);
      for (let count = 0; count < statementsBefore; count++) await sql`SELECT 1`;
      for (const batch of board.batches(() => 10)) await commitMessages(sql, [messageOf(serial, batch)]);
    };
    const body = { state: 'exchanged', revisions: [{ map_id: exchangedMapId, map_rev: 1 }] };
    const [answer] = await Promise.all([
      admin.send('POST', path.replace('{id}', id), body),
      ...[0, 3, 6, 12, 24].map(send),
    ]);
    expect(answer.status).toBe(200);
    await until('all recordings to follow', async () => (await recordingsToFollow(sql, id)).length === 0, {
      timeoutMs: 60_000,
    });
    const samples = await sql<StoredSample[]>`
      SELECT DISTINCT c."values"[(array_position(l.channels, 'bean_temp') - 1) * cardinality(c.dt_ms) + 1] AS bean,
             c."values"[(array_position(l.channels, 'exhaust_temp') - 1) * cardinality(c.dt_ms) + 1] AS exhaust
      FROM recordings r JOIN recording_chunks c ON c.recording_id = r.id
      JOIN recording_layouts l ON l.recording_id = r.id AND l.layout_no = c.layout_no WHERE r.machine_id = ${id}`;
    expect(samples).toEqual([{ bean: 205, exhaust: 231 }]);
  }
});
