import type { RoastAlarm } from '@roastery/contract/alarms';
import { describe, expect, it } from 'vitest';
import { alarmsByFault, groupAlarms } from './alarm-groups.ts';
import { faultText, timedAlarmText } from './alarm-texts.ts';

const alarm = (id: string, time_seconds: number | null, message = id): RoastAlarm => ({
  id,
  roast_id: '0198c0de-0000-7000-8000-000000000001',
  kind: 'rule',
  fault: null,
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

describe('alarms about one fault', () => {
  const frozen: Partial<RoastAlarm> = {
    kind: 'frozen',
    channel: 'bean_temp',
    message: null,
    fault: 'frozen bean_temp',
  };

  it('are shown as one, with the rule’s text first; others are separate', () => {
    const alarms: RoastAlarm[] = [
      { ...alarm('c', 60), ...frozen },
      alarm('b', 50),
      { ...alarm('a', 40, 'Call Ana'), fault: 'frozen bean_temp' },
      { ...alarm('d', 30), ...frozen },
      { ...alarm('e', 20), ...frozen, roast_id: '0198c0de-0000-7000-8000-000000000002' },
    ];
    const faults = alarmsByFault(alarms);
    expect(faults.map((fault) => fault.map(({ id }) => id).join(''))).toEqual(['cad', 'b', 'e']);
    expect(faults.map(faultText)).toEqual([
      'Call Ana · Bean Temp is frozen. Check the probe.',
      'b',
      'Bean Temp is frozen. Check the probe.',
    ]);
  });
});

describe('alarms in the chart', () => {
  it('are grouped where their markers would overlap, each group at its first one', () => {
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

  it('contain the time at which they were raised', () => {
    expect(timedAlarmText(alarm('a', 380, 'Open the air now'))).toBe('6:20: Open the air now');
    expect(timedAlarmText({ ...alarm('a', 45), kind: 'frozen', channel: 'bean_temp', message: null })).toBe(
      '0:45: Bean Temp is frozen. Check the probe.',
    );
  });
});
