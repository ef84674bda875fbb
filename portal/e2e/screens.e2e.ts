import { apiBasePath } from '@roastery/contract/endpoint';
import type { LotImport } from '@roastery/contract/lot-imports';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { updatePreferences } from '@roastery/contract/auth';
import { createBlend } from '@roastery/contract/blends';
import { adjustLot, createLot } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import { createProfile } from '@roastery/contract/profiles';
import { getRoast } from '@roastery/contract/roasts';
import { putRoasterySettings } from '@roastery/contract/settings';
import { accessibilityFindings, keepAxe } from '@roastery/testing/accessibility';
import { SCREEN, type WatchedPage } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringOwnMap } from './own-map.ts';
import { bringPastRoast } from './past-roast.ts';
import { recordDay } from './recorded-day.ts';
import { anaRestrepo, goWithin, openRoastery, register, tomoIto, type TestRoastery } from './roastery.ts';
import { pagesWithout, screens, type Screen } from './screens.ts';

let roastery: TestRoastery;
const people = {} as Record<Screen['who'], RoasteryClient | null>;
const ids: Record<string, string> = {};
/** Where pictures of the screens are kept; none are taken without it. */
const picturesIn = process.env['SCREENS_DIR'];

beforeAll(async () => {
  if (picturesIn !== undefined) await mkdir(picturesIn, { recursive: true });
  roastery = await openRoastery();
  const ana = await roastery.addPerson(anaRestrepo);
  Object.assign(people, { ana, tomo: await roastery.addPerson(tomoIto), admin: roastery.admin, 'signed out': null });
  await roastery.admin.call(putRoasterySettings, {
    body: {
      roastery_name: 'Northlight Coffee',
      address: '12 Mill Lane',
      city: 'Bergen',
      country: 'Norway',
      currency: 'EUR',
    },
  });
  const probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  const giesen = await register(ana, 'GIE-W6-0007', 'Giesen W6 sample room', 'RM7');
  const map = await bringOwnMap(ana, giesen.id);
  const lot = await ana.call(createLot, {
    body: {
      lot_number: 'L-2026-014',
      coffee_name: 'Huila Pink Bourbon',
      origin: 'Colombia',
      region: 'Huila',
      process: 'Washed',
      initial_weight: 120,
      cost_per_kg: 7.4,
      location: 'Main Warehouse',
    },
  });
  await ana.call(adjustLot, { params: { id: lot.id }, body: { kg: -2.5, note: 'Counted' } });
  const profile = await ana.call(createProfile, {
    body: {
      name: 'Huila filter',
      description: 'For the filter bar, light and long',
      coffee_origin: 'Colombia',
      green_coffee_lot_id: lot.id,
      auto_interpolate: true,
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
  const roasts: string[] = [];
  for (let n = 0; n < 8; n++) {
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
        ...(n % 2 === 0 ? { profile_id: profile.id, cupping_score: 80 + n } : {}),
      },
    });
    roasts.push(roast.id);
  }
  const [past = '', second = ''] = roasts;
  const components = [past, second].map((roast_id) => ({ roast_id, kg: 2 }));
  const blend = await ana.call(createBlend, { body: { name: 'House espresso', components } });
  await roastery.stack.startMachine({ serial: probat.serial_number, token: probat.auth_token, hz: 0.5 });
  const live = await until(
    'a roast to run',
    async () => (await ana.call(listMachines)).find((machine) => machine.current_roast_id !== null)?.current_roast_id,
    { timeoutMs: 60_000 },
  );
  const drum = await register(ana, 'MRG-800N-0100', 'Mill City 800N', 'RM7');
  const morning = await recordDay(roastery.stack, drum, ['whole', 'missed', 'lost', 'falsely']);
  const [picked = '', lost = ''] = [morning[0]?.ids[0], morning[2]?.ids[0]];
  await until('its roasts to be stored', () => ana.call(getRoast, { params: { id: lost } }));
  Object.assign(ids, {
    machine: giesen.id,
    probat: probat.id,
    map,
    past,
    live,
    lot: lot.id,
    recipe: profile.id,
    blend: blend.id,
  });
  const list = await fetch(`${roastery.stack.url}${apiBasePath}/lot-imports?file_name=lots.csv`, {
    method: 'POST',
    headers: { cookie: ana.cookie, 'content-type': 'application/octet-stream' },
    body: 'lot_number,coffee_name,origin,initial_weight\nL-9,Konga,Ethiopia,60\n,Bad,,x\n',
  });
  const { id: lots } = (await list.json()) as LotImport;
  Object.assign(ids, { drum: drum.id, picked, lost, lots });
  ids['charge'] = morning[1]?.chargedAt.toISOString() ?? '';
  ids['drop'] = morning[1]?.droppedAt.toISOString() ?? '';
});
afterAll(() => roastery[Symbol.asyncDispose]());

