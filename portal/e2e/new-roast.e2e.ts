import { createLot, getLot, type Lot } from '@roastery/contract/inventory';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { createProfile, type Profile } from '@roastery/contract/profiles';
import { getRoast } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { SCREEN } from '@roastery/testing/browser';
import { createJournalBoard } from '@roastery/testing/journal-board';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { shipJournal } from '@roastery/testing/ship-journal';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;
let lot: Lot;
let recipe: Profile;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  lot = await ana.call(createLot, {
    body: {
      lot_number: 'L-0042',
      coffee_name: 'Huila Pink Bourbon',
      origin: 'Colombia',
      process: 'Washed',
      initial_weight: 60,
    },
  });
  recipe = await ana.call(createProfile, {
    body: {
      name: 'Huila filter',
      green_coffee_lot_id: lot.id,
      max_batch_size: 15,
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    },
  });
});
afterAll(() => roastery[Symbol.asyncDispose]());

const choose = async (page: Page, label: string, option: string | RegExp): Promise<void> => {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
};

/** A board that has just detected its charge. */
const chargeNow = async (machine: RegisteredMachine): Promise<string> => {
  const board = createJournalBoard({ wallOffsetMs: Date.now() - 40_000 });
  const roastId = uuidV7();
  let chargeSeq = 0;
  for (let second = 0; second < 38; second++) {
    const seq = board.sample(second * 1000, second < 30 ? 205 : 205 - (second - 30) * 6, 220, 60);
    if (second === 30) chargeSeq = seq;
  }
  board.event(38_000, { type: 'roast', roast_id: roastId, state: 'in_progress' });
  board.event(38_000, {
    type: 'mark',
    roast_id: roastId,
    kind: 'charge',
    at_seq: chargeSeq,
    at_mono: 30_000,
    temp: 205,
    origin: 'detector',
    confidence: 0.9,
    provisional: false,
  });
  const credentials = { serial: machine.serial_number, token: machine.auth_token };
  await shipJournal(roastery.stack.mqttUrl, credentials, board.batches());
  return roastId;
};

describe('a roast on a machine', () => {
  it('is planned, waits for the charge, and opens with it [P38]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page, complaints } = watched;
    await page.goto('/roasts');
    await page.getByRole('link', { name: 'Add roast' }).click();
    await page.getByRole('tab', { name: 'Roast on a machine' }).waitFor();
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await page.getByText('Choose a machine', { exact: true }).waitFor();
    await choose(page, 'Machine', /Probat P25/);
    // The recipe prefills its lot and its batch.
    await choose(page, 'Recipe', /Huila filter/);
    await expect.poll(() => page.getByRole('textbox', { name: 'Batch' }).inputValue()).toBe('15');
    await expect.poll(() => page.getByRole('combobox', { name: 'Green coffee lot' }).inputValue()).toContain('L-0042');
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await page.getByText('Up next · Probat P25').waitFor();
    await page.waitForURL(/[?&]plan=/);
    const waiting = page.url();

    const roastId = await chargeNow(probat);
    await page.waitForURL(`**/roasts/${roastId}`);
    await page.getByRole('heading', { name: 'Huila Pink Bourbon' }).waitFor();
    const roast = await ana.call(getRoast, { params: { id: roastId } });
    expect(roast).toMatchObject({
      status: 'in_progress',
      lot_id: lot.id,
      profile_id: recipe.id,
      batch_size_kg: 15,
      roasted_by: 'Ana Restrepo',
    });
    expect(complaints).toEqual([]);

    // The next roast is shown beside the running one, and can be cancelled.
    await visit(page, '/roasts/new');
    await choose(page, 'Machine', /Probat P25/);
    await page.getByRole('textbox', { name: 'Coffee name' }).fill('Sidamo natural');
    await page.getByRole('textbox', { name: 'Batch' }).fill('12');
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await page.getByText('Up next · Probat P25').waitFor();
    await visit(page, `/roasts/${roastId}`);
    await expect
      .poll(() => page.getByTestId('next-planned').innerText())
      .toMatch(/Up next\s+Sidamo natural\s+Batch \d+ · 12 kg/);
    await page.getByTestId('next-planned').getByRole('link').click();
    await page.getByRole('button', { name: 'Remove from queue' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Sidamo natural was removed from the queue').waitFor();
    await page.getByText('The queue is empty').waitFor();
    await visit(page, waiting);
    await page.waitForURL(`**/roasts/${roastId}`);
  });
});

describe('a roast logged by hand', () => {
  it('shows its errors, then deducts its coffee from the lot', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new?way=hand');
    await page.getByRole('button', { name: 'Log roast' }).click();
    await page.getByText('Please fix the errors in the form').waitFor();
    await page.getByText('Coffee name is required').waitFor();
    await choose(page, 'Green coffee lot', /L-0042/);
    await expect.poll(() => page.getByRole('textbox', { name: 'Coffee name' }).inputValue()).toBe('Huila Pink Bourbon');
    await page.getByRole('textbox', { name: 'Roasted at' }).fill('2026-11-20T08:40');
    await page.getByRole('textbox', { name: 'Batch' }).fill('10');
    await page.getByRole('textbox', { name: 'Roasted weight' }).fill('8.6');
    await page.getByRole('textbox', { name: 'Duration' }).fill('10:40');
    await page.getByRole('textbox', { name: 'First crack', exact: true }).fill('8:32');
    await page.getByRole('textbox', { name: 'Drop temp' }).fill('212');
    await page.getByRole('button', { name: 'Log roast' }).click();
    await page.waitForURL(/\/roasts\/[0-9a-f-]{36}$/);
    await page.getByText('No curve data available').waitFor();
    await expect.poll(() => page.getByRole('main').innerText()).toMatch(/DURATION\s+10:40[^]*DEV TIME\s+2:08 · 20\.0%/);
    expect((await ana.call(getLot, { params: { id: lot.id } })).current_weight).toBe(50);
  });
});

