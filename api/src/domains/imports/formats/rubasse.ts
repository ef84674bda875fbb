import type { MarkKind } from '@roastery/roasting/marks';
import { assembleRoast } from '../assemble-roast.ts';
import { firstRows, tableOf } from '../file-content.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn } from '../table-cells.ts';
import { curvesOf, type FixedColumn } from './table-columns.ts';

/** The file has no heads: a line of settings, then these columns, then those of the background. */
const heads = ['time', 'BT', 'Fan', 'Heater', 'RoR', 'Drum', 'Humidity', 'ET', 'Pressure', 'DT'] as const;
const columns: readonly FixedColumn[] = [
  { head: 'BT', label: 'BT', unit: '°C', is: 'bean_temp' },
  { head: 'ET', label: 'ET', unit: '°C', is: 'exhaust_temp' },
  { head: 'Heater', label: 'Heater', unit: '%', is: 'heat_power' },
  { head: 'Fan', label: 'Fan', unit: '%', is: 'fan_speed' },
  { head: 'Drum', label: 'Drum', unit: '', is: 'drum_speed' },
  { head: 'Humidity', label: 'Moisture', unit: '' },
  { head: 'Pressure', label: 'Pressure', unit: '' },
  { head: 'DT', label: 'DT', unit: '' },
];

/** Indices in the line of settings: seconds since charge, 0 for a mark that was not set. */
const markPlaces: readonly (readonly [MarkKind, number])[] = [
  ['turning_point', 17],
  ['first_crack', 19],
  ['second_crack', 21],
  ['drop', 23],
];

const settingsLength = 20;

/** Rubasse: only numbers. The first line holds settings and marks, each further one a second of the roast. */
export const rubasse: RoastFileFormat = {
  format: 'rubasse',
  recognise: (bytes) => {
    const [settings = [], first = [], second = []] = firstRows(bytes)
      .slice(0, 3)
      .map((row) => row.slice(0, row.findLastIndex((cell) => cell !== '') + 1));
    const areNumbers = [...settings, ...first, ...second].every((cell) => cell === '' || numberIn(cell) !== null);
    return areNumbers && settings.length >= settingsLength && first.length >= 9 && first.length < settings.length
      ? 'certain'
      : 'no';
  },
  read: (bytes, choices) => {
    const [settings = [], ...all] = tableOf(bytes).records.map(({ cells }) => cells);
    const rows = all.filter((row) => numberIn(row[0]) !== null);
    const timesSeconds = rows.map((row) => numberIn(row[0]) ?? 0);
    const last = timesSeconds.at(-1) ?? 0;
    const marks = markPlaces.flatMap(([kind, place]) => {
      const seconds = numberIn(settings[place]) ?? 0;
      return seconds > 0 && seconds <= last + 5 ? [{ kind, timeSeconds: Math.min(seconds, last) }] : [];
    });
    const hasDrop = marks.some(({ kind }) => kind === 'drop');
    return assembleRoast(
      {
        timesSeconds,
        curves: curvesOf(heads, rows, columns),
        marks: [
          { kind: 'charge', timeSeconds: 0 },
          ...marks,
          ...(hasDrop ? [] : [{ kind: 'drop' as const, timeSeconds: last }]),
        ],
        facts: { machine_name: 'Rubasse' },
        temperatureUnit: 'C',
      },
      choices,
    );
  },
};