/** Some 80 screens, also on a busy computer. */
const patienceMs = 900_000;

const addressOf = ({ address }: Screen) => address.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);

/** Opens a screen; reports it, instead of stopping, when it does not show its content. */
const open = async (page: Page, screen: Screen): Promise<string[]> => {
  try {
    const address = addressOf(screen);
    if (screen.who === 'signed out' || !(await goWithin(page, address))) await page.goto(address);
    await screen.does?.(page);
    await page.getByText(screen.shows).first().waitFor();
    return [];
  } catch (error) {
    return [`${screen.name}: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`];
  }
};

/** Screens are opened in the first one. The theme changes colours only: pictures are made in both at every width. */
const looks = [
  { width: 'desk', theme: 'light' },
  ...(picturesIn === undefined ? [] : [{ width: 'desk', theme: 'dark' } as const]),
  { width: 'zoomed', theme: 'light' },
  ...(picturesIn === undefined ? [] : [{ width: 'tablet', theme: 'dark' } as const]),
  { width: 'tablet', theme: 'light' },
  { width: 'phone', theme: 'light' },
  { width: 'phone', theme: 'dark' },
] as const;
type Look = (typeof looks)[number];

/** One of each kind: list, page with charts, form, cockpit, wall. */
const inspectedOnPhones = ['dashboard', 'roasts', 'roast', 'recipe-new', 'cockpit', 'machines', 'wall', 'roast-edit'];
/** axe inspects every screen once: these on a dark phone, the others at a light desk. */
const isInspected = ({ name }: Screen, { width, theme }: Look): boolean =>
  inspectedOnPhones.includes(name) ? width === 'phone' && theme === 'dark' : width === 'desk' && theme === 'light';

const pathOf = (screen: Screen): string => addressOf(screen).replace(/\?.*$/, '');
/** Whether an earlier screen shows the same page: a tab of it, a menu or a modal over it. */
const isVariant = (screen: Screen): boolean => screens.find((one) => pathOf(one) === pathOf(screen)) !== screen;

/** A variant has the frame and the columns of its page, which is checked in the widths between desk and phone. */
const looksOf = (screen: Screen): readonly Look[] =>
  picturesIn === undefined
    ? looks.filter(
        (at) =>
          (at.theme === 'light' || isInspected(screen, at)) &&
          (at.width === 'desk' || at.width === 'phone' || !isVariant(screen)),
      )
    : looks;

const isTouched = ({ width }: Look): boolean => width === 'tablet' || width === 'phone';

/** A page whose look can be changed in place by the system's theme, as for every user without a chosen theme. */
interface Hand {
  readonly watched: WatchedPage;
  readonly turn: (to: Look) => Promise<void>;
}

const openHand = async (who: Screen['who']): Promise<Hand & AsyncDisposable> => {
  const [first] = looks;
  const watched = await roastery.openAs(people[who], {
    viewport: SCREEN[first.width],
    colorScheme: first.theme,
    reducedMotion: 'reduce',
  });
  const { page } = watched;
  await keepAxe(page);
  const device = await page.context().newCDPSession(page);
  let now: Look = first;
  const turn = async (to: Look): Promise<void> => {
    if (to.theme !== now.theme) await page.emulateMedia({ colorScheme: to.theme });
    // Touch instead of a mouse, also for queries of the page about its device.
    const enabled = isTouched(to);
    if (enabled !== isTouched(now)) await device.send('Emulation.setTouchEmulationEnabled', { enabled });
    if (to.width !== now.width) await page.setViewportSize(SCREEN[to.width]);
    now = to;
  };
  return { watched, turn, [Symbol.asyncDispose]: () => watched.close() };
};

