import type { RoastAlarm } from '@roastery/contract/alarms';
import { describe, expect, it } from 'vitest';
import { groupAlarms, timedAlarmText } from './alarm-texts.ts';

const alarm = (id: string, time_seconds: number | null, message = id): RoastAlarm => ({
  id,
  roast_id: '0198c0de-0000-7000-8000-000000000001',
  kind: 'rule',
  rule_id: null,
  channel: null,
  message,
  colour: 'amber',
  sound: true,
  time_seconds,
  happened_at: '2026-11-22T08:00:00.000Z',
  raised_at: '2026-11-22T08:00:00.000Z',
  is_late: false,
  cleared_at: null,
  acknowledged_at: null,
  acknowledged_by: null,
});

describe('alarms in the chart', () => {
  it('stand together where their markers would overlap, each group at its first one', () => {
    const alarms = [alarm('a', 100), alarm('b', 109), alarm('c', 111), alarm('d', 121)];
    const groups = groupAlarms(alarms, { from: 0, to: 600 }, 10);
    expect(groups.map((group) => [group.seconds, group.alarms.map(({ id }) => id).join('')])).toEqual([
      [100, 'ab'],
      [111, 'c'],
      [121, 'd'],
    ]);
  });

  it('are left out beyond the window and without a charge', () => {
    const alarms = [alarm('a', 10), alarm('b', null), alarm('c', 50), alarm('d', 200)];
    expect(groupAlarms(alarms, { from: 20, to: 100 }, 5).map(({ seconds }) => seconds)).toEqual([50]);
  });

  it('say when they were raised', () => {
    expect(timedAlarmText(alarm('a', 380, 'Open the air now'))).toBe('6:20: Open the air now');
    expect(timedAlarmText({ ...alarm('a', 45), kind: 'frozen', channel: 'bean_temp', message: null })).toBe(
      '0:45: Bean Temp stands still. Check the probe.',
    );
  });
});
