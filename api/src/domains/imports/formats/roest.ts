import { assembleRoast } from '../assemble-roast.ts';
import { firstLines, tableOf } from '../file-content.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn } from '../table-cells.ts';
import { markNamed } from '../table-layout.ts';
import { curvesOf, placeOf, type FixedColumn } from './table-columns.ts';

const columns: readonly FixedColumn[] = [
  { head: 'Bean temp (°C)', label: 'Bean temp', unit: '°C', is: 'bean_temp' },
  { head: 'Exhaust Temp (°C)', label: 'Exhaust temp', unit: '°C', is: 'exhaust_temp' },
  { head: 'Air temp (°C)', label: 'Air temp', unit: '°C' },
  { head: 'Inlet temp (°C)', label: 'Inlet temp', unit: '°C' },
  { head: 'Drum temp (°C)', label: 'Drum temp', unit: '°C' },
  { head: 'Target (°C)', label: 'Target', unit: '°C' },
  { head: 'Power (%)', label: 'Power', unit: '%', is: 'heat_power' },
  { head: 'Fan (%)', label: 'Fan', unit: '%', is: 'fan_speed' },
  { head: 'RPM (RPM)', label: 'Drum rpm', unit: '' },
  { head: 'Cracks ()', label: 'Cracks', unit: '' },
];

/** Roest: CSV of the portal, a row a second, its time in milliseconds, its events by name. */
export const roest: RoastFileFormat = {
  format: 'roest',
  recognise: (bytes) => {
    const [head = ''] = firstLines(bytes, 1);
    return head.startsWith('Time,Event,') && head.includes('RPM (RPM)') && head.includes('Bean temp (')
      ? 'certain'
      : 'no';
  },
  read: (bytes, choices) => {
    const [heads = [], ...all] = tableOf(bytes).records.map(({ cells }) => cells);
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
        temperatureUnit: 'C',
        facts: { machine_name: 'Roest' },
      },
      choices,
    );
  },
};