const csv = (shift: number): string =>
  [
    'Time;BT;ET;Event',
    ...Array.from({ length: 140 }, (_, k) => {
      const bean = k < 6 ? 400 : k < 20 ? 400 - (k - 6) * 14 : 204 + (k - 20) * 1.8;
      const mark = { 6: 'Charge', 90: 'FCs', 120: 'Drop' }[k] ?? '';
      return `${k * 5000};${(bean + shift).toFixed(2).replace('.', ',')};450;${mark}`;
    }),
  ].join('\n');

const upload = (page: Page, name: string, text: string): Promise<void> =>
  page.getByLabel('Files to import').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

describe('a roast from a file', () => {
  it('is shown with its guesses, read again in another unit, and saved', async () => {
    await using watched = await roastery.openAs(ana);
    const { page, complaints } = watched;
    await page.goto('/roasts/new?way=upload');
    await upload(page, 'roast.csv', csv(0));
    await page.getByText('detected from the values').first().waitFor();
    const unit = page.getByRole('radiogroup', { name: 'Unit of temperature' });
    await expect.poll(() => unit.getByRole('radio', { name: '°F' }).getAttribute('aria-checked')).toBe('true');
    await expect
      .poll(() =>
        page
          .getByRole('radiogroup', { name: 'Unit of time' })
          .getByRole('radio', { name: 'ms' })
          .getAttribute('aria-checked'),
      )
      .toBe('true');
    const marks = page.getByRole('region', { name: 'Markers' });
    await expect
      .poll(() => marks.innerText())
      .toMatch(/Charge\s+0:00\s+204\.4\s*°C[^]*First Crack\s+7:00[^]*Drop\s+9:30/);
    await unit.getByRole('radio', { name: '°C' }).click();
    await page.getByText('set by you').waitFor();
    await expect.poll(() => marks.innerText()).toMatch(/Charge\s+0:00\s+400\.0/);
    await unit.getByRole('radio', { name: '°F' }).click();
    await expect.poll(() => marks.innerText()).toMatch(/Charge\s+0:00\s+204\.4/);
    // The drop from memory: 9:00 after the charge, which is at 0:30.
    await page.getByRole('textbox', { name: 'Drop at' }).fill('9:30');
    await page.getByRole('button', { name: 'Set charge and drop' }).click();
    await expect.poll(() => marks.innerText()).toMatch(/Drop\s+9:00/);
    await page.reload();
    await expect.poll(() => marks.innerText()).toMatch(/Drop\s+9:00/);

    await page.getByRole('button', { name: 'Add roast' }).click();
    await page.getByText('Enter when it was roasted').waitFor();
    await page.getByLabel('Roasted at').fill('2026-11-19T07:00');
    await page.getByRole('textbox', { name: 'Coffee name' }).fill('Kiambu AA');
    await page.getByRole('textbox', { name: 'Batch' }).fill('4.5');
    await page.getByRole('button', { name: 'Add roast' }).click();
    await page.waitForURL(/\/roasts\/[0-9a-f-]{36}$/);
    await page.getByRole('heading', { name: 'Kiambu AA' }).waitFor();
    await page.getByTestId('roast-chart').waitFor();
    await expect.poll(() => page.getByRole('main').innerText()).toMatch(/DURATION\s+9:00\s+BATCH\s+4\.5/);
    expect(complaints).toEqual([]);
  });

  it('that was imported before is reported, and imported again only on request', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new?way=upload');
    await upload(page, 'again.csv', csv(0));
    const duplicates = page.getByRole('region', { name: 'Duplicates' });
    await duplicates.waitFor();
    await expect.poll(() => duplicates.innerText()).toMatch(/Kiambu AA[^]*the same file/);
    const add = page.getByRole('button', { name: 'Add roast' });
    await expect.poll(() => add.isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Import it again' }).click();
    await expect.poll(() => add.isEnabled()).toBe(true);
  });

  it('that is invalid is refused with the reason, and the next one can be chosen immediately', async () => {
    await using watched = await roastery.openAs(ana, { viewport: SCREEN.phone });
    const { page } = watched;
    await page.goto('/roasts/new?way=upload');
    await upload(page, 'list.csv', 'name,price\nHuila,7\n');
    await page.getByText('list.csv: No table of readings was found').waitFor();
    await upload(page, 'roast.csv', csv(3));
    await expect.poll(() => page.getByRole('region', { name: 'Markers' }).isVisible()).toBe(true);
  });
});
