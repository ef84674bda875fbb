import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProfile } from '@roastery/contract/profiles';
import { seriousAccessibilityFindings } from '@roastery/testing/accessibility';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import { listMachines } from '@roastery/contract/machines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { bringOwnMap } from './own-map.ts';
import { anaRestrepo, openRoastery, register, tomoIto, type TestRoastery } from './roastery.ts';

interface Screen {
  name: string;
  /** `{past}` and `{live}` stand for ids of roasts. */
  address: string;
  who: 'ana' | 'tomo' | 'admin' | 'nobody';
  /** What has to be there before the picture is taken. */
  shows: string | RegExp;
  /** What somebody does on it first. */
  does?: (page: Page) => Promise<void>;
  /** Complaints that belong to the screen: the browser reports every refusal of the server. */
  allows?: RegExp;
}

const registerForm = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^(?:Add Machine|Register First Machine)$/ }).click();
  await page.getByRole('dialog').getByText('Register New Machine').waitFor();
};

/** A line a sample, 5 s apart: charge at 0:30, drop at 9:00. */
const shortRoast = Array.from({ length: 120 }, (_, k) => {
  const bean = k < 6 ? 200 : k < 20 ? 200 - (k - 6) * 7 : 102 + k;
  return `${k * 5},${bean},${{ 6: 'Charge', 108: 'Drop' }[k] ?? ''}`;
});

const screens: readonly Screen[] = [
  { name: 'login', address: '/login', who: 'nobody', shows: 'Coffee Roast Management', allows: /auth\/me|401/ },
  {
    name: 'login-refused',
    address: '/login',
    who: 'nobody',
    shows: 'Email is required',
    does: (page) => page.getByRole('button', { name: 'Login' }).click(),
    allows: /auth\/me|401/,
  },
  { name: 'dashboard', address: '/dashboard', who: 'ana', shows: 'Huila Pink Bourbon' },
  { name: 'dashboard-empty', address: '/dashboard', who: 'tomo', shows: 'No roasts yet' },
  { name: 'machines', address: '/machines', who: 'admin', shows: 'Roasting now' },
  { name: 'machines-empty', address: '/machines', who: 'tomo', shows: 'No machines registered' },
  { name: 'machines-register', address: '/machines', who: 'ana', shows: 'Register New Machine', does: registerForm },
  {
    name: 'machines-registered',
    address: '/machines/register',
    who: 'ana',
    shows: 'Machine Registered Successfully!',
    does: async (page) => {
      await page.getByLabel('Serial Number').fill(`NEW-${Date.now()}`);
      await page.getByLabel('Display Name').fill('A new machine');
      await page.getByRole('button', { name: 'Register Machine' }).click();
    },
  },
  {
    name: 'machines-map-edit',
    address: '/machines',
    who: 'ana',
    shows: 'Readings per second',
    does: (page) => page.getByRole('button', { name: 'Map and settings of Giesen W6 sample room' }).click(),
  },
  { name: 'machine-maps', address: '/machines/maps', who: 'ana', shows: 'Not verified on real hardware' },
  { name: 'machine-map-own', address: '/machines/maps/{map}', who: 'ana', shows: 'Add channel' },
  {
    name: 'machine-map-revisions',
    address: '/machines/maps/{map}?tab=revisions',
    who: 'ana',
    shows: 'Bean probe moved',
  },
  { name: 'register', address: '/machines/register', who: 'ana', shows: 'Its board is set up in the next step.' },
  { name: 'roasts', address: '/roasts', who: 'ana', shows: 'Yirgacheffe Konga' },
  {
    name: 'roasts-selected',
    address: '/roasts',
    who: 'ana',
    shows: '1 selected',
    does: (page) =>
      page
        .getByRole('checkbox', { name: /^Select Roast/ })
        .nth(1)
        .click(),
  },
  { name: 'roasts-empty', address: '/roasts?q=nothing+like+it', who: 'ana', shows: 'No roasts match your search' },
  { name: 'roast', address: '/roasts/{past}', who: 'ana', shows: /Behind it/ },
  { name: 'roast-inspected', address: '/roasts/{past}?at=300', who: 'ana', shows: 'Inspecting 5:00' },
  { name: 'roast-markers', address: '/roasts/{past}?at=510&markers=correct', who: 'ana', shows: 'Correct markers' },
  {
    name: 'roast-behind',
    address: '/roasts/{past}',
    who: 'ana',
    shows: 'Curve behind this one',
    does: (page) => page.getByRole('button', { name: 'Change curve' }).click(),
  },
  {
    name: 'roast-edit',
    address: '/roasts/{past}',
    who: 'ana',
    shows: 'The recorded curve is not changed.',
    does: (page) => page.getByRole('button', { name: 'Edit', exact: true }).click(),
  },
  {
    name: 'roast-delete',
    address: '/roasts/{past}',
    who: 'ana',
    shows: 'Are you sure you want to delete this roast?',
    does: (page) => page.getByRole('button', { name: 'Delete', exact: true }).click(),
  },
  { name: 'roast-live', address: '/roasts/{live}', who: 'ana', shows: /^ROASTING|ROASTING \d/ },
  {
    name: 'roast-not-found',
    address: '/roasts/01900000-0000-7000-8000-000000000000',
    who: 'ana',
    shows: 'Roast not found',
    allows: /404|Could not read/,
  },
  {
    name: 'roasts-filtered',
    address: '/roasts?status=completed&coffee_name=Yirgacheffe+Konga',
    who: 'ana',
    shows: 'Reset filters (2)',
  },
  { name: 'new-roast', address: '/roasts/new', who: 'ana', shows: 'Nothing is planned' },
  { name: 'new-roast-hand', address: '/roasts/new?way=hand', who: 'ana', shows: 'How it went' },
  { name: 'new-roast-pick', address: '/roasts/new?way=upload', who: 'ana', shows: /drop it here/ },
  {
    name: 'new-roast-upload',
    address: '/roasts/new?way=upload',
    who: 'ana',
    shows: 'guessed from its values',
    does: (page) =>
      page.getByLabel('File of a roast').setInputFiles({
        name: 'roast.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`Time,BT,Event\n${shortRoast.join('\n')}\n`),
      }),
  },
  { name: 'compare', address: '/roasts/compare?ids={past},{live}', who: 'ana', shows: 'Difference from A' },
  { name: 'compare-empty', address: '/roasts/compare', who: 'ana', shows: 'Nothing to compare yet' },
  { name: 'blends-empty', address: '/roasts/blends', who: 'ana', shows: 'No blends yet' },
  { name: 'blend-new', address: '/roasts/blends/new', who: 'ana', shows: /Add at least one roast/ },
  { name: 'not-found', address: '/no-such-page', who: 'ana', shows: 'Nothing lives at this address' },
  {
    name: 'palette',
    address: '/dashboard',
    who: 'admin',
    shows: 'Go to',
    does: async (page) => {
      await page.getByText('Recent Activity').waitFor();
      await page.keyboard.press('Control+k');
    },
  },
];