/** Waits until the page has settled in its look, with charts as wide as it; returns the problem when it never does. */
const unrest = async (page: Page, { theme, width }: Look): Promise<string | null> => {
  try {
    await page.waitForFunction(
      ([name, pixels]) => {
        const { dataset, scrollWidth } = document.documentElement;
        const isMoving = document
          .getAnimations()
          .some((one) => one.playState === 'running' && one.effect?.getComputedTiming().iterations !== Infinity);
        // A list is dimmed while it is read again.
        const isReading = document.querySelector('[aria-busy="true"]') !== null;
        const isLaidOut = document.fonts.status === 'loaded' && innerWidth === pixels && scrollWidth <= pixels;
        return !isMoving && !isReading && isLaidOut && dataset['theme'] === name;
      },
      [theme, SCREEN[width].width] as const,
    );
    return null;
  } catch {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    return over > 0 ? `${over} px too wide` : 'never at rest';
  }
};

/** The problems of the current screen: too wide, complaints of the browser, axe's findings. */
const look = async ({ page, complaints }: WatchedPage, screen: Screen, at: Look): Promise<string[]> => {
  const place = `${screen.name}, ${at.width} ${at.theme}`;
  const found: string[] = [];
  const restless = await unrest(page, at);
  if (restless !== null) found.push(`${place}: ${restless}`);
  if (picturesIn !== undefined) {
    const file = path.join(picturesIn, `${screen.name}-${at.width}-${at.theme}.png`);
    await page.screenshot({ path: file, fullPage: screen.isOver !== true });
  }
  // The page behind is a screen of its own, and so is that with the frame around a variant.
  const overlays = '[role=dialog], [role=alertdialog], [role=menu], dialog[open]';
  const within = screen.isOver === true ? overlays : isVariant(screen) ? 'main' : undefined;
  for (const { rule, impact, elements } of isInspected(screen, at) ? await accessibilityFindings(page, within) : [])
    // Content over a page is necessarily outside its landmarks.
    if (rule !== 'region' || screen.isOver !== true) found.push(`${place}: ${impact} ${rule}: ${elements.join(' | ')}`);
  for (const complaint of complaints.splice(0))
    if (!(screen.allows?.test(complaint) ?? false)) found.push(`${place}: ${complaint}`);
  return found;
};

/** One visit: every width, changed in place. */
const visit = async ({ watched, turn }: Hand, screen: Screen): Promise<string[]> => {
  await turn(looks[0]);
  const found = await open(watched.page, screen);
  // Where a user chooses between the two, both must be shown; and a map has the °C of its machine.
  const { who, name } = screen;
  const others =
    who === 'signed out' || /account|palette/.test(name) ? [] : /upload|map|probe/.test(name) ? ['kg'] : ['kg', '°C'];
  found.push(...(await unitsOn(watched.page, others)).map((text) => `${name}: ${text}`));
  for (const at of looksOf(screen)) {
    await turn(at);
    found.push(...(await look(watched, screen, at)));
  }
  return found;
};

/** Takes a screen of this user from those left: if possible of another page, so that it can be opened within the portal. */
const takeNext = (left: Screen[], who: Screen['who'], last?: Screen): Screen | undefined => {
  const isOther = (screen: Screen) => last === undefined || pathOf(screen) !== pathOf(last);
  const ofUser = left.filter((screen) => screen.who === who);
  const next = ofUser.find(isOther) ?? ofUser[0];
  if (next !== undefined) left.splice(left.indexOf(next), 1);
  return next;
};

/** Checks the remaining screens, signed in as the user of each. */
const visitThoseLeft = async (left: Screen[]): Promise<string[]> => {
  const findings: string[] = [];
  for (let who = left[0]?.who; who !== undefined; who = left[0]?.who) {
    await using hand = await openHand(who);
    for (let screen = takeNext(left, who); screen !== undefined; screen = takeNext(left, who, screen))
      findings.push(...(await visit(hand, screen)));
  }
  return findings;
};

it('every page of the map is among the screens [P4]', async () => {
  expect(await pagesWithout(screens.map(({ address }) => address))).toEqual([]);
});

