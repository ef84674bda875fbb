import type { RoastAlarm } from '@roastery/contract/alarms';

/**
 * Alarms about one fault of a machine, shown as one; any other alarm is separate. Each at the position of its first
 * alarm.
 */
export const alarmsByFault = <Alarm extends Pick<RoastAlarm, 'id' | 'roast_id' | 'fault'>>(
  alarms: readonly Alarm[],
): (readonly [Alarm, ...Alarm[]])[] => {
  const faults = new Map<string, [Alarm, ...Alarm[]]>();
  for (const alarm of alarms) {
    // An answer stored on the device may be of an older api, without faults.
    const key = alarm.fault ? `${alarm.roast_id} ${alarm.fault}` : alarm.id;
    const known = faults.get(key);
    if (known === undefined) faults.set(key, [alarm]);
    else known.push(alarm);
  }
  return [...faults.values()];
};

export interface AlarmGroup {
  readonly alarms: RoastAlarm[];
  /** Of the first one. */
  readonly seconds: number;
}

/** The alarms within a window of time; alarms closer than this to the first of a group are part of it. */
export const groupAlarms = (
  alarms: readonly RoastAlarm[],
  { from, to }: { readonly from: number; readonly to: number },
  closerSeconds: number,
): AlarmGroup[] => {
  const groups: AlarmGroup[] = [];
  for (const alarm of alarms) {
    const { time_seconds: seconds } = alarm;
    if (seconds === null || seconds < from || seconds > to) continue;
    const last = groups.at(-1);
    if (last !== undefined && seconds - last.seconds < closerSeconds) last.alarms.push(alarm);
    else groups.push({ alarms: [alarm], seconds });
  }
  return groups;
};
