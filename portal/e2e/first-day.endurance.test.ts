import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listDevices } from '@roastery/contract/fleet';
import { machineMapShape } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import type { NodeArchitecture } from '@roastery/device-agent/packaging/node-package';
import { whyNoGpg } from '@roastery/device-agent/packaging/release-key';
import { prepareReleases } from '@roastery/device-agent/testing/board-release';
import { bootFreshBoard, hurryAgent, type FreshBoard } from '@roastery/device-agent/testing/fresh-board';
import { parseDuration } from '@roastery/roasting/units';
import { startSimulator, type Simulator } from '@roastery/simulator/simulator';
import { volume } from '@roastery/testing/endurance/volume';
import { whyNoSystemd } from '@roastery/testing/real-systemd';
import { until } from '@roastery/testing/until';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  filesOfYears,
  type ListedLot,
  listedLots,
  lotsSpreadsheet,
  machineRegisters,
  machineSettings,
  misspeltPlace,
} from './first-day-files.ts';
import { openRoastery, type TestRoastery } from './roastery.ts';

const here: Partial<Record<NodeJS.Architecture, NodeArchitecture>> = { x64: 'amd64', arm64: 'arm64' };
const architecture = here[process.arch];
const obstacle =
  whyNoSystemd ?? whyNoGpg ?? (architecture === undefined ? `no package for ${process.arch}` : undefined);

/** The machine runs this many times as fast, and so does the agent: ten minutes of roasting in one. */
const factor = 10;
const kgPerPound = 0.453_592_37;
const years = filesOfYears(volume(280, 36));
const batch = { lot: listedLots[8] as ListedLot, greenPounds: 25.5, roastedPounds: 21.75 };
/** Files are read and uploaded while other long runs use the processors. */
const patientMs = 240_000;
/** Where pictures of the pages are kept; none are taken without it. */
const picturesIn = process.env['SCREENS_DIR'];

const folder = mkdtempSync(path.join(tmpdir(), 'first-day-'));
let roastery: TestRoastery;
let drum: Simulator;
let board: FreshBoard;
const opened: AsyncDisposable[] = [];

