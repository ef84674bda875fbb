import { assembleRoast } from '../assemble-roast.ts';
import { firstLines, tableOf } from '../file-content.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn } from '../table-cells.ts';
import { curvesOf, placeOf, switchedAt, type FixedColumn } from './table-columns.ts';

const columns: readonly FixedColumn[] = [
  { head: 'BeanTemperature', label: 'Bean temp', unit: '°C', is: 'bean_temp', divisor: 10 },
  { head: 'ReturnAirTemperature', label: 'Return air', unit: '°C', is: 'exhaust_temp', divisor: 10 },
  { head: 'InletAirTemperature', label: 'Inlet air', unit: '°C', divisor: 10 },
  { head: 'StackTemperature', label: 'Stack', unit: '°C', divisor: 10 },
  { head: 'BurnerPercentage', label: 'Burner', unit: '%', is: 'heat_power', divisor: 100 },
  { head: 'CurveTemperatureBaselineOrProfile', label: 'Profile', unit: '°C', divisor: 10 },
];

/** `6/14/2022 1:10:29 PM` as ms since 1970. The file names no zone: taken for UTC, and shown so that it can be set right. */
const momentOf = (text: string): number | null => {
  const found = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d{2}):(\d{2})(?: ([AP])M)?$/i.exec(text);
  if (found === null) return null;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  const half = found[7]?.toUpperCase();
  const hours = half === undefined ? hour : (hour % 12) + (half === 'P' ? 12 : 0);
  return Date.UTC(year, month - 1, day, hours, minute, second);
};

/** Loring: the roaster's log, a row in six seconds, tenths of a degree, events as signals that rise. */
export const loring: RoastFileFormat = {
  format: 'loring',
  recognise: (bytes) => {
    const [head = ''] = firstLines(bytes, 1);
    return head.includes('RoastingOnOff') && head.includes('BeanTemperature') ? 'certain' : 'no';
  },
  read: (bytes, choices) => {
    const [heads = [], ...all] = tableOf(bytes).records.map(({ cells }) => cells);
    const time = placeOf(heads, 'Time');
    const roasting = placeOf(heads, 'RoastingOnOff');
    const rows = all.filter((row) => momentOf(textIn(row[time])) !== null && numberIn(row[roasting]) !== null);
    const recordedAtMs = momentOf(textIn(rows[0]?.[time]));
    const timesSeconds = rows.map((row) => ((momentOf(textIn(row[time])) ?? 0) - (recordedAtMs ?? 0)) / 1000);
    const signal = (head: string) => {
      const place = placeOf(heads, head);
      return switchedAt(
        timesSeconds,
        rows.map((row) => numberIn(row[place])),
      );
    };
    const roast = signal('RoastingOnOff');
    const marks = [
      { kind: 'charge' as const, timeSeconds: roast.on },
      { kind: 'dry_end' as const, timeSeconds: signal('ColorChangeOnOff').on },
      { kind: 'first_crack' as const, timeSeconds: signal('FirstCrackOnOff').on },
      { kind: 'second_crack' as const, timeSeconds: signal('SecondCrackOnOff').on },
      { kind: 'drop' as const, timeSeconds: roast.off ?? timesSeconds.at(-1) },
    ].flatMap(({ kind, timeSeconds }) => (timeSeconds === undefined ? [] : [{ kind, timeSeconds }]));
    const celsius = numberIn(rows[0]?.[placeOf(heads, 'DegreesCelciusOnOff')]);
    return assembleRoast(
      {
        timesSeconds,
        curves: curvesOf(heads, rows, columns),
        marks,
        facts: { machine_name: 'Loring' },
        recordedAtMs,
        temperatureUnit: celsius === 0 ? 'F' : 'C',
      },
      choices,
    );
  },
};
