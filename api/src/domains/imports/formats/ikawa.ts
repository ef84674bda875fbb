import { assembleRoast } from '../assemble-roast.ts';
import { firstLines, tableOf } from '../file-content.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn } from '../table-cells.ts';
import { curvesOf, placeOf, spreadClock, type FixedColumn } from './table-columns.ts';

/** Both generations of the app. The probe in the exhaust is the one nearest to the beans. */
const columns: readonly FixedColumn[] = [
  { head: 'exaust temp', label: 'Exhaust', unit: '°C', is: 'bean_temp' },
  { head: 'temp above', label: 'Above', unit: '°C', is: 'bean_temp' },
  { head: 'inlet temp', label: 'Inlet', unit: '°C', is: 'exhaust_temp' },
  { head: 'temp below', label: 'Below', unit: '°C', is: 'exhaust_temp' },
  { head: 'temp set', label: 'Set point', unit: '°C' },
  { head: 'setpoint', label: 'Set point', unit: '°C' },
  { head: 'heater power (%)', label: 'Heater', unit: '%', is: 'heat_power' },
  { head: 'heater', label: 'Heater', unit: '%', is: 'heat_power' },
  { head: 'fan set (%)', label: 'Fan', unit: '%', is: 'fan_speed' },
  { head: 'fan set', label: 'Fan', unit: '%', is: 'fan_speed' },
  { head: 'fan speed (RPM)', label: 'Fan rpm', unit: '' },
  { head: 'fan speed', label: 'Fan rpm', unit: '' },
  { head: 'abs_humidity', label: 'Humidity', unit: '' },
];

/** IKAWA: the app's log with the state of the roaster in each row; its clock stands until the roast begins. */
export const ikawa: RoastFileFormat = {
  format: 'ikawa',
  recognise: (bytes) => {
    const [head = ''] = firstLines(bytes, 1);
    return head.startsWith('time,') && head.includes('state') && /\b(?:exaust temp|temp above)\b/.test(head)
      ? 'certain'
      : 'no';
  },
  read: (bytes, choices) => {
    const [heads = [], ...all] = tableOf(bytes).records.map(({ cells }) => cells.map((cell) => cell.trim()));
    const state = placeOf(heads, 'state');
    const rows = all.filter((row) => numberIn(row[0]) !== null);
    const timesSeconds = spreadClock(rows.map((row) => numberIn(row[0]) ?? 0));
    const firstOf = (name: string) => timesSeconds[rows.findIndex((row) => textIn(row[state]) === name)];
    const marks = [
      { kind: 'charge' as const, timeSeconds: firstOf('doser open') ?? firstOf('roasting') },
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
