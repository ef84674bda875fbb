import { exportRoastsXlsx, exportRoastXlsx } from '@roastery/contract/exports';
import { deleteRoast, getRoast, listRoasts } from '@roastery/contract/roasts';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { ana, idOf, roast } from '../../testing/records.ts';
import { answer, broken, noAnswer, refused } from '../../testing/table-server.ts';
import { currentToasts } from '../../ui/toast.ts';

/** A roast that was logged without anything but its times. */
const bare = roast({
  id: '0190abcd-0000-7000-8000-000000000007',
  roast_number: 'PR-0190abcd',
  coffee_name: null,
  coffee_origin: null,
  batch_size_kg: null,
  start_time: '2026-03-05T15:06:00.000Z',
});
const twenty = Array.from({ length: 20 }, (_, n) => roast({ id: idOf(100 + n), roast_number: `PR-${n}` }));
const list = (roasts: ReturnType<typeof roast>[]) => answer(listRoasts, { roasts, total: roasts.length });
const main = () => within(screen.getByRole('main'));
/** The rows with a roast; those of a list that loads have none. */
const rows = () =>
  within(screen.getByRole('table', { name: 'Roasts' }))
    .getAllByRole('row')
    .filter((row) => within(row).queryByRole('link') !== null);
const isShown = (count: number) => expect.poll(() => rows().length).toBe(count);

