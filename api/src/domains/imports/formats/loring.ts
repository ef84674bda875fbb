import { assembleRoast } from '../assemble-roast.ts';
import { type FileMoment, momentIn } from '../moments.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn } from '../table-cells.ts';
import { curvesOf, hasHeads, placeOf, switchedAt, tableBelow, type FixedColumn } from './table-columns.ts';

const columns: readonly FixedColumn[] = [
  { head: 'BeanTemperature', label: 'Bean temp', unit: '°C', is: 'bean_temp', divisor: 10 },
  { head: 'ReturnAirTemperature', label: 'Return air', unit: '°C', is: 'exhaust_temp', divisor: 10 },
  { head: 'InletAirTemperature', label: 'Inlet air', unit: '°C', divisor: 10 },
  { head: 'StackTemperature', label: 'Stack', unit: '°C', divisor: 10 },
  { head: 'BurnerPercentage', label: 'Burner', unit: '%', is: 'heat_power', divisor: 100 },
  { head: 'CurveTemperatureBaselineOrProfile', label: 'Profile', unit: '°C', divisor: 10 },
];

/** A clock that is set differs by more from the count of the roast, s. */
const maxApart = 20;

/**
 * The clock is exact to the second, the count of the roast is not. Where they advance differently the clock was set, and the
 * count is used; it stands still, and begins again, outside of a roast. NaN for a row with neither.
 */
const secondsOf = (clock: readonly (FileMoment | null)[], counted: readonly (number | null)[]): number[] => {
  let at = 0;
  let before: { readonly moment: FileMoment | null; readonly count: number | null } | undefined;
  return clock.map((moment, index) => {
    const count = counted[index] ?? null;
    const [last, lastCount] = [before?.moment ?? null, before?.count ?? null];
    const byClock = moment !== null && last !== null ? (moment.ms - last.ms) / 1000 : undefined;
    const byCount = count !== null && lastCount !== null && count > lastCount ? count - lastCount : undefined;
    const isSet = byClock !== undefined && byCount !== undefined && Math.abs(byClock - byCount) > maxApart;
    const step = isSet ? byCount : (byClock ?? byCount);
    if (before !== undefined && step === undefined) return Number.NaN;
    at += step ?? 0;
    before = { moment, count };
    return at;
  });
};

const itsHeads = ['RoastingOnOff', 'BeanTemperature'] as const;

/** Loring: the roaster's log, one row every six seconds, tenths of a degree, events as rising signals. */
export const loring: RoastFileFormat = {
  format: 'loring',
  recognise: (bytes) => (hasHeads(bytes, 1, ...itsHeads) ? 'certain' : 'no'),
  read: (bytes, choices) => {
    const { heads, rows: all } = tableBelow(bytes, ...itsHeads);
    const [time, counted] = [placeOf(heads, 'Time'), placeOf(heads, 'RoastTimeSeconds')];
    const roasting = placeOf(heads, 'RoastingOnOff');
    const rows = all.filter((row) => numberIn(row[roasting]) !== null);
    const clock = rows.map((row) => momentIn(textIn(row[time]), 'mdy'));
    const timesSeconds = secondsOf(
      clock,
      rows.map((row) => numberIn(row[counted])),
    );
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
        recordedAt: clock[0] ?? null,
        temperatureUnit: celsius === 0 ? 'F' : 'C',
      },
      choices,
    );
  },
};
