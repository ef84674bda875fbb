import type { Lot } from '@roastery/contract/inventory';
import { maxImportedLots, type LotImport } from '@roastery/contract/lot-imports';
import { isBounded, onlyInFull } from '@roastery/testing/endurance/volume';
import { createTestDatabase } from '@roastery/testing/test-database';
import { expect, it } from 'vitest';
import { migratedTemplate } from '../../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin } from '../../../testing/test-api.ts';

it.skipIf(isBounded)(
  `import of lots: imports ${maxImportedLots} lots in batches beside other requests, and continues after a restart${onlyInFull}`,
  async () => {
    await using database = await createTestDatabase(migratedTemplate);
    const first = await startTestApi(database.url);
    const uploader = await first.signedIn(testAdmin.email, testAdmin.password);
    const rows = Array.from({ length: maxImportedLots }, (_, row) => `ALL-${row},Coffee ${row},Kenya,${row + 1}.5`);
    const list = ['lot,name,origin,weight kg', ...rows].join('\n');
    const { body, status } = await uploader.sendFile<LotImport>('/lot-imports?file_name=lots.csv', list);
    expect([status, body.rows, body.ready]).toEqual([201, maxImportedLots, maxImportedLots]);
    const path = `/lot-imports/${body.id}`;
    await uploader.send('POST', `${path}/start`, {});
    const imported = async () => (await uploader.send<LotImport>('GET', path)).body.imported;
    await expect.poll(imported, { interval: 20 }).toBeGreaterThan(0);
    // The api answers between two batches: the import is running, and visible.
    expect(await imported()).toBeLessThan(maxImportedLots);
    await first.close();

    await using test = await startTestApi(database.url);
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const state = async () => (await admin.send<LotImport>('GET', path)).body;
    const lots = async (q: string) =>
      (await admin.send<{ lots: Lot[]; total: number }>('GET', `/inventory/lots?limit=500&q=${q}`)).body;
    await expect.poll(async () => (await state()).state, { timeout: 60_000 }).toBe('done');
    expect((await state()).imported).toBe(maxImportedLots);
    const {
      lots: [last],
      total,
    } = await lots('ALL-19999');
    expect([total, last?.initial_weight, last?.current_weight]).toEqual([1, 20_000.5, 20_000.5]);
    await admin.send('POST', `${path}/undo`, {});
    await expect.poll(async () => (await state()).state, { timeout: 60_000 }).toBe('undone');
    expect((await lots('ALL-')).total).toBe(0);
  },
);
