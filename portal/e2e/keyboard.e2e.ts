import { createLot } from '@roastery/contract/inventory';
import { createProfile } from '@roastery/contract/profiles';
import type { WatchedPage } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  const probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  for (const [seed, coffee_name] of [
    [1, 'Huila Pink Bourbon'],
    [2, 'Yirgacheffe Konga'],
  ] as const) {
    const charged = new Date(Date.now() - seed * 3_600_000);
    await bringPastRoast(roastery.stack, ana, probat, { seed, hz: 1, charged, details: { coffee_name } });
  }
  await ana.call(createLot, {
    body: { lot_number: 'L-0001', coffee_name: 'Huila green', origin: 'Colombia', initial_weight: 60 },
  });
  await ana.call(createProfile, {
    body: {
      name: 'Huila filter',
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    },
  });
});
afterAll(() => roastery[Symbol.asyncDispose]());

const keys = async (page: Page, ...pressed: string[]): Promise<void> => {
  for (const key of pressed) await page.keyboard.press(key);
};

const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** Tabs to an element, like a user without a mouse; its focus must be visible. */
const reach = async (page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> => {
  await target.waitFor();
  for (let presses = 0; presses < 80 && !(await hasFocus(target)); presses++) await page.keyboard.press(key);
  await expect.poll(() => hasFocus(target), { message: `${String(target)} is reached by ${key}` }).toBe(true);
  const isSeen = await target.evaluate((element) => {
    const rings = [element, element.parentElement, ...element.children].flatMap((part) =>
      part === null ? [] : [getComputedStyle(part)],
    );
    return rings.some(({ outlineStyle, outlineWidth, stroke }) => {
      const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
      return hasOutline || (stroke !== '' && stroke !== 'none');
    });
  });
  expect(isSeen, `${String(target)} shows its focus`).toBe(true);
};
const typeInto = async (page: Page, target: Locator, text: string): Promise<void> => {
  await reach(page, target);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
};
const palette = (page: Page) => page.getByRole('dialog', { name: 'Search or jump to' });
const paletteTo = async (page: Page, text: string, option: RegExp): Promise<void> => {
  await page.keyboard.press('Control+k');
  await palette(page).waitFor();
  await page.keyboard.type(text);
  const wanted = palette(page).getByRole('option', { name: option });
  await wanted.waitFor();
  for (let presses = 0; presses < 20 && (await wanted.getAttribute('aria-selected')) !== 'true'; presses++)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
};

interface Job {
  what: string;
  who?: 'admin';
  does: (page: Page) => Promise<void>;
}

const jobs: readonly Job[] = [
  {
    what: 'register a machine',
    does: async (page) => {
      await keys(page, 'g', 'm');
      await page.getByRole('searchbox', { name: 'Search machines' }).waitFor();
      await keys(page, 'n');
      const form = page.getByRole('dialog', { name: 'Register New Machine' });
      await typeInto(page, form.getByLabel('Serial Number'), 'KEY-1');
      await typeInto(page, form.getByLabel('Display Name'), 'By keyboard');
      await keys(page, 'Enter');
      await page.getByText('Machine Registered Successfully!').waitFor();
      await reach(page, page.getByRole('button', { name: 'Done' }));
      await keys(page, 'Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  },
  {
    what: 'add a lot',
    does: async (page) => {
      await keys(page, 'g', 'i');
      await page.getByRole('row', { name: /L-0001/ }).waitFor();
      await keys(page, 'n');
      await typeInto(page, page.getByLabel('Lot Number'), 'L-KEYS');
      await typeInto(page, page.getByLabel('Coffee Name'), 'Konga green');
      await typeInto(page, page.getByRole('combobox', { name: 'Origin' }), 'Ethiopia');
      await typeInto(page, page.getByLabel('Initial Weight'), '30');
      await keys(page, 'Enter');
      await page.getByRole('row', { name: /L-KEYS/ }).waitFor();
    },
  },
  {
    what: 'adjust the weight of a lot that the palette finds',
    does: async (page) => {
      await paletteTo(page, 'huila gr', /Huila green/);
      await page
        .getByRole('heading', { name: /Huila green|Lot L-0001/ })
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Adjust weight' }).waitFor();
      await keys(page, 'w');
      const form = page.getByRole('dialog');
      await typeInto(page, form.getByLabel('Weight now'), '55.5');
      await typeInto(page, form.getByLabel('Reason'), 'Counted');
      await keys(page, 'Enter');
      await page.getByText('L-0001 now holds 55.5 kg').waitFor();
    },
  },
  {
    what: 'make a recipe and move a point of its curve',
    does: async (page) => {
      await keys(page, 'g', 'e');
      await page.getByText('Huila filter').first().waitFor();
      await keys(page, 'n');
      await typeInto(page, page.getByLabel('Recipe Name'), 'Made by keyboard');
      const handle = page.getByRole('slider', { name: 'Burner at 0:00' });
      await reach(page, handle);
      await keys(page, 'Shift+ArrowDown', 'ArrowDown');
      await expect.poll(() => handle.getAttribute('aria-valuenow')).toBe('89');
      await reach(page, page.getByRole('button', { name: 'Save Recipe' }));
      await keys(page, 'Enter');
      await page.getByText('Recipe saved successfully!').waitFor();
      await page.getByText('Made by keyboard', { exact: true }).first().waitFor();
    },
  },
  {
    what: 'find a roast, look at a point of it, and compare it with another',
    does: async (page) => {
      await paletteTo(page, 'konga', /Yirgacheffe Konga/);
      await page.getByRole('heading', { name: 'Yirgacheffe Konga' }).waitFor();
      await page.getByTestId('roast-chart').locator('canvas').waitFor();
      await reach(page, page.getByTestId('roast-chart'));
      // The chart is shown before its samples arrive.
      const walk = async () => {
        await keys(page, 'Home', 'PageDown', 'ArrowRight');
        return page.getByText('Inspecting 0:31').isVisible();
      };
      await expect.poll(walk).toBe(true);
      await keys(page, 'Escape');
      await page.getByText('Inspecting 0:31').waitFor({ state: 'detached' });
      await keys(page, 'c');
      const field = page.getByRole('combobox', { name: /Add a roast/ });
      await reach(page, field);
      await page.keyboard.type('huila');
      await page.getByRole('option', { name: /Huila Pink Bourbon/ }).waitFor();
      await keys(page, 'ArrowDown', 'Enter');
      await page.getByText('Difference from A').waitFor();
    },
  },
  {
    what: 'edit what was roasted',
    does: async (page) => {
      await paletteTo(page, 'pink', /Huila Pink Bourbon/);
      await page.getByRole('heading', { name: 'Huila Pink Bourbon' }).waitFor();
      await keys(page, 'e');
      const form = page.getByRole('dialog');
      await typeInto(page, form.getByLabel('Roasted by'), 'Ana at the keys');
      await keys(page, 'Enter');
      await form.waitFor({ state: 'detached' });
      await page.getByText('Ana at the keys').first().waitFor();
    },
  },
  {
    what: 'create a user',
    who: 'admin',
    does: async (page) => {
      await keys(page, 'g', 'u');
      await page.getByText(anaRestrepo.email).waitFor();
      await keys(page, 'n');
      const form = page.getByRole('dialog');
      await typeInto(page, form.getByLabel('Full Name'), 'Kim Keys');
      await typeInto(page, form.getByLabel('Email'), 'kim@roastery.example');
      await typeInto(page, form.getByRole('textbox', { name: 'Password' }), 'light roast at dawn 9');
      await keys(page, 'Enter');
      await page.getByText("Save these credentials - password won't be shown again!").waitFor();
      await reach(page, page.getByRole('button', { name: 'Done' }));
      await keys(page, 'Enter');
      await page.getByText('kim@roastery.example').waitFor();
    },
  },
  {
    what: 'add an option',
    who: 'admin',
    does: async (page) => {
      await keys(page, 'g', 's');
      await reach(page, page.getByRole('tab', { name: 'Roastery Info' }));
      await keys(page, 'ArrowRight', 'Enter');
      await typeInto(page, page.getByLabel('New variety'), 'Sidra');
      await keys(page, 'Enter');
      await page.getByText('Sidra was added').waitFor();
    },
  },
];

describe('without a mouse', () => {
  const pages = new Map<Job['who'], WatchedPage>();
  afterAll(() => Promise.all([...pages.values()].map((watched) => watched.close())));

  /** The page of a person, who goes from one job to the next on it. */
  const pageOf = async (who: Job['who']): Promise<WatchedPage> => {
    const shown = pages.get(who);
    const watched = shown ?? (await roastery.openAs(who === 'admin' ? roastery.admin : ana));
    pages.set(who, watched);
    await (shown === undefined ? watched.page.goto('/dashboard') : paletteTo(watched.page, 'dashb', /^Dashboard/));
    await watched.page.getByText('Recent Activity').waitFor();
    return watched;
  };

  it.each(jobs)('one can $what', async ({ who, does }) => {
    const { page, complaints } = await pageOf(who);
    await does(page);
    expect(complaints).toEqual([]);
  });
});

describe('the palette', () => {
  it('loses no letter that is typed right after its key, in ten openings, two of them the first of a slow document', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    const devtools = await page.context().newCDPSession(page);
    const slowDown = (rate: number) => devtools.send('Emulation.setCPUThrottlingRate', { rate });
    const field = palette(page).getByRole('combobox');
    for (let opening = 0; opening < 10; opening++) {
      const isFirst = opening % 5 === 0;
      if (isFirst) {
        await page.goto('/roasts');
        await page.getByRole('heading', { level: 1 }).waitFor();
        await slowDown(4);
        await page.keyboard.press('Control+k');
      } else {
        // The key that opens it again does not wait until it is closed.
        await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Control+k')]);
      }
      // `g` and `c` are keys of the page.
      await page.keyboard.type('gcnk');
      await expect.poll(() => field.inputValue(), { message: `opening ${opening}` }).toBe('gcnk');
      if (isFirst) await slowDown(1);
    }
    await keys(page, 'Escape');
    await palette(page).waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).pathname).toBe('/roasts');
  });

  it('finds records of every kind, pages and commands, and people and boards for admins', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/dashboard');
    await page.getByText('Recent Activity').waitFor();
    await keys(page, 'Control+k');
    await palette(page).waitFor();
    const found = async (text: string, ...groups: string[]) => {
      await keys(page, 'Control+A');
      await page.keyboard.type(text);
      for (const group of groups)
        await palette(page).getByRole('group', { name: group }).getByRole('option').first().waitFor();
    };
    await found('huila', 'Roasts', 'Lots', 'Recipes');
    await found('prb-p25', 'Machines', 'Devices');
    await found('ana@', 'Users');
    await found('dark', 'Everywhere');
    await found('audit', 'Go to');
    await keys(page, 'Enter');
    await page.getByRole('heading', { name: 'Audit Log' }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/admin/audit');
  });
});

describe('a form in a modal', () => {
  it('shows a confirmation on Escape, and continues or discards by choice', async () => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    await page.goto('/admin/users');
    await page.getByText(anaRestrepo.email).waitFor();
    await keys(page, 'n');
    const form = page.getByRole('dialog', { name: 'Create User' });
    await typeInto(page, form.getByLabel('Full Name'), 'Half a name');
    await keys(page, 'Escape');
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
    await question.waitFor();
    // Escape closes the confirmation, not the form.
    await keys(page, 'Escape');
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => form.getByLabel('Full Name').inputValue()).toBe('Half a name');
    // So does Cancel.
    await form.getByRole('button', { name: 'Cancel' }).press('Enter');
    await question.getByRole('button', { name: 'Keep editing' }).press('Enter');
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => form.getByLabel('Full Name').inputValue()).toBe('Half a name');
    // A click outside shows the confirmation too.
    await page.mouse.click(20, 300);
    await question.getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
    await keys(page, 'n');
    await form.waitFor();
    await expect.poll(() => form.getByLabel('Full Name').inputValue()).toBe('');
    await keys(page, 'Escape');
    await form.waitFor({ state: 'detached' });
    await expect.poll(() => question.count()).toBe(0);
  });
});
