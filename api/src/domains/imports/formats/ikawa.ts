import { assembleRoast } from '../assemble-roast.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn } from '../table-cells.ts';
import { curvesOf, hasHeads, placeOf, spreadClock, tableBelow, type FixedColumn } from './table-columns.ts';

/** Both generations of the app. The probe in the exhaust is the closest to the beans. */
const columns: readonly FixedColumn[] = [
  { head: 'exaust temp', label: 'Exhaust', unit: '°C', is: 'bean_temp' },
  { head: 'temp above', label: 'Above', unit: '°C', is: 'bean_temp' },
  { head: 'inlet temp', label: 'Inlet', unit: '°C', is: 'exhaust_temp' },
  { head: 'temp below', label: 'Below', unit: '°C', is: 'exhaust_temp' },
  { head: 'temp set', label: 'Set point', unit: '°C' },
  { head: 'setpoint', label: 'Set point', unit: '°C' },
  { head: 'heater power', label: 'Heater', unit: '%', is: 'heat_power' },
  { head: 'heater', label: 'Heater', unit: '%', is: 'heat_power' },
  { head: 'fan set', label: 'Fan', unit: '%', is: 'fan_speed' },
  { head: 'fan speed', label: 'Fan rpm', unit: '' },
  { head: 'abs_humidity', label: 'Humidity', unit: '' },
];

/** IKAWA: the app's log with the state of the roaster in each row; its clock stands still until the roast begins. */
export const ikawa: RoastFileFormat = {
  format: 'ikawa',
  recognise: (bytes) =>
    ['exaust temp', 'temp above'].some((probe) => hasHeads(bytes, 1, 'time', 'state', probe)) ? 'certain' : 'no',
  read: (bytes, choices) => {
    const { heads, rows: all } = tableBelow(bytes, 'time', 'state');
    const [time, state] = [placeOf(heads, 'time'), placeOf(heads, 'state')];
    const rows = all.filter((row) => numberIn(row[time]) !== null);
    const timesSeconds = spreadClock(rows.map((row) => numberIn(row[time]) ?? 0));
    const firstOf = (name: string) => timesSeconds[rows.findIndex((row) => textIn(row[state]) === name)];
    const charge = firstOf('doser open') ?? firstOf('roasting');
    // The roaster's own detection of first crack, in seconds since the charge; 0 before it.
    const detected = numberIn(rows.at(-1)?.[placeOf(heads, 'adfc_timestamp')]) ?? 0;
    const marks = [
      { kind: 'charge' as const, timeSeconds: charge },
      {
        kind: 'first_crack' as const,
        timeSeconds: charge !== undefined && detected > 0 ? charge + detected : undefined,
      },
      { kind: 'drop' as const, timeSeconds: firstOf('cooling') },
    ].flatMap(({ kind, timeSeconds }) => (timeSeconds === undefined ? [] : [{ kind, timeSeconds }]));
    return assembleRoast(
      {
        timesSeconds,
        curves: curvesOf(heads, rows, columns),
        marks,
        facts: { machine_name: 'IKAWA' },
        temperatureUnit: 'C',
      },
      choices,
    );
  },
};
