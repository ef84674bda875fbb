import { readFileSync } from 'node:fs';
import { launchBrowser, openPage, SCREEN } from '@roastery/testing/browser';
import { createTestDatabase } from '@roastery/testing/test-database';
import { expect, it } from 'vitest';
import { startTestApi } from '../testing/test-api.ts';
import { migratedTemplate } from '../testing/ingest-fixture.ts';

it('the reference page shows every tag in a real browser, under the strict policy and without complaints', async () => {
  await using database = await createTestDatabase(migratedTemplate);
  await using test = await startTestApi(database.url);
  await using browser = await launchBrowser();
  await using watched = await openPage(browser, { viewport: SCREEN.desk });
  await watched.page.goto(`${test.url}/api/v1/docs`);
  for (const tag of ['Machines', 'Roasts', 'Inventory', 'Recipes', 'MQTT']) {
    await watched.page.getByRole('link', { name: tag, exact: true }).waitFor();
  }
  await watched.page.getByRole('link', { name: 'Auth', exact: true }).click();
  await watched.page.getByText('/auth/login', { exact: false }).first().click();
  await watched.page.getByText('wrong_credentials', { exact: false }).first().waitFor();
  expect(watched.complaints).toEqual([]);
});

it('the description served is the contract’s golden file', async () => {
  await using database = await createTestDatabase(migratedTemplate);
  await using test = await startTestApi(database.url);
  const golden = new URL('../../../packages/contract/openapi.golden.json', import.meta.url);
  const served = await (await fetch(`${test.url}/api/v1/openapi.json`)).json();
  expect(served).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
});
