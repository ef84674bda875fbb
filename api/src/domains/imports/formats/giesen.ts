import { assembleRoast, dropOf } from '../assemble-roast.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn } from '../table-cells.ts';
import { curvesOf, hasHeads, placeOf, tableBelow, type FixedColumn } from './table-columns.ts';

const columns: readonly FixedColumn[] = [
  { head: 'beans', label: 'Beans', unit: '°C', is: 'bean_temp' },
  { head: 'air', label: 'Air', unit: '°C', is: 'exhaust_temp' },
  { head: 'power', label: 'Power', unit: '%', is: 'heat_power' },
  { head: 'speed', label: 'Speed', unit: '%', is: 'drum_speed' },
  { head: 'pressure', label: 'Pressure', unit: '' },
];

const itsHeads = ['seconds', 'air', 'beans', 'ror', 'power'] as const;

/** Giesen Profiler: CSV from the charge on, one row per second. It has no marks and continues after the drop. */
export const giesen: RoastFileFormat = {
  format: 'giesen',
  recognise: (bytes) => (hasHeads(bytes, 1, ...itsHeads) ? 'certain' : 'no'),
  read: (bytes, choices) => {
    const { heads, rows: all } = tableBelow(bytes, ...itsHeads);
    const time = placeOf(heads, 'seconds');
    const rows = all.filter((row) => numberIn(row[time]) !== null);
    const timesSeconds = rows.map((row) => numberIn(row[time]) ?? 0);
    const curves = curvesOf(heads, rows, columns);
    const drop = dropOf(timesSeconds, curves[0]?.values ?? []);
    return assembleRoast(
      {
        timesSeconds,
        curves,
        marks: [
          { kind: 'charge', timeSeconds: timesSeconds[0] ?? 0 },
          ...(drop === undefined ? [] : [{ kind: 'drop' as const, timeSeconds: drop }]),
        ],
        facts: { machine_name: 'Giesen' },
        temperatureUnit: 'C',
        warnings: ['Giesen Profiler files mark no drop: it was detected from the curve. Check it.'],
      },
      choices,
    );
  },
};