beforeAll(async () => {
  if (obstacle !== undefined || architecture === undefined) return;
  const map = parseOrThrow(machineMapShape, machineRegisters);
  drum = await startSimulator({
    map,
    port: 0,
    timeFactor: factor,
    model: { capacityKg: 15, autoCharge: false },
    record: true,
  });
  opened.push(drum);
  const releases = await prepareReleases(folder, architecture);
  roastery = await openRoastery({ packagesDir: await releases.make('1.0.0', 'ours', 0) });
  opened.push(roastery);
  const { http, mqtt } = roastery.stack.ports;
  board = await bootFreshBoard('first-day', [http, mqtt, drum.port ?? 0]);
  opened.push(board);
  // Only the clock is the test's: everything else is from the package.
  await board.must(hurryAgent(factor));
}, 400_000);
afterAll(async () => {
  for (const open of opened.toReversed()) await open[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** `1234.5` as shown in Germany, computed independently. */
const german = (value: number, digits: number): string => {
  const [whole = '', rest] = value.toFixed(digits).split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, '.')}${rest === undefined ? '' : `,${rest}`}`;
};
const euros = (cents: number): string => german(Math.round(cents) / 100, 2);

const choose = async (page: Page, label: string, option: RegExp | string): Promise<void> => {
  await page.getByRole('combobox', { name: new RegExp(`^${label}\\b`) }).click();
  await page
    .getByRole('option', { name: option, exact: typeof option === 'string' })
    .first()
    .click();
};
const says = (page: Page, text: RegExp | string, timeout = 30_000) =>
  expect.poll(() => page.getByRole('main').innerText(), { timeout }).toMatch(text);
const picture = async (page: Page, name: string): Promise<void> => {
  if (picturesIn === undefined) return;
  await mkdir(picturesIn, { recursive: true });
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: path.join(picturesIn, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
};

/** Euros for everyone, pounds for this user. */
const chooseUnits = async (page: Page): Promise<void> => {
  await page.goto('/admin/settings');
  await page.getByRole('combobox', { name: 'Currency' }).fill('euro');
  await page.getByRole('option', { name: /EUR/ }).click();
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await page.getByText('Settings saved successfully!').waitFor();
  await page.goto('/account');
  await page.getByRole('radio', { name: 'lb' }).click();
  await page.getByRole('combobox', { name: 'Region' }).fill('german');
  await page
    .getByRole('option', { name: /German/ })
    .first()
    .click();
  await page.getByText(/1\.234,5/).waitFor();
};

/** A list with unclear heads: a person chooses their meaning, and corrects a weight. */
const importLots = async (page: Page): Promise<void> => {
  await page.goto('/inventory/lots/import');
  await page.getByLabel('List of lots').setInputFiles(lotsSpreadsheet());
  await says(page, /of 40 lots can be imported/, patientMs);
  await choose(page, 'Unit of Menge', 'lb');
  await choose(page, 'Unit of EK', 'per lb');
  await choose(page, 'Field of Regalfach', 'Location');
  await says(page, '39 of 40 lots can be imported', patientMs);
  // The first line has the heads.
  const weight = page.getByLabel(`Initial weight of line ${misspeltPlace + 2}, lb`);
  await weight.fill(german(listedLots[misspeltPlace]?.pounds ?? 0, 0));
  await weight.press('Enter');
  const pounds = listedLots.reduce((sum, lot) => sum + lot.pounds, 0);
  await says(page, `40 of 40 lots can be imported, ${german(pounds, 1)} lb`, patientMs);
  await picture(page, 'lots');
  await page.getByRole('button', { name: 'Import 40 lots' }).click();
  await page.getByText('40 lots imported').waitFor({ timeout: 60_000 });
};

/** Uploads the files, which are read while the day continues. Returns the address of their table. */
const sendYears = async (page: Page): Promise<string> => {
  await page.goto('/roasts/new?way=upload');
  await page.getByLabel('Files to import').setInputFiles([...years.chosen]);
  await page.getByText(new RegExp(`^Reading: |of ${years.count} files can be imported$`)).waitFor({ timeout: 400_000 });
  return page.url();
};

/** The machine from the settings of Artisan. Returns its id and the command for the board. */
const registerMachine = async (page: Page): Promise<{ id: string; line: string }> => {
  await page.goto('/machines/register');
  await page.getByLabel('Serial Number').fill('GIE-W15-0311');
  await page.getByLabel('Display Name').fill('Giesen W15');
  const which = page.getByRole('combobox', { name: 'Make and model' });
  await which.fill('Giesen');
  await page.getByText('The catalogue has no machine “Giesen”.').waitFor();
  await page.getByLabel('Artisan settings file').setInputFiles(machineSettings(drum.port ?? 0));
  await expect.poll(() => which.inputValue()).toBe('Giesen W15A');
  await page.getByLabel('Machine’s address').fill('127.0.0.1');
  await picture(page, 'register');
  await page.getByRole('button', { name: 'Register Machine' }).click();
  await page.getByText('Waiting for the board to be paired').waitFor();
  const line = await page.getByText(/install\.sh \| sudo sh/).innerText();
  await picture(page, 'ticket');
  const { machine_id: id } = await until('the machine', async () =>
    (await roastery.admin.call(listDevices)).devices.find(({ serial_number: serial }) => serial === 'GIE-W15-0311'),
  );
  return { id, line };
};

/** Dates that no file contains, a machine for all; duplicates and broken files are excluded. */
const importYears = async (page: Page, address: string): Promise<void> => {
  await page.goto(address);
  const headline = `${years.roasts - years.lost.length} of ${years.count} files can be imported`;
  await page.getByText(headline).waitFor({ timeout: 300_000 });
  await picture(page, 'files');
  await choose(page, 'Status', new RegExp(`^Can’t be read \\(${years.broken}\\)`));
  await picture(page, 'files-broken');
  await choose(page, 'Status', new RegExp(`^Duplicate \\(${years.copies}\\)`));
  await choose(page, 'Status', new RegExp(`^No date \\(${years.lost.length}\\)`));
  for (const [index, name] of years.lost.entries()) {
    const charged = page.getByLabel(`Charge of ${name}`);
    await charged.fill(`0${index + 3}.09.2025 08:15`);
    await charged.press('Enter');
    await charged.waitFor({ state: 'detached' });
  }
  await page.getByRole('combobox', { name: 'Machine', exact: true }).fill('Giesen');
  await page.getByRole('option', { name: /Giesen W15/ }).click();
  await page.getByRole('button', { name: `Import ${years.roasts} roasts` }).click();
  // A fast computer has created them all by now.
  await page.getByText(/^Importing: |roasts imported$/).waitFor();
};

/** The first batch is planned, charged at the machine, followed to its drop and weighed, all in pounds. */
const roastFirstBatch = async (page: Page, machineId: string): Promise<void> => {
  await page.goto('/roasts/new');
  await page.getByRole('combobox', { name: 'Machine', exact: true }).fill('Giesen');
  await page.getByRole('option', { name: /Giesen W15/ }).click();
  await page.getByRole('combobox', { name: 'Green coffee lot' }).fill(batch.lot.number);
  await page.getByRole('option', { name: new RegExp(batch.lot.number) }).click();
  await page.getByRole('textbox', { name: 'Batch', exact: true }).fill(german(batch.greenPounds, 1));
  await page.getByRole('button', { name: 'Add to queue' }).click();
  await page.getByText('Up next · Giesen W15').waitFor();
  await picture(page, 'queue');

  await page.goto(`/machines/${machineId}/live`);
  await page
    .getByTestId('cockpit-next-batch')
    .getByText(`${german(batch.greenPounds, 1)} lb`)
    .waitFor();
  await expect.poll(() => page.getByTestId('cockpit-between').getAttribute('data-state')).toBe('live');
  // The detector must see the empty drum before the charge.
  const { requests } = drum.state();
  await expect.poll(() => drum.state().requests, { timeout: 60_000 }).toBeGreaterThan(requests + 60);
  await picture(page, 'before-charge');
  expect(drum.charge()).toBe(true);
  const figures = page.getByTestId('cockpit-figures');
  await figures.waitFor({ timeout: 120_000 });
  await expect.poll(() => figures.getAttribute('data-state')).toBe('live');
  const clock = async () =>
    parseDuration((await page.getByTestId('cockpit-time').innerText()).split('\n').at(-1) ?? '') ?? -1;
  const before = await clock();
  await expect.poll(clock, { timeout: 60_000 }).toBeGreaterThan(before + 60);
  await picture(page, 'roasting');

  const sheet = page.getByTestId('weigh-sheet');
  await sheet.waitFor({ timeout: 300_000 });
  await sheet.getByText(`Batch ${german(batch.greenPounds, 1)} lb`).waitFor();
  await sheet.getByLabel('Roasted weight').fill(german(batch.roastedPounds, 2));
  const loss = german(100 * (1 - batch.roastedPounds / batch.greenPounds), 1);
  await sheet.getByText(new RegExp(`Loss ${loss}\\s%`)).waitFor();
  await picture(page, 'weigh');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => sheet.count()).toBe(0);
};

/** The register values compared with the stored ones: duration and bean temperature of the whole roast. */
const compareWithMachine = async (machineId: string): Promise<string> => {
  const { roasts } = await roastery.admin.call(listRoasts, { query: { machine_id: machineId, limit: 1 } });
  const { id, duration_seconds: seconds } = await roastery.admin.call(getRoast, {
    params: { id: roasts[0]?.id ?? '' },
  });
  const shown = drum.record();
  const since = (event: 'charge' | 'drop') => shown.find(({ events }) => events.includes(event))?.machineSeconds ?? NaN;
  const charged = since('charge');
  expect(Math.abs((seconds ?? NaN) - (since('drop') - charged))).toBeLessThan(15);
  const curve = await roastery.admin.call(getRoastCurveColumns, { params: { id }, query: { before: 0, after: 0 } });
  const beanAt = (second: number) =>
    shown.find(({ machineSeconds }) => machineSeconds >= charged + second)?.values['bean_temp'] ?? NaN;
  const differences = curve.time_seconds.flatMap((second, index) => {
    const stored = curve.channels['bean_temp']?.[index] ?? null;
    // The bean temperature falls by degrees a second at first.
    return stored === null || second < 90 ? [] : [Math.abs(stored - beanAt(second))];
  });
  expect(differences.length).toBeGreaterThan(300);
  expect(Math.max(...differences)).toBeLessThan(4);
  return id;
};

/** Stock, cost and production of the day, compared with sums computed by this test. */
const checkFigures = async (page: Page, roastId: string): Promise<void> => {
  const { lot, greenPounds, roastedPounds } = batch;
  await page.goto(`/roasts/${roastId}`);
  await says(page, new RegExp(`${german(greenPounds, 1)}\\s+lb`));
  await says(page, new RegExp(`Roasted Weight\\s+${german(roastedPounds, 2)}\\s+lb`));
  await picture(page, 'roast');
  await page.goto('/inventory');
  const pounds = listedLots.reduce((sum, one) => sum + one.pounds, 0) - greenPounds;
  const cents = listedLots.reduce((sum, one) => sum + one.pounds * one.cents, 0) - greenPounds * lot.cents;
  await says(
    page,
    new RegExp(`TOTAL WEIGHT \\(LB\\)\\s+${german(pounds, 1)}\\s+TOTAL VALUE \\(€\\)\\s+${euros(cents)}`, 'i'),
  );
  await picture(page, 'inventory');
  await page.goto('/analytics?tab=green&span=all');
  await says(page, new RegExp(`GREEN USED\\s+${german(greenPounds, 1)}\\s+lb`, 'i'));
  await says(page, new RegExp(`COST\\s+${euros(greenPounds * lot.cents)}\\s€`, 'i'));
  await picture(page, 'green');
  await page.goto('/analytics?span=all');
  const roasted = years.greenKg / kgPerPound + greenPounds;
  await says(page, new RegExp(`ROASTED\\s+${german(roasted, 1)}\\s+lb`, 'i'));
  await says(page, new RegExp(`ROASTS\\s+${years.roasts + 1}\\b`, 'i'));
  await picture(page, 'production');
};

describe.skipIf(obstacle !== undefined)(`the first day of a roastery (${obstacle ?? 'Debian, as it is'})`, () => {
  it('imports years of files, lots and a machine from Artisan’s settings, pairs a board, and roasts the first batch', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    page.setDefaultTimeout(patientMs);
    await chooseUnits(page);
    await importLots(page);
    const address = await sendYears(page);
    const { id, line } = await registerMachine(page);
    // The board's console already runs as root.
    const { code, said } = await board.run(`{ ${line.replace('sudo ', '')}; } 2>&1`);
    expect([code, said.split('\n').at(-1)], said).toEqual([
      0,
      'Installed and paired. What it sees: sudo device-agent doctor',
    ]);
    await page.getByText(/^Paired /).waitFor();
    await picture(page, 'paired');
    await importYears(page, address);
    await page.goto('/admin/devices');
    const row = page.getByRole('row', { name: /Giesen W15/ });
    await row.getByText('Online').waitFor({ timeout: 60_000 });
    await picture(page, 'devices');
    await roastFirstBatch(page, id);
    const roastId = await compareWithMachine(id);
    await page.goto(address);
    await page.getByText(`${years.roasts} roasts imported`).waitFor({ timeout: 300_000 });
    await picture(page, 'imported');
    await page.goto(`${address}&q=roast+0.alog`);
    await page.getByRole('link', { name: 'roast 0.alog', exact: true }).click();
    await says(page, /Imported as batch\s+P5-42/);
    await checkFigures(page, roastId);
    expect(watched.complaints).toEqual([]);
  }, 900_000);
});
