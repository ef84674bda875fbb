import { formatDuration } from '@roastery/roasting/units';
import { DifferenceBetween, Measure } from '../../components/figures.tsx';
import { useCursor, type TimeViewStore } from '../../components/chart/time-view.ts';
import { lastCommonSeconds, valueAtMoment, type AlignedRoast, type Alignment } from './compare-lines.ts';
import { LineSample } from './ComparedLegend.tsx';
import type { LineStyle } from './compare-lines.ts';
import { t } from '../../language/t.ts';

export interface PlacedRoast {
  readonly id: string;
  readonly style: LineStyle;
  readonly aligned: AlignedRoast;
}

interface AtMomentProps {
  placed: readonly PlacedRoast[];
  view: TimeViewStore;
  selected: number | null;
  alignment: Alignment;
}

/**
 * The figures of every roast at one time: under the pointer, else pinned, else the last time at which every roast has
 * some.
 */
export const AtMoment = ({ placed, view, selected, alignment }: AtMomentProps) => {
  const cursor = useCursor(view);
  const base = placed[0];
  if (base === undefined) return null;
  const seconds = cursor ?? selected ?? lastCommonSeconds(placed.map(({ aligned }) => aligned));
  return (
    <section aria-label={t`Values at one time`} className="rounded-lg border border-stroke bg-surface">
      <h2 className="border-b border-stroke px-4 py-2 text-base font-semibold text-strong">
        <span className="figures">{formatDuration(seconds)}</span>{' '}
        <span className="text-sm font-normal text-muted">
          {alignment === 'charge' ? t`after charge` : seconds < 0 ? t`before first crack` : t`after first crack`}
        </span>
      </h2>
      <table className="w-full text-sm">
        <thead>
          <tr className="label-mono text-left">
            <th className="py-1 pl-4 font-normal">{t`Roast`}</th>
            <th className="py-1 text-right font-normal">{t`Bean`}</th>
            <th className="py-1 text-right font-normal">{t`vs ${base.style.tag}`}</th>
            <th className="py-1 pr-4 text-right font-normal">{t`RoR`}</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-stroke">
          {placed.map(({ id, style, aligned }) => {
            // After the drop the probe reads an empty drum.
            const valueOf = (one: AlignedRoast, quantity: 'bean_temp' | 'ror') =>
              seconds > one.endSeconds ? null : valueAtMoment(one, quantity, seconds);
            const bean = valueOf(aligned, 'bean_temp');
            const there = valueOf(base.aligned, 'bean_temp');
            return (
              <tr key={id}>
                <td className="py-1 pl-4">
                  <LineSample style={style} />
                </td>
                <td className="py-1 text-right">
                  {seconds > aligned.endSeconds ? (
                    <span className="figures whitespace-nowrap text-muted">{t`ended ${formatDuration(aligned.endSeconds)}`}</span>
                  ) : (
                    <Measure quantity="temperature" value={bean} />
                  )}
                </td>
                <td className="py-1 text-right">
                  {id === base.id ? null : <DifferenceBetween quantity="temperature" value={bean} from={there} />}
                </td>
                <td className="py-1 pr-4 text-right">
                  <Measure quantity="rate" value={valueOf(aligned, 'ror')} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
};
