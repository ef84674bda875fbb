import { assembleRoast } from '../assemble-roast.ts';
import { momentIn } from '../moments.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn } from '../table-cells.ts';
import type { TableRow } from '../table-layout.ts';
import { curvesOf, hasHeads, placeOf, switchedAt, tableBelow, type FixedColumn } from './table-columns.ts';

const columns: readonly FixedColumn[] = [
  { head: 'BeanTemperature', label: 'Bean temp', unit: '°C', is: 'bean_temp', divisor: 10 },
  { head: 'ReturnAirTemperature', label: 'Return air', unit: '°C', is: 'exhaust_temp', divisor: 10 },
  { head: 'InletAirTemperature', label: 'Inlet air', unit: '°C', divisor: 10 },
  { head: 'StackTemperature', label: 'Stack', unit: '°C', divisor: 10 },
  { head: 'BurnerPercentage', label: 'Burner', unit: '%', is: 'heat_power', divisor: 100 },
  { head: 'CurveTemperatureBaselineOrProfile', label: 'Profile', unit: '°C', divisor: 10 },
];

const itsHeads = ['RoastingOnOff', 'BeanTemperature'] as const;

/** Loring: the roaster's log, one row every six seconds, tenths of a degree, events as rising signals. */
export const loring: RoastFileFormat = {
  format: 'loring',
  recognise: (bytes) => (hasHeads(bytes, 1, ...itsHeads) ? 'certain' : 'no'),
  read: (bytes, choices) => {
    const { heads, rows: all } = tableBelow(bytes, ...itsHeads);
    const [time, counted] = [placeOf(heads, 'Time'), placeOf(heads, 'RoastTimeSeconds')];
    const roasting = placeOf(heads, 'RoastingOnOff');
    const logged = all.filter((row) => numberIn(row[roasting]) !== null);
    // Its count of seconds is less exact than its clock, and is used if the clock can't be read.
    const first = momentIn(textIn(logged[0]?.[time]), 'mdy');
    const secondsOf = (row: TableRow): number | null => {
      if (first === null) return numberIn(row[counted]);
      const at = momentIn(textIn(row[time]), 'mdy');
      return at === null ? null : (at.ms - first.ms) / 1000;
    };
    const rows = logged.filter((row) => secondsOf(row) !== null);
    const timesSeconds = rows.map((row) => secondsOf(row) ?? 0);
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
        recordedAt: first,
        temperatureUnit: celsius === 0 ? 'F' : 'C',
      },
      choices,
    );
  },
};
