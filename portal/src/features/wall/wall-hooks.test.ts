import { expect, it } from 'vitest';
import type { WallAlarm } from '@roastery/contract/wall';
import { wallGrid, worstAlarm } from './wall-hooks.tsx';

const alarm = (id: string, colour: WallAlarm['colour']): WallAlarm => ({
  id,
  kind: 'rule',
  channel: null,
  message: id,
  colour,
  raised_at: '2026-11-22T08:00:00.000Z',
});

it('wall alarm: is the most severe, then the newest, so that no rule hides a fault', () => {
  const newestFirst = [alarm('d', 'green'), alarm('c', 'red'), alarm('b', 'red'), alarm('a', 'amber')];
  expect(worstAlarm({ alarms: newestFirst })?.id).toBe('c');
  expect(worstAlarm({ alarms: newestFirst.slice(3) })?.id).toBe('a');
  expect(worstAlarm({ alarms: [] })).toBeNull();
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