describe('the list of roasts', () => {
  it('has its tabs and buttons, and Add roast opens /roasts/new [P35 P36 P38]', async () => {
    const { user } = await openPortal('/roasts');
    expect(screen.getAllByRole('tab').map(textOf)).toEqual(['Roasts', 'Post-roast blends']);
    for (const name of ['Filters', 'Customize', 'Export']) {
      expect(screen.getByRole('button', { name }).hasAttribute('disabled'), name).toBe(false);
    }
    await user.click(screen.getByRole('link', { name: 'Add roast' }));
    await expect.poll(() => location.pathname).toBe('/roasts/new');
    await screen.findByRole('heading', { level: 1, name: 'Add roast' });
  });

  it('keeps what was chosen of the columns, and hides a later column that is hidden at first', async () => {
    localStorage.setItem(`columns:roasts:${ana.id}`, 'origin');
    const { user } = await openPortal('/roasts');
    await isShown(1);
    const heads = () => screen.getAllByRole('columnheader').map(textOf);
    expect(heads()).not.toContain('Origin');
    expect(heads()).not.toContain('Drop temp');
    for (const name of ['Origin', 'Drop temp', 'Duration']) {
      await user.click(screen.getByRole('button', { name: 'Customize' }));
      await user.click(await screen.findByRole('menuitemcheckbox', { name }));
      await user.keyboard('{Escape}');
    }
    await expect.poll(heads).toEqual(expect.arrayContaining(['Origin', 'Drop temp']));
    expect(heads()).not.toContain('Duration');
    expect(localStorage.getItem(`columns:roasts:${ana.id}`)).toBe('+origin,+drop,duration');
  });

  it('the list has the document’s columns [P34 P40 P91 P92]', async () => {
    await openPortal('/roasts');
    await isShown(1);
    const heads = screen.getAllByRole('columnheader').map(textOf);
    expect(heads.slice(1)).toEqual([
      'Favorite',
      'Roast',
      'Coffee',
      'Origin',
      'Roast date',
      'Profile',
      'Machine',
      'Roasted by',
      'Batch (kg)',
      'Duration',
      'Actions',
    ]);
    const text = textOf(rows()[0] ?? document.body);
    expect(text).toMatch(/# ?00000000 .*05\/04\/2026 - 09:30 AM.* Ana Restrepo .*12\.0.* 10:00/);
    const crumbs = within(screen.getByRole('navigation', { name: 'Breadcrumb' })).getAllByRole('listitem');
    expect(crumbs.map(textOf)).toEqual(['Home', 'Roast', 'Overview', 'Roasts']);
  });

  it('shows the first steps without roasts [P19]', async () => {
    await openPortal('/roasts', { answers: [list([])] });
    await screen.findByText('No roasts yet');
    expect(screen.getByRole('link', { name: 'Get Started' }).getAttribute('href')).toBe('/machines');
  });

  it('selected roasts are deleted together, after a confirmation that names them [P37 P90]', async () => {
    const { server, user } = await openPortal('/roasts', {
      answers: [list(twenty.slice(0, 3)), answer(deleteRoast, { message: 'Roast deleted' })],
    });
    await isShown(3);
    for (const row of rows().slice(0, 2)) await user.click(within(row).getByRole('checkbox', { hidden: false }));
    await screen.findByText('2 selected');
    // The browser keeps its history beyond the session.
    expect(JSON.stringify(history.state)).not.toContain('Huila');
    await user.click(screen.getByRole('button', { name: 'Delete (2)' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete 2 roasts' });
    expect(textOf(question)).toContain('This cannot be undone.');
    expect(within(question).getAllByRole('listitem')).toHaveLength(2);
    server.answer(list(twenty.slice(2, 3)));
    await user.click(within(question).getByRole('button', { name: 'Delete' }));
    await screen.findByText('2 roasts deleted');
    await isShown(1);
    expect(server.requests.filter(({ endpoint }) => endpoint === 'deleteRoast')).toHaveLength(2);
  });

  it('a single roast is deleted after the document’s question [P37 P90]', async () => {
    const { user } = await openPortal('/roasts');
    await user.click(await screen.findByRole('button', { name: /^Delete roast/ }));
    const question = await screen.findByRole('alertdialog');
    expect(textOf(question)).toContain('Are you sure you want to delete this roast? This cannot be undone.');
  });

  it('roasts stay selected across pages, and the confirmation names all of them', async () => {
    const { user } = await openPortal('/roasts?rows=25', {
      answers: [
        answer(listRoasts, ({ query }) => ({
          roasts: query.offset === 0 ? twenty.slice(0, 2) : twenty.slice(2, 3),
          total: 27,
        })),
      ],
    });
    await isShown(2);
    await user.click(within(rows()[0] ?? document.body).getByRole('checkbox', { hidden: false }));
    await user.click(screen.getByRole('button', { name: 'Next page' }));
    await isShown(1);
    await user.click(within(rows()[0] ?? document.body).getByRole('checkbox', { hidden: false }));
    await user.click(screen.getByRole('button', { name: 'Delete (2)' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete 2 roasts' });
    expect(within(question).getAllByRole('listitem')).toHaveLength(2);
  });
});

describe('an export that is refused', () => {
  const busy = refused('Too many files are being made. Try again in a few seconds.', 'too_many_requests');
  it.each([
    { of: 'a list', address: '/roasts', answers: [answer(exportRoastsXlsx, busy)] },
    { of: 'a roast', address: `/roasts/${idOf(41)}`, answers: [answer(exportRoastXlsx, busy)] },
  ])('says why, for $of, and can be repeated', async ({ address, answers }) => {
    const { user } = await openPortal(address, { answers });
    const button = await main().findByRole('button', { name: 'Export' });
    await user.click(button);
    await user.click(await screen.findByRole('menuitem', { name: 'Excel (XLSX)' }));
    await expect.poll(() => currentToasts().map(({ text }) => text)).toEqual([busy.body?.detail]);
    expect(button.hasAttribute('disabled')).toBe(false);
  });
});

describe('the page of a roast', () => {
  it('has Compare, Export, Edit and Delete, and Export its three forms [P45]', async () => {
    const { user } = await openPortal(`/roasts/${idOf(41)}`);
    await main().findByRole('heading', { level: 1, name: 'Huila' });
    for (const name of ['Export', 'Edit', 'Delete']) {
      expect(main().getByRole('button', { name }).hasAttribute('disabled'), name).toBe(false);
    }
    await user.click(main().getByRole('button', { name: 'Export' }));
    await screen.findByRole('menu');
    await expect
      .poll(() => screen.getAllByRole('menuitem').slice(0, 3).map(textOf))
      .toEqual(['Excel (XLSX)', 'PDF report', 'Chart PNG']);
    expect(main().getByRole('link', { name: 'Compare' }).getAttribute('href')).toBe(`/roasts/compare?ids=${idOf(41)}`);
  });

  it('shows -- on the cards for missing values [P42 P56 P57 P93 P94]', async () => {
    await openPortal(`/roasts/${bare.id}`, { answers: [answer(getRoast, bare)] });
    await main().findByRole('heading', { level: 1, name: 'Unnamed Roast' });
    const text = textOf(screen.getByRole('main'));
    expect(text).toContain('PR-0190abcd');
    expect(text).toMatch(/Soft Completed/);
    expect(text).toMatch(/Duration 10:00 Batch -- Drop Temp -- Charge -- Dev Time -- First Crack --/);
    expect(text).toMatch(/Coffee Details Name -- Origin -- Process --/);
    expect(text).toMatch(/Roast Parameters Duration 10:00 Batch Size -- Drop Temp --/);
    expect(await main().findByText('No curve data available')).toBeDefined();
  });

  it.each([
    ['No roast ID', '/roasts/%20', undefined],
    ['Roast not found', `/roasts/${idOf(99)}`, refused('Roast not found', 'not_found')],
    ['Failed to load roast', `/roasts/${idOf(98)}`, broken()],
  ])('shows %s and offers a way back [P58 P83]', async (says, address, refusal) => {
    const { user } = await openPortal(address, { answers: refusal === undefined ? [] : [answer(getRoast, refusal)] });
    await expect.poll(() => screen.getAllByRole('alert').map(textOf).join(' ')).toContain(says);
    await user.click(screen.getByRole('link', { name: 'Back to Roasts' }));
    await expect.poll(() => location.pathname).toBe('/roasts');
  });

  it('is read again by a person who goes back to it at once: it may be deleted [P58 P82]', async () => {
    const { server, user } = await openPortal(`/roasts/${idOf(41)}`, { dedupes: true });
    await main().findByRole('heading', { level: 1, name: 'Huila' });
    await user.click(screen.getAllByRole('link', { name: 'Roasts' })[0] as HTMLElement);
    await main().findByRole('heading', { level: 1, name: 'Roasts' });
    server.answer(answer(getRoast, refused('Roast not found', 'not_found')));
    history.back();
    await expect.poll(() => screen.getAllByRole('alert').map(textOf).join(' ')).toContain('Roast not found');
  });

  it('shows Loading roast... and then the reason [P58 P83]', async () => {
    await openPortal(`/roasts/${idOf(41)}`, { answers: [answer(getRoast, noAnswer)] });
    await screen.findByText('Loading roast...');
    const { server, user } = await openPortal(`/roasts/${idOf(42)}`, { answers: [answer(getRoast, broken())] });
    await expect
      .poll(() => screen.getAllByRole('alert').map(textOf).join(' '))
      .toContain('Something went wrong on the server.');
    server.answer(answer(getRoast, roast()));
    await user.click(main().getByRole('button', { name: 'Retry' }));
    await main().findByRole('heading', { level: 1, name: 'Huila' });
  });
});
