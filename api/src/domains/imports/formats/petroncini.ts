import { assembleRoast, dropOf } from '../assemble-roast.ts';
import { refusedFile } from '../imported-roast.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn } from '../table-cells.ts';
import { curvesOf, hasHeads, placeOf, spreadClock, tableBelow, type FixedColumn } from './table-columns.ts';

const columns: readonly FixedColumn[] = [
  { head: 'Beans Temperature', label: 'Beans', unit: '°C', is: 'bean_temp' },
  { head: 'Outlet Temperature', label: 'Outlet', unit: '°C', is: 'exhaust_temp' },
  { head: 'Inlet Temperature', label: 'Inlet', unit: '°C' },
  { head: 'Burner Percentage', label: 'Burner', unit: '%', is: 'heat_power' },
];
const dateHeads = ['Year', 'Month', 'Day', 'Hour', 'Minute', 'Second'] as const;

/** Petroncini: the panel's export from charge to drop, one row per second with its date in six columns. */
export const petroncini: RoastFileFormat = {
  format: 'petroncini',
  recognise: (bytes) => (hasHeads(bytes, 6, ...dateHeads, 'Beans Temperature') ? 'certain' : 'no'),
  read: (bytes, choices) => {
    const { heads, rows: all } = tableBelow(bytes, ...dateHeads, 'Beans Temperature');
    const places = dateHeads.map((name) => placeOf(heads, name));
    const momentOf = (row: readonly string[]): number => {
      const [year = NaN, month = NaN, ...rest] = places.map((place) => numberIn(row[place]) ?? NaN);
      const [day = NaN, hour = NaN, minute = NaN, second = NaN] = rest;
      return Date.UTC(year, month - 1, day, hour, minute, second);
    };
    const rows = all.filter((row) => Number.isFinite(momentOf(row)));
    const [first] = rows;
    if (first === undefined) throw refusedFile('The file has no samples, so it contains no roast.');
    const recordedAtMs = momentOf(first);
    const timesSeconds = spreadClock(rows.map((row) => (momentOf(row) - recordedAtMs) / 1000));
    const curves = curvesOf(heads, rows, columns);
    return assembleRoast(
      {
        timesSeconds,
        curves,
        marks: [
          { kind: 'charge', timeSeconds: 0 },
          { kind: 'drop', timeSeconds: dropOf(timesSeconds, curves[0]?.values ?? []) ?? 0 },
        ],
        facts: { machine_name: 'Petroncini' },
        recordedAt: { ms: recordedAtMs, isLocal: true },
        temperatureUnit: 'C',
      },
      choices,
    );
  },
};
