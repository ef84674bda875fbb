import { betweenBatches } from '@roastery/contract/between-batches';
import type { Roast, RoastRow } from '@roastery/contract/roasts';
import { makeRoast } from '@roastery/contract/timeline';
import { CircleHelp } from 'lucide-react';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { useAction } from '../../components/use-action.ts';
import { discard } from '../../components/roast-changes.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';

const shown = [betweenBatches];

/** The longest time after which a board recognises a withdrawn charge at the drop. */
const undecidedMs = 30 * 60_000;

/** Whether the board has withdrawn the charge of this roast, and may still recognise it. */
export const isWithdrawn = ({ status, charge_temp, start_time }: RoastRow, now: number): boolean =>
  status === 'aborted' && charge_temp === null && now - Date.parse(start_time) < undecidedMs;

interface WithdrawnChargeProps {
  machineId: string;
  /** The machine's newest roast, whose charge was withdrawn. */
  roast: RoastRow;
  /** Undefined for a viewer. */
  onKept: ((roast: Roast) => void) | undefined;
}

/** A charge that looks like an opened door: the person at the machine can tell. */
export const WithdrawnCharge = ({ machineId, roast, onKept }: WithdrawnChargeProps) => {
  const dates = useDates();
  const { run, running, isBusy } = useAction({ after: shown });
  const keep = async () =>
    onKept?.(await call(makeRoast, { params: { id: machineId }, body: { charge_at: roast.start_time } }));
  const throwAway = () => discard(roast, () => void refresh(betweenBatches));
  return (
    <section
      aria-label={t`Charge uncertain`}
      data-testid="withdrawn-charge"
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-stroke bg-warning-soft px-4 py-2"
    >
      <CircleHelp aria-hidden className="size-5 shrink-0 text-warning" />
      <p className="min-w-0 flex-1 basis-64 text-base text-strong">
        {t`Charge at ${dates.time(roast.start_time)} is uncertain: it looked like an opened door`}
      </p>
      {onKept !== undefined && (
        <div className="flex flex-wrap gap-2">
          <Button
            kind="primary"
            size="lg"
            busy={running === 'keep'}
            disabled={isBusy}
            onClick={() => void run(keep, t`The roast could not be changed`, 'keep')}
          >
            {t`It was the charge`}
          </Button>
          <Button
            size="lg"
            busy={running === 'discard'}
            disabled={isBusy}
            onClick={() => void run(throwAway, t`The roast could not be changed`, 'discard')}
          >
            {t`It was the door`}
          </Button>
        </div>
      )}
    </section>
  );
};
