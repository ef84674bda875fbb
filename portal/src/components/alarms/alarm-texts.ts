import type { AlarmColour, RoastAlarm } from '@roastery/contract/alarms';
import { formatDuration } from '@roastery/roasting/units';
import { t } from '../../language/t.ts';
import { curveStyles } from '../chart/curves.ts';

/** Name of a channel as in the charts; a channel of the machine's own map has its name there. */
export const channelLabel = (channel: string): string =>
  curveStyles.find((curve) => curve.channel === channel)?.label ?? channel;

/** The text of an alarm. */
export const alarmText = ({ kind, message, channel }: Pick<RoastAlarm, 'kind' | 'message' | 'channel'>): string => {
  if (kind === 'frozen') return t`${channelLabel(channel ?? '')} is frozen. Check the probe.`;
  if (kind === 'silent') return t`No readings arrive. Check the board.`;
  return message ?? t`Alarm`;
};

/** With its time since charge: `6:20: Open the air now`. */
export const timedAlarmText = (alarm: RoastAlarm): string =>
  alarm.time_seconds === null ? alarmText(alarm) : `${formatDuration(alarm.time_seconds)}: ${alarmText(alarm)}`;

const ruleFirst = (one: Pick<RoastAlarm, 'kind'>, other: Pick<RoastAlarm, 'kind'>): number =>
  Number(other.kind === 'rule') - Number(one.kind === 'rule');

/** The texts of the alarms of one fault: first the messages of rules, each once. */
export const faultText = (alarms: readonly Pick<RoastAlarm, 'kind' | 'message' | 'channel'>[]): string =>
  [...new Set(alarms.toSorted(ruleFirst).map(alarmText))].join(' · ');

/** Text on a soft ground; each pair has a contrast of 4.5 to 1 (tokens.test.ts). */
export const alarmTones: Readonly<Record<AlarmColour, { readonly ground: string; readonly text: string }>> = {
  red: { ground: 'border-danger bg-danger-soft', text: 'text-danger' },
  amber: { ground: 'border-warning bg-warning-soft', text: 'text-warning' },
  green: { ground: 'border-success bg-success-soft', text: 'text-success' },
  blue: { ground: 'border-info bg-info-soft', text: 'text-info' },
};

/** The state of an alarm. `time` formats a time. */
export const alarmStateText = (alarm: RoastAlarm, time: (instant: string) => string): string =>
  [
    alarm.is_late && t`Its readings arrived late.`,
    alarm.cleared_at !== null && t`Over at ${time(alarm.cleared_at)}.`,
    alarm.acknowledged_at !== null &&
      t`Acknowledged by ${alarm.acknowledged_by ?? t`a former user`} at ${time(alarm.acknowledged_at)}.`,
  ]
    .filter((part) => part !== false)
    .join(' ');
