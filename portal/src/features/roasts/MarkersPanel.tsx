import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { RoastMark } from '@roastery/contract/roasts';
import { valueAt } from '@roastery/roasting/curves/series';
import { formatDuration } from '@roastery/roasting/units';
import { Pencil } from 'lucide-react';
import { memo } from 'react';
import { markLabels } from '../../components/chart/mark-layout.ts';
import { Measure } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';

interface MarkersPanelProps {
  marks: readonly RoastMark[];
  curve: CurveColumns | undefined;
  onPick: (seconds: number) => void;
  /** Absent where there is no curve to put a mark on. */
  onCorrect?: (() => void) | undefined;
}

type Tone = 'success' | 'crack' | 'off';
/** Yellow on a light card needs an edge to be seen. */
const dots: Record<Tone, string> = {
  success: 'bg-success',
  crack: 'bg-crack ring-1 ring-warning',
  off: 'bg-stroke-strong',
};

/** Origin and confidence of a mark, for the tooltip. */
const originText = (mark: RoastMark): string => {
  const name = markLabels[mark.kind].long;
  if (mark.origin === 'person') return t`${name} set by hand`;
  if (mark.origin === 'machine') {
    return mark.provisional ? t`${name} from the machine, provisional` : t`${name} from the machine`;
  }
  const share = Math.round(mark.confidence * 100);
  return mark.provisional ? t`${name} estimated (${share} %), provisional` : t`${name} estimated (${share} %)`;
};

/** A detected mark with this confidence needs no note. */
const sureEnough = 0.9;

/** A note on an uncertain mark; null for a certain one. Marks by people and machines are certain. */
const doubtText = (mark: RoastMark | undefined): string | null => {
  if (mark?.origin !== 'detector' || (!mark.provisional && mark.confidence >= sureEnough)) return null;
  return mark.provisional
    ? t`provisional · estimated (${Math.round(mark.confidence * 100)} %)`
    : t`estimated (${Math.round(mark.confidence * 100)} %)`;
};

/** MARKERS: Charge, First Crack and Drop always, the others where they are known. */
export const MarkersPanel = memo(({ marks, curve, onPick, onCorrect }: MarkersPanelProps) => {
  const of = (kind: RoastMark['kind']) => marks.find((mark) => mark.kind === kind);
  const times = curve?.time_seconds ?? [];
  const bean = curve?.channels['bean_temp'] ?? [];
  // The recording starts at the charge; a live curve starts earlier, so there the mark's own temperature counts.
  const firstBean = (times[0] ?? -1) < 0 ? undefined : bean[0];
  const drop = of('drop');
  const crack = of('first_crack');
  const others = marks.filter((mark) => !['charge', 'first_crack', 'drop'].includes(mark.kind));
  const beanAt = (seconds: number) => valueAt(times, bean, seconds);
  return (
    <section aria-labelledby="markers-title">
      <div className="flex min-h-8 items-center justify-between px-1 pb-1">
        <h2 id="markers-title" className="label-mono">
          {t`Markers`}
        </h2>
        {onCorrect !== undefined && (
          <IconButton label={t`Correct markers`} icon={<Pencil aria-hidden />} onClick={onCorrect} />
        )}
      </div>
      <ul className="flex flex-col gap-0.5">
        <Marker
          label={t`Charge`}
          tone="success"
          seconds={0}
          temp={firstBean ?? of('charge')?.temp ?? null}
          mark={of('charge')}
          onPick={onPick}
        />
        {others
          .filter((mark) => mark.kind === 'turning_point' || mark.kind === 'dry_end')
          .map((mark) => (
            <Marker
              key={mark.kind}
              label={markLabels[mark.kind].long}
              tone="success"
              seconds={mark.time_seconds}
              temp={mark.temp ?? beanAt(mark.time_seconds)}
              mark={mark}
              onPick={onPick}
            />
          ))}
        <Marker
          label={t`First Crack`}
          tone={crack ? 'crack' : 'off'}
          seconds={crack?.time_seconds ?? null}
          temp={crack?.temp ?? null}
          mark={crack}
          onPick={onPick}
        />
        {others
          .filter((mark) => mark.kind !== 'turning_point' && mark.kind !== 'dry_end' && mark.kind !== 'cool_end')
          .map((mark) => (
            <Marker
              key={mark.kind}
              label={markLabels[mark.kind].long}
              tone="crack"
              seconds={mark.time_seconds}
              temp={mark.temp}
              mark={mark}
              onPick={onPick}
            />
          ))}
        <Marker
          label={t`Drop`}
          tone={drop ? 'success' : 'off'}
          seconds={drop?.time_seconds ?? null}
          temp={drop ? (drop.temp ?? beanAt(drop.time_seconds)) : null}
          mark={drop}
          onPick={onPick}
        />
      </ul>
    </section>
  );
});

interface MarkerProps {
  label: string;
  tone: Tone;
  seconds: number | null;
  temp: number | null;
  mark: RoastMark | undefined;
  onPick: (seconds: number) => void;
}

const Marker = ({ label, tone, seconds, temp, mark, onPick }: MarkerProps) => {
  const doubt = doubtText(mark);
  return (
    <li>
      <button
        type="button"
        disabled={seconds === null}
        title={mark ? originText(mark) : undefined}
        onClick={() => seconds !== null && onPick(seconds)}
        className={classes(
          'flex min-h-8 w-full items-center gap-2.5 rounded-md px-2 py-1 text-left text-sm pointer-coarse:min-h-10',
          seconds === null ? 'cursor-default text-faint' : 'text-content hover:bg-hover',
        )}
      >
        <span
          aria-hidden
          className={classes('size-2 shrink-0 rounded-full', dots[tone], mark?.provisional && 'opacity-50')}
        />
        <span className="min-w-0 flex-1">
          <span className="block truncate">{label}</span>
          {doubt !== null && <span className="figures block truncate text-xs text-muted">{doubt}</span>}
        </span>
        <span className="figures text-muted">{seconds === null ? '--' : formatDuration(seconds)}</span>
        <Measure quantity="temperature" value={temp} className="w-16 text-right" />
      </button>
    </li>
  );
};
