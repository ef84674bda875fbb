import { assembleRoast } from '../assemble-roast.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn } from '../table-cells.ts';
import { markNamed } from '../mark-names.ts';
import { curvesOf, hasHeads, placeOf, tableBelow, unitIn, type FixedColumn } from './table-columns.ts';

/** Without a probe in the exhaust, that in the air of the drum measures the exhaust temperature. */
const columns: readonly FixedColumn[] = [
  { head: 'Bean temp', label: 'Bean temp', unit: '°C', is: 'bean_temp' },
  { head: 'Exhaust Temp', label: 'Exhaust temp', unit: '°C', is: 'exhaust_temp' },
  { head: 'Air temp', label: 'Air temp', unit: '°C', is: 'exhaust_temp' },
  { head: 'Inlet temp', label: 'Inlet temp', unit: '°C' },
  { head: 'Drum temp', label: 'Drum temp', unit: '°C' },
  { head: 'Target', label: 'Target', unit: '°C' },
  { head: 'Power', label: 'Power', unit: '%', is: 'heat_power' },
  { head: 'Fan', label: 'Fan', unit: '%', is: 'fan_speed' },
  { head: 'RPM', label: 'Drum rpm', unit: '' },
  { head: 'Cracks', label: 'Cracks', unit: '' },
];

const itsHeads = ['Time', 'Event', 'RPM', 'Bean temp'] as const;

/** Roest: CSV of the portal, one row per second, its time in milliseconds, its events by name. */
export const roest: RoastFileFormat = {
  format: 'roest',
  recognise: (bytes) => (hasHeads(bytes, 1, ...itsHeads) ? 'certain' : 'no'),
  read: (bytes, choices) => {
    const { heads, rows: all } = tableBelow(bytes, ...itsHeads);
    const time = placeOf(heads, 'Time');
    const event = placeOf(heads, 'Event');
    const rows = all.filter((row) => numberIn(row[time]) !== null);
    const timesSeconds = rows.map((row) => (numberIn(row[time]) ?? 0) / 1000);
    const marks = rows.flatMap((row, index) => {
      const kind = markNamed(textIn(row[event]));
      return kind === undefined ? [] : [{ kind, timeSeconds: timesSeconds[index] ?? 0 }];
    });
    return assembleRoast(
      {
        timesSeconds,
        curves: curvesOf(heads, rows, columns),
        marks,
        temperatureUnit: unitIn(heads, 'Bean temp') ?? 'C',
        facts: { machine_name: 'Roest' },
      },
      choices,
    );
  },
};
