import { expect, it } from 'vitest';
import type { WallAlarm } from '@roastery/contract/wall';
import { worstAlarm } from './wall-hooks.tsx';

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
