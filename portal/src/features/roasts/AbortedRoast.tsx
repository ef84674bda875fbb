import type { Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { Ban, ChartGantt, CircleAlert, Flag } from 'lucide-react';
import { useCorrectMarks } from '../../components/live/CorrectMarks.tsx';
import { t } from '../../language/t.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { timelineOf } from '../../components/live/roast-texts.ts';
import { useCorrecting } from './RoastCurves.tsx';

interface AbortedRoastProps {
  roast: Roast;
  /** Seconds on the roast's axis of the pinned point. */
  selected: number | null;
  onSelect: (seconds: number | null) => void;
  onChanged: (roast: Roast) => void;
  onDiscard: () => void;
}

/** Repairs an aborted roast: its readings are complete. */
export const AbortedRoast = ({ roast, selected, onSelect, onChanged, onDiscard }: AbortedRoastProps) => {
  const correcting = useCorrecting();
  const { running, isBusy, set: setMark } = useCorrectMarks({ roast, onSelect, onChanged });
  const hasCharge = roast.marks.some((mark) => mark.kind === 'charge');
  const set = (kind: 'charge' | 'drop') => {
    if (selected === null) correcting.begin();
    else setMark(kind, { time_seconds: selected });
  };
  const at = selected === null ? null : formatDuration(selected);
  return (
    <section
      aria-label={t`Aborted roast`}
      className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-stroke bg-surface px-4 py-3 print:hidden"
    >
      <CircleAlert aria-hidden className="size-4 shrink-0 text-danger" />
      <p className="min-w-0 flex-1 basis-72 text-sm text-content">
        {hasCharge
          ? t`No drop was recorded for this roast. Select the drop on the curve, then set it.`
          : t`The board withdrew the charge of this roast. All readings are here: select the charge on the curve, then set it.`}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          kind={hasCharge ? 'secondary' : 'primary'}
          icon={<Flag aria-hidden />}
          busy={running === 'charge'}
          disabled={isBusy}
          onClick={() => set('charge')}
        >
          {at === null ? t`Set charge` : t`Set charge to ${at}`}
        </Button>
        <Button
          kind={hasCharge ? 'primary' : 'secondary'}
          icon={<Flag aria-hidden />}
          busy={running === 'drop'}
          disabled={isBusy}
          onClick={() => set('drop')}
        >
          {at === null ? t`Set drop` : t`Set drop to ${at}`}
        </Button>
        {roast.machine_id !== null && (
          <ButtonLink to={timelineOf(roast, roast.machine_id)} icon={<ChartGantt aria-hidden />}>
            {t`Open in timeline`}
          </ButtonLink>
        )}
        <Button icon={<Ban aria-hidden />} disabled={isBusy} onClick={onDiscard}>
          {t`Discard`}
        </Button>
      </div>
    </section>
  );
};
