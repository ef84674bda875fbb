import type { RoastMark } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { Check } from 'lucide-react';
import { useMemo, type MouseEvent } from 'react';
import { markLabels } from '../../components/chart/mark-layout.ts';
import { usePageActions, type PageAction } from '../../components/page-actions.tsx';
import { t } from '../../language/t.ts';
import { Kbd } from '../../ui/Badge.tsx';
import { classes } from '../../ui/classes.ts';
import { handMarks, nextHandMark, type HandMark } from './hand-marks.ts';
import type { Marking } from './use-marking.ts';

interface MarkButtonsProps {
  marking: Marking;
  marks: readonly RoastMark[];
  isRunning: boolean;
  /** The machine sends readings, so a charge can begin a roast. */
  canCharge: boolean;
}

const originLabels = { machine: t`machine`, detector: t`detected`, person: t`by hand` };

const actionsOf = (press: Marking['press'], next: HandMark | null): PageAction[] => [
  ...handMarks.map((kind, index) => ({
    id: `mark-${kind}`,
    label: t`Mark ${markLabels[kind].long}`,
    key: String(index + 1),
    run: () => press(kind),
  })),
  ...(next === null ? [] : [{ id: 'mark', label: t`Mark the next event`, key: ' ', run: () => press(next) }]),
];

/**
 * Six buttons at fixed places with fixed names, large enough for gloves. The second line shows when a mark was set and
 * by whom.
 */
export const MarkButtons = ({ marking, marks, isRunning, canCharge }: MarkButtonsProps) => {
  const { press, busy } = marking;
  const next = isRunning ? nextHandMark(marks) : 'charge';
  usePageActions(useMemo(() => actionsOf(press, next), [press, next]));
  return (
    <fieldset
      aria-label={t`Markers`}
      className="grid shrink-0 grid-cols-3 gap-1.5 border-t border-stroke bg-page p-1.5 pb-[max(0.375rem,env(safe-area-inset-bottom))] md:grid-cols-6 md:gap-2 md:p-2"
    >
      {handMarks.map((kind, index) => {
        const mark = isRunning ? marks.find((one) => one.kind === kind) : undefined;
        const isOff = mark === undefined && (kind === 'charge' ? isRunning || !canCharge : !isRunning);
        return (
          <button
            key={kind}
            type="button"
            data-mark={kind}
            data-set={mark !== undefined}
            aria-pressed={mark !== undefined}
            aria-busy={busy === kind || undefined}
            onClick={(event) => {
              press(kind);
              releaseFocus(event);
            }}
            className={classes(
              'flex h-16 min-w-0 touch-manipulation flex-col items-center justify-center rounded-lg border-2 px-1 select-none md:h-18',
              busy === kind && 'opacity-60',
              mark !== undefined
                ? classes('border-success bg-success-soft text-strong', mark.provisional && 'border-dashed')
                : kind === next && !isOff
                  ? 'border-accent bg-accent-soft text-strong'
                  : 'border-stroke-control bg-surface',
              isOff ? 'text-muted' : 'text-strong',
            )}
          >
            <span className="max-w-full text-center text-[0.875rem] leading-5 font-semibold tracking-tight md:text-base lg:text-lg">
              {markLabels[kind].long}
            </span>
            <span className="figures flex h-5 items-center gap-1 text-sm text-content">
              {mark === undefined ? (
                <span className="pointer-coarse:hidden">
                  <Kbd>{index + 1}</Kbd>
                </span>
              ) : (
                <>
                  <Check aria-hidden className="size-3.5 shrink-0 text-success" />
                  {formatDuration(mark.time_seconds)}
                  <span className="truncate max-md:sr-only"> {originLabels[mark.origin]}</span>
                </>
              )}
            </span>
          </button>
        );
      })}
    </fieldset>
  );
};

/** After a tap Space belongs to the page again: it marks the next event, not the tapped one. */
const releaseFocus = (event: MouseEvent<HTMLButtonElement>): void => {
  if (event.detail > 0) event.currentTarget.blur();
};