let roastery: TestRoastery;
let folder: string;
const people = {} as Record<Screen['who'], RoasteryClient | null>;
const ids = { past: '', live: '', map: '' };
/** Where the pictures stay; without it they are thrown away after they were taken. */
const keptIn = process.env['SCREENS_DIR'];

beforeAll(async () => {
  folder = keptIn ?? (await mkdtemp(path.join(tmpdir(), 'roastery-screens-')));
  await mkdir(folder, { recursive: true });
  roastery = await openRoastery();
  const ana = await roastery.addPerson(anaRestrepo);
  Object.assign(people, { ana, tomo: await roastery.addPerson(tomoIto), admin: roastery.admin, nobody: null });
  const probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  const giesen = await register(ana, 'GIE-W6-0007', 'Giesen W6 sample room', 'RM7');
  ids.map = await bringOwnMap(ana, giesen.id);
  const profile = await ana.call(createProfile, {
    body: {
      name: 'Huila filter',
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    },
  });
  const coffees = [
    ['Huila Pink Bourbon', 'Colombia', 'Washed'],
    ['Yirgacheffe Konga', 'Ethiopia', 'Natural'],
  ] as const;
  for (let n = 0; n < 10; n++) {
    const [coffee_name, coffee_origin, coffee_process] = coffees[n % 2] ?? coffees[0];
    const roast = await bringPastRoast(roastery.stack, ana, probat, {
      seed: n + 1,
      hz: 2,
      fault: n === 0 ? 'baked' : null,
      charged: new Date(Date.now() - (n * 5 + 1) * 3_600_000),
      details: {
        coffee_name,
        coffee_origin,
        coffee_process,
        roast_level: 'Medium',
        ...(n === 0 || n === 2 ? { profile_id: profile.id, cupping_score: 80 + n } : {}),
      },
    });
    if (n === 0) ids.past = roast.id;
  }
  await roastery.stack.startMachine({ serial: probat.serial_number, token: probat.auth_token });
  ids.live = await until(
    'a roast to run',
    async () => (await ana.call(listMachines)).find((machine) => machine.current_roast_id !== null)?.current_roast_id,
    { timeoutMs: 60_000 },
  );
});
afterAll(async () => {
  await roastery[Symbol.asyncDispose]();
  if (keptIn === undefined) await rm(folder, { recursive: true, force: true });
});

const sizes = { desk: { viewport: SCREEN.desk }, phone: { viewport: SCREEN.phone, isMobile: true, hasTouch: true } };

describe.each(['desk', 'phone'] as const)('on a %s', (size) => {
  it.each(['light', 'dark'] as const)('every screen in %s is sound', async (colorScheme) => {
    const findings: string[] = [];
    for (const who of ['nobody', 'tomo', 'ana', 'admin'] as const) {
      await using watched = await roastery.openAs(people[who], { ...sizes[size], colorScheme });
      const { page, complaints } = watched;
      for (const screen of screens.filter((one) => one.who === who)) {
        const { name, address, shows, does, allows } = screen;
        await page.goto(address.replace('{past}', ids.past).replace('{live}', ids.live).replace('{map}', ids.map));
        await does?.(page);
        await page.getByText(shows).first().waitFor();
        await page.waitForFunction(() => document.fonts.status === 'loaded');
        await page.waitForFunction(() =>
          document
            .getAnimations()
            .every((one) => one.playState !== 'running' || one.effect?.getComputedTiming().iterations === Infinity),
        );
        const at = `${name}, ${size}, ${colorScheme}`;
        await page.screenshot({
          path: path.join(folder, `${name}-${size}-${colorScheme}.png`),
          fullPage: !/register|edit|delete|palette/.test(name),
        });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) findings.push(`${at}: ${wide} px too wide`);
        for (const { rule, elements } of await seriousAccessibilityFindings(page))
          findings.push(`${at}: ${rule}: ${elements.join(' | ')}`);
        for (const complaint of complaints.splice(0))
          if (!(allows?.test(complaint) ?? false)) findings.push(`${at}: ${complaint}`);
      }
    }
    expect(findings).toEqual([]);
  });
});
