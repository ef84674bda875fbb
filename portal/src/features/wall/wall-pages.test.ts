import { expect, it } from 'vitest';
import { turnPages, wallGrid, wallPages, type TurnState } from './wall-pages.tsx';

const machines = (count: number, roasting: readonly number[] = []) =>
  Array.from({ length: count }, (_, index) => ({ id: `m${index}`, roast: roasting.includes(index) ? {} : null }));
const idsOf = (pages: readonly { id: string }[][]) => pages.map((page) => page.map(({ id }) => id));
const none = new Set<string>();

it('wall pages: are one for up to 24 machines, and of about the same size for more', () => {
  expect(wallPages(machines(0), none)).toEqual([[]]);
  expect(wallPages(machines(24), none)).toHaveLength(1);
  expect(wallPages(machines(25), none).map(({ length }) => length)).toEqual([13, 12]);
  expect(wallPages(machines(31), none).map(({ length }) => length)).toEqual([16, 15]);
  expect(wallPages(machines(120), none).map(({ length }) => length)).toEqual([24, 24, 24, 24, 24]);
});

it('wall pages: show machines with alarms first and roasting ones next, on every page', () => {
  const pages = idsOf(wallPages(machines(31, [3, 30]), new Set(['m29'])));
  expect(pages.map((page) => page.slice(0, 4))).toEqual([
    ['m29', 'm3', 'm30', 'm0'],
    ['m29', 'm3', 'm30', 'm15'],
  ]);
  expect(new Set(pages.flat()).size).toBe(31);
});

it('wall pages: show every machine in at most 24 tiles, with each alarm on every page where there is room', () => {
  for (let count = 25; count <= 60; count += 5) {
    for (const [roasting, alarmed] of [
      [0, 0],
      [18, 0],
      [count, 0],
      [count, 5],
      [3, 23],
      [0, count],
    ] as const) {
      const alarms = new Set(machines(alarmed).map(({ id }) => id));
      const pages = idsOf(wallPages(machines(count, [...Array.from({ length: roasting }).keys()]), alarms));
      const which = `${count} machines, ${roasting} roast, ${alarmed} alarms`;
      expect(new Set(pages.flat()).size, which).toBe(count);
      expect(Math.max(...pages.map(({ length }) => length)), which).toBeLessThanOrEqual(24);
      const missed = pages.filter((page) => alarmed < 24 && [...alarms].some((id) => !page.includes(id)));
      expect(missed, which).toEqual([]);
    }
  }
});

it('wall pages: change every 15 s, not within a minute after a touch or a key, and not while paused', () => {
  const begun: TurnState = { page: 0, turnsAt: 15_000, isPaused: false };
  expect(turnPages(begun, { do: 'tick', now: 14_999 })).toBe(begun);
  expect(turnPages(begun, { do: 'tick', now: 15_000 })).toEqual({ page: 1, turnsAt: 30_000, isPaused: false });
  const held = turnPages(begun, { do: 'hold', now: 10_000 });
  expect(turnPages(held, { do: 'tick', now: 69_999 }).page).toBe(0);
  expect(turnPages(held, { do: 'tick', now: 70_000 }).page).toBe(1);
  const back = turnPages(begun, { do: 'turn', by: -1, now: 10_000 });
  expect([back.page, back.turnsAt]).toEqual([-1, 70_000]);
  const paused = turnPages(begun, { do: 'pause', now: 10_000 });
  expect(turnPages(paused, { do: 'tick', now: 1e9 }).page).toBe(0);
  const going = turnPages(paused, { do: 'pause', now: 20_000 });
  expect(turnPages(going, { do: 'tick', now: 35_000 }).page).toBe(1);
});

it('wall grid: fills televisions, tablets and phones of any aspect', () => {
  expect(wallGrid(1, 1920, 1080)).toEqual({ columns: 1, rows: 1 });
  expect(wallGrid(2, 1920, 1080)).toEqual({ columns: 2, rows: 1 });
  expect(wallGrid(8, 1920, 1080)).toEqual({ columns: 3, rows: 3 });
  expect(wallGrid(24, 1920, 1080)).toEqual({ columns: 5, rows: 5 });
  expect(wallGrid(8, 1080, 1920)).toEqual({ columns: 2, rows: 4 });
  expect(wallGrid(3, 390, 844)).toEqual({ columns: 1, rows: 3 });
  expect(wallGrid(0, 1920, 1080)).toEqual({ columns: 1, rows: 1 });
});

it('wall grid: has a tile for every machine', () => {
  for (let tiles = 1; tiles <= 24; tiles++) {
    for (const [width, height] of [
      [1920, 1080],
      [1080, 1920],
      [3840, 1080],
      [820, 1180],
    ] as const) {
      const { columns, rows } = wallGrid(tiles, width, height);
      expect(columns * rows).toBeGreaterThanOrEqual(tiles);
    }
  }
});
