import type { DiscardedRoast, Timeline, TimelineRoast } from '@roastery/contract/timeline';
import { ChartGantt, CircleDashed, Undo2 } from 'lucide-react';
import { EmptyState } from '../../components/EmptyState.tsx';
import { useAction } from '../../components/use-action.ts';
import { restore, restoreFailed } from '../../components/roast-changes.ts';
import { formatCount } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { roastName } from '../../components/live/roast-texts.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import { gapText, lengthText, statusText } from './timeline-texts.ts';

const tones = { in_progress: 'warning', completed: 'success', aborted: 'danger' } as const;

interface RoastRowsProps {
  timeline: Timeline;
  selectedId: string | undefined;
  onSelect: (id: string) => void;
}

/** Every roast of the span, newest first. */
export const RoastRows = ({ timeline, selectedId, onSelect }: RoastRowsProps) => (
  <Panel title={t`Roasts in this range (${formatCount(timeline.roasts_total)})`} className="min-w-0 overflow-hidden">
    {timeline.roasts.length === 0 ? (
      <EmptyState icon={<ChartGantt aria-hidden />} title={t`No roasts here`}>
        {t`Select a range in the chart to create one.`}
      </EmptyState>
    ) : (
      <ul className="max-h-96 divide-y divide-stroke overflow-y-auto">
        {timeline.roasts.toReversed().map((roast) => (
          <li key={roast.id}>
            <Row roast={roast} isSelected={roast.id === selectedId} onSelect={onSelect} />
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

interface DiscardedRowsProps {
  roasts: readonly DiscardedRoast[];
  mayChange: boolean;
  onRestored: (id: string) => void;
}

/** Roasts that were discarded as false starts, each with a way back; nothing without one. */
export const DiscardedRows = ({ roasts, mayChange, onRestored }: DiscardedRowsProps) => {
  const dates = useDates();
  const { run, running, isBusy } = useAction();
  if (roasts.length === 0) return null;
  return (
    <Panel title={t`Discarded in this range (${formatCount(roasts.length)})`} className="min-w-0 overflow-hidden">
      <ul className="max-h-96 divide-y divide-stroke overflow-y-auto">
        {roasts.map((roast) => (
          <li key={roast.id} className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-sm">
            <span className="min-w-0 flex-1 truncate text-content">{roastName(roast)}</span>
            <span className="figures text-muted">{dates.dayAndTime(roast.from)}</span>
            {mayChange && (
              <Button
                aria-label={t`Restore ${roast.said_number}`}
                icon={<Undo2 aria-hidden />}
                busy={running === roast.id}
                disabled={isBusy}
                onClick={() => void run(() => restore(roast, onRestored), restoreFailed, roast.id)}
              >
                {t`Restore`}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
};

interface RowProps {
  roast: TimelineRoast;
  isSelected: boolean;
  onSelect: (id: string) => void;
}

const Row = ({ roast, isSelected, onSelect }: RowProps) => {
  const dates = useDates();
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => onSelect(roast.id)}
      className={classes(
        'flex min-h-11 w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-left text-sm hover:bg-hover',
        isSelected && 'bg-selected',
      )}
    >
      <span className="min-w-0 flex-1 truncate text-strong">{roastName(roast)}</span>
      <span className="figures text-muted max-sm:order-last max-sm:w-full">
        {dates.dayAndTime(roast.from)}
        {roast.to !== null && ` · ${lengthText(Date.parse(roast.to) - Date.parse(roast.from))}`}
      </span>
      <Badge tone={tones[roast.status]}>{statusText[roast.status]}</Badge>
    </button>
  );
};

/** Every gap of the span with its reason. */
export const GapRows = ({ timeline }: { timeline: Timeline }) => {
  const dates = useDates();
  if (timeline.gaps.length === 0) return null;
  return (
    <Panel title={t`Gaps (${timeline.gaps.length})`} className="min-w-0 overflow-hidden">
      <ul className="max-h-96 divide-y divide-stroke overflow-y-auto text-sm">
        {timeline.gaps.toReversed().map((gap) => (
          <li key={`${gap.from}${gap.reason}`} className="flex items-start gap-2.5 px-4 py-2.5 text-content">
            <CircleDashed aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
            <span className="figures min-w-0">{gapText(gap, dates)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