/** As shown on the page of a roast. */
const dropTemperature = async (page: Page): Promise<number> => {
  await page.goto(`/roasts/${ids['past']}`);
  const figure = page.getByRole('term').filter({ hasText: 'Drop Temp' }).locator('xpath=../dd').first();
  await figure.waitFor();
  return Number.parseFloat(await figure.innerText());
};

/**
 * Where the page shows one of these units, or dollars, visibly or for screen readers. A bag has the unit of its label, and a
 * token may contain any letters.
 */
const unitsOn = (page: Page, units: readonly string[]): Promise<string[]> =>
  page.evaluate((sought) => {
    const names = ['aria-label', 'title', 'placeholder', 'aria-valuetext'];
    const labelled = [...document.querySelectorAll(names.map((name) => `[${name}]`).join(', '))];
    const labels = labelled.flatMap((one) => names.map((name) => one.getAttribute(name) ?? ''));
    const found = new RegExp(`.{0,30}(?<![a-z])(?:${sought.join('|')}|\\$\\d)(?![a-z]).{0,10}`, 'g');
    return sought.length === 0
      ? []
      : [document.body.textContent, ...labels].flatMap(
          (text) => text.replaceAll(/(?:60|69) kg|[\w-]{32,}/g, '').match(found) ?? [],
        );
  }, units);

describe('every screen has no findings', () => {
  it(
    'at a desk, zoomed to 200 %, on a tablet and a phone, light and dark, and shows no °C, kg or $ where °F, lb and euros were chosen',
    async () => {
      const signedIn = [people.ana, people.tomo, people.admin].filter((one) => one !== null);
      for (const one of signedIn)
        await one.call(updatePreferences, { body: { temperature_unit: 'F', weight_unit: 'lb' } });
      try {
        const left = [...screens].sort((a, b) => a.who.localeCompare(b.who));
        // While one page waits for its responses the other is drawn.
        const findings = await Promise.all([visitThoseLeft(left), visitThoseLeft(left)]);
        expect(findings.flat()).toEqual([]);
        await using watched = await roastery.openAs(people.ana);
        const fahrenheit = await dropTemperature(watched.page);
        await people.ana?.call(updatePreferences, { body: { temperature_unit: 'C' } });
        expect(fahrenheit).toBeCloseTo((await dropTemperature(watched.page)) * 1.8 + 32, 0);
      } finally {
        for (const one of signedIn)
          await one.call(updatePreferences, { body: { temperature_unit: 'C', weight_unit: 'kg' } });
      }
    },
    patienceMs,
  );
});

describe('a roast on paper', () => {
  it('is one white page with the roastery, the figures, the curve and the marks, in every theme', async () => {
    await using watched = await roastery.openAs(people.ana, { colorScheme: 'dark' });
    const { page } = watched;
    await page.goto(`/roasts/${ids['past']}`);
    await page.getByText(/^Reference: /).waitFor();
    await page.getByTestId('roast-chart').locator('canvas').waitFor();
    const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
    if (picturesIn !== undefined) await writeFile(path.join(picturesIn, 'roast-printed.pdf'), pdf);
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset['theme']), { message: 'afterwards' })
      .toBe('dark');

    // The print layout, kept for inspection.
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.setViewportSize({ width: 703, height: 1031 });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.getByText('Northlight Coffee').waitFor();
    await page.getByRole('region', { name: 'Plan vs. roast' }).getByText('Average deviation from plan').waitFor();
    if (picturesIn !== undefined)
      await page.screenshot({ path: path.join(picturesIn, 'roast-printed.png'), fullPage: true });
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'First Crack', exact: true }).isVisible())
      .toBe(true);
    for (const hidden of ['navigation', 'banner', 'complementary'] as const)
      await expect.poll(() => page.getByRole(hidden).filter({ visible: true }).count(), { message: hidden }).toBe(0);
    await expect.poll(() => page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    const chart = await page
      .getByTestId('roast-chart')
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => {
        const { width } = canvas.getBoundingClientRect();
        return { width, scale: canvas.width / width };
      });
    expect(chart).toEqual({ width: 702, scale: 3 });
  });
});
