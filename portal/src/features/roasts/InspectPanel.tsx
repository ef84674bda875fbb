import type { CurveColumns } from '@roastery/contract/roast-curves';
import { formatDuration } from '@roastery/roasting/units';
import { X } from 'lucide-react';
import { columnOf, curveStyles, deviationAt, nearestIndex } from '../../components/chart/curves.ts';
import { useCursor, type TimeViewStore } from '../../components/chart/time-view.ts';
import { Difference, Measure } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { IconButton } from '../../ui/IconButton.tsx';

interface InspectPanelProps {
  curve: CurveColumns;
  reference?: CurveColumns | undefined;
  view: TimeViewStore;
  selected: number | null;
  onClear: () => void;
}

/** All values at one time: the pinned point, else the one under the pointer, else the last. */
export const InspectPanel = ({ curve, reference, view, selected, onClear }: InspectPanelProps) => {
  const cursor = useCursor(view);
  const last = curve.time_seconds.length - 1;
  const moment = selected ?? cursor;
  const index = moment === null ? last : nearestIndex(curve.time_seconds, moment);
  const time = formatDuration(curve.time_seconds[index]);
  return (
    <section aria-label={selected === null ? t`Values at the last point` : t`Inspecting ${time}`}>
      <div className="flex h-8 items-center justify-between px-1">
        <h2 className="label-mono">
          {selected === null ? (cursor === null ? t`Last point` : t`At ${time}`) : t`Inspecting ${time}`}
        </h2>
        {selected !== null && (
          <IconButton size="xs" label={t`Clear selection`} icon={<X aria-hidden />} onClick={onClear} />
        )}
      </div>
      <dl className="flex flex-col">
        {curveStyles.map((style) => (
          <div key={style.key} className="flex h-7 items-center gap-2.5 px-2 text-sm">
            <span
              aria-hidden
              className="size-2 shrink-0 rounded-full"
              style={{ background: `var(--${style.token})` }}
            />
            <dt className="flex-1 text-content">{style.label}</dt>
            <dd>
              <Measure
                quantity={style.axis === 'rate' ? 'rate' : 'temperature'}
                value={columnOf(curve, style)?.[index]}
              />
            </dd>
          </div>
        ))}
        {reference !== undefined && (
          <div className="flex h-7 items-center gap-2.5 px-2 text-sm">
            <span aria-hidden className="size-2 shrink-0 rounded-full bg-curve-bean opacity-40" />
            <dt className="flex-1 text-content">{t`Bean vs reference`}</dt>
            <dd>
              <Difference
                valueC={deviationAt(reference, curve.time_seconds[index], curve.channels['bean_temp']?.[index])}
              />
            </dd>
          </div>
        )}
        <div className="flex h-7 items-center gap-2.5 px-2 text-sm">
          <span aria-hidden className="size-2 shrink-0 rounded-full border border-stroke-control" />
          <dt className="flex-1 text-content">{t`Roast time`}</dt>
          <dd className="figures font-medium text-strong">{time}</dd>
        </div>
      </dl>
    </section>
  );
};
