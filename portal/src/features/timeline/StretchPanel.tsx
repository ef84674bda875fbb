import { minRoastSeconds } from '@roastery/contract/limits';
import type { Roast } from '@roastery/contract/roasts';
import { makeRoast } from '@roastery/contract/timeline';
import { Flame, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useAction } from '../../components/use-action.ts';
import { changeRoast } from '../../components/roast-changes.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { toast } from '../../ui/toast.ts';
import { MomentField } from './MomentField.tsx';
import type { Span } from './timeline-span.ts';
import { lengthText } from './timeline-texts.ts';

interface StretchPanelProps {
  machineId: string;
  stretch: Span | null;
  /** Its board is online: a roast can be started now. */
  isSending: boolean;
  /** A roast is running on it. */
  isRoasting: boolean;
  mayChange: boolean;
  onStretch: (stretch: Span | null) => void;
  onMade: (roast: Roast) => void;
}

/** Creates a roast from a selected or typed range, or starts one now. */
export const StretchPanel = ({ mayChange, ...panel }: StretchPanelProps) =>
  mayChange ? (
    <MakingPanel {...panel} />
  ) : (
    <p className="text-sm text-muted">
      {t`You may view this machine. Its owner and its roasters can create and change roasts. Select a roast to open it.`}
    </p>
  );

const MakingPanel = (panel: Omit<StretchPanelProps, 'mayChange'>) => {
  const { machineId, stretch, isSending, isRoasting, onStretch, onMade } = panel;
  const { run, running, isBusy } = useAction();
  const [charge, setCharge] = useState<number | null>(stretch?.from ?? null);
  const [drop, setDrop] = useState<number | null>(stretch?.to ?? null);
  const [known, setKnown] = useState(stretch);
  if (known?.from !== stretch?.from || known?.to !== stretch?.to) {
    setKnown(stretch);
    setCharge(stretch?.from ?? null);
    setDrop(stretch?.to ?? null);
  }
  const lengthMs = charge === null || drop === null ? null : drop - charge;
  const fault =
    lengthMs === null || lengthMs >= minRoastSeconds * 1000
      ? undefined
      : lengthMs <= 0
        ? t`The drop must come after the charge`
        : t`A roast lasts at least ${minRoastSeconds} seconds: choose a longer range`;
  const typed = (from: number | null, to: number | null): void => {
    setCharge(from);
    setDrop(to);
    if (from !== null && to !== null && to > from) onStretch({ from, to });
  };
  const make = (how: 'stretch' | 'now') => {
    const range =
      how === 'now' || charge === null
        ? {}
        : { charge_at: new Date(charge).toISOString(), drop_at: drop === null ? null : new Date(drop).toISOString() };
    const work = async () => {
      const made = await changeRoast(call(makeRoast, { params: { id: machineId }, body: range }));
      toast(how === 'now' ? t`Roast started` : t`Roast ${made.said_number} created`);
      onMade(made);
    };
    void run(work, t`The roast could not be created`, how);
  };
  return (
    <section aria-labelledby="stretch-title" className="flex flex-col gap-4">
      <div className="flex min-h-8 items-center justify-between gap-2">
        <h2 id="stretch-title" className="text-base font-semibold text-strong">
          {stretch === null ? t`Create a roast` : t`Selected range`}
          {stretch !== null && (
            <span className="figures ml-2 text-sm font-normal text-muted">{lengthText(stretch.to - stretch.from)}</span>
          )}
        </h2>
        {stretch !== null && (
          <IconButton label={t`Clear the selection`} icon={<X aria-hidden />} onClick={() => onStretch(null)} />
        )}
      </div>
      <p className="text-sm text-muted">
        {stretch === null
          ? t`Drag over the chart, or enter the times of charge and drop.`
          : t`Adjust the times, then create the roast.`}
      </p>
      <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-1">
        <MomentField label={t`Charge`} value={charge} onChange={(from) => typed(from, drop)} />
        <MomentField label={t`Drop`} value={drop} onChange={(to) => typed(charge, to)} error={fault} />
      </div>
      <Button
        kind="primary"
        size="md"
        icon={<Plus aria-hidden />}
        busy={running === 'stretch'}
        disabled={lengthMs === null || fault !== undefined || isBusy}
        onClick={() => make('stretch')}
      >
        {t`Create a roast`}
      </Button>
      {isSending && !isRoasting && (
        <div className="flex flex-col gap-3 border-t border-stroke pt-4">
          <p className="text-sm text-muted">{t`Charged, but no roast was detected?`}</p>
          <Button
            size="lg"
            icon={<Flame aria-hidden />}
            busy={running === 'now'}
            disabled={isBusy}
            onClick={() => make('now')}
          >
            {t`Charge now`}
          </Button>
        </div>
      )}
    </section>
  );
};
