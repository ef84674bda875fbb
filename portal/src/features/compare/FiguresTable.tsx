import type { Roast } from '@roastery/contract/roasts';
import { markOf } from '@roastery/roasting/marks';
import { formatDuration } from '@roastery/roasting/units';
import type { ReactNode } from 'react';
import { Difference, DifferenceBetween, Measure } from '../../components/figures.tsx';
import { distanceBetween, type AlignedRoast } from './compare-lines.ts';
import { LineSample } from './ComparedLegend.tsx';
import type { LineStyle } from './compare-lines.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';

export interface FiguresOf {
  readonly id: string;
  readonly style: LineStyle;
  readonly roast: Roast;
  /** Absent where it can't be aligned with the reference. */
  readonly aligned: AlignedRoast | undefined;
}

type Kind = 'temperature' | 'time' | 'weight' | 'share';
interface Figure {
  readonly label: string;
  readonly kind: Kind;
  readonly of: (roast: Roast) => number | null;
}

const markTime = (kind: 'turning_point' | 'dry_end') => (roast: Roast) =>
  markOf(roast.marks, kind)?.time_seconds ?? null;
const markTemp = (kind: 'turning_point' | 'dry_end') => (roast: Roast) => markOf(roast.marks, kind)?.temp ?? null;
const weightLoss = ({ batch_size_kg: green, end_weight_kg: roasted }: Roast): number | null =>
  green === null || roasted === null ? null : (green - roasted) / green;

const figures: readonly Figure[] = [
  { label: t`Charge temp`, kind: 'temperature', of: (roast) => roast.charge_temp },
  { label: t`Turning point`, kind: 'time', of: markTime('turning_point') },
  { label: t`Turning point temp`, kind: 'temperature', of: markTemp('turning_point') },
  { label: t`Dry end`, kind: 'time', of: markTime('dry_end') },
  { label: t`First crack`, kind: 'time', of: (roast) => roast.first_crack_time },
  { label: t`First crack temp`, kind: 'temperature', of: (roast) => roast.first_crack_temp },
  { label: t`Development`, kind: 'time', of: (roast) => roast.development_time_seconds },
  { label: t`Development ratio`, kind: 'share', of: (roast) => roast.development_time_ratio },
  { label: t`Drop temp`, kind: 'temperature', of: (roast) => roast.drop_temp },
  { label: t`Duration`, kind: 'time', of: (roast) => roast.duration_seconds },
  { label: t`Batch`, kind: 'weight', of: (roast) => roast.batch_size_kg },
  { label: t`Weight loss`, kind: 'share', of: weightLoss },
];

const Value = ({ kind, value, withUnit }: { kind: Kind; value: number | null; withUnit: boolean }) =>
  kind === 'time' ? (
    <span className={`figures ${value === null ? 'text-muted' : 'text-strong'}`}>{formatDuration(value)}</span>
  ) : (
    <Measure quantity={kind} value={value} withUnit={withUnit} />
  );

/** The difference from the reference, of the figures as they are shown. */
const Change = ({ kind, value, from, withUnit }: { kind: Kind; value: number; from: number; withUnit: boolean }) => {
  if (kind !== 'time') return <DifferenceBetween quantity={kind} {...{ value, from, withUnit }} />;
  const seconds = Math.round(value) - Math.round(from);
  const sign = seconds === 0 ? '±' : seconds > 0 ? '+' : '−';
  return <span className="figures whitespace-nowrap">{`${sign}${formatDuration(Math.abs(seconds))}`}</span>;
};

/** The figures of each roast, with the difference from the reference. */
export const FiguresTable = ({ compared }: { compared: readonly FiguresOf[] }) => {
  const base = compared[0];
  if (base === undefined) return null;
  // Four and more have room for one line each where the unit stands once, beside the reference.
  const isWide = compared.length > 3;
  const row = (label: string, cell: (one: FiguresOf) => ReactNode) => (
    <tr key={label}>
      <th
        scope="row"
        className="sticky left-0 bg-surface py-1 pr-3 pl-4 text-left font-normal whitespace-nowrap text-muted"
      >
        {label}
      </th>
      {compared.map((one) => (
        <td
          key={one.id}
          className={classes('py-1 text-right align-top whitespace-nowrap', isWide ? 'pr-3 pl-1' : 'px-3')}
        >
          {cell(one)}
        </td>
      ))}
    </tr>
  );
  return (
    <section aria-label={t`Figures`} className="min-w-0 rounded-lg border border-stroke bg-surface">
      <h2 className="border-b border-stroke px-4 py-2 text-base font-semibold text-strong">{t`Figures`}</h2>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- five columns scroll by keyboard on a phone */}
      <section className="overflow-x-auto" tabIndex={0} aria-label={t`Table of figures`}>
        <table className="w-full text-sm">
          <thead>
            <tr>
              <th className="sticky left-0 bg-surface py-1 pl-4 text-left">
                <span className="sr-only">{t`Figure`}</span>
              </th>
              {compared.map(({ id, style }) => (
                <th key={id} scope="col" className="px-3 py-1 text-right font-normal">
                  <LineSample style={style} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-stroke">
            {figures.map(({ label, kind, of }) =>
              row(label, (one) => {
                const value = of(one.roast);
                const there = of(base.roast);
                return (
                  <>
                    <Value kind={kind} value={value} withUnit={!isWide || one.id === base.id} />
                    {one.id !== base.id && value !== null && there !== null && (
                      <span className={classes('text-xs text-muted', isWide ? 'ml-1.5' : 'ml-2 max-sm:block')}>
                        <Change kind={kind} value={value} from={there} withUnit={!isWide} />
                      </span>
                    )}
                  </>
                );
              }),
            )}
            {compared.length > 1 &&
              row(t`Average deviation`, (one) =>
                one.id === base.id || base.aligned === undefined || one.aligned === undefined ? (
                  <span className="text-muted">{one.id === base.id ? t`Reference` : '--'}</span>
                ) : (
                  <Apart base={base.aligned} other={one.aligned} isWide={isWide} />
                ),
              )}
          </tbody>
        </table>
      </section>
    </section>
  );
};

/** Average deviation of two bean curves, and the largest with its time. */
const Apart = ({ base, other, isWide }: { base: AlignedRoast; other: AlignedRoast; isWide: boolean }) => {
  const distance = distanceBetween(base, other);
  if (distance === null) return <span className="text-muted">--</span>;
  return (
    <>
      <Difference valueC={distance.rmsC} signed={false} />
      <span className={classes('block text-xs text-muted', isWide && 'whitespace-normal')}>
        {t`${<Difference valueC={distance.maxC} signed={false} />} at most, at ${formatDuration(distance.maxAtSeconds)}`}
      </span>
    </>
  );
};
