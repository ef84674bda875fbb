import { deleteMark, putMark } from '@roastery/contract/roast-marks';
import type { Roast } from '@roastery/contract/roasts';
import type { MarkKind } from '@roastery/roasting/marks';
import { ChevronDown, Flag } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { call } from '../../api/call.ts';
import { attempt } from '../../components/attempt.ts';
import { useAction } from '../../components/use-action.ts';
import { markLabels } from '../../components/chart/mark-layout.ts';
import { usePageActions } from '../../components/page-actions.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Kbd } from '../../ui/Badge.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { toast } from '../../ui/toast.ts';
import type { markNow } from '../../components/live/live-curve.ts';

/** Events that a person marks while the roast runs; charge and drop come from the machine or the detector. */
const markedByHand: readonly MarkKind[] = ['dry_end', 'first_crack', 'first_crack_end', 'second_crack', 'drop'];

interface MarkBarProps {
  roast: Roast;
  /** Of this batch. */
  marks: Roast['marks'];
  /** The mark for the current time; null before the charge. */
  now: ReturnType<typeof markNow>;
  onChanged: (roast: Roast) => void;
}

/**
 * The next event of the running roast as one large button; Space does the same. Any other is in the menu beside it: beans
 * may crack before dry end was marked. A mark can be removed.
 */
export const MarkBar = ({ roast, marks, now, onChanged }: MarkBarProps) => {
  const { run, isBusy } = useAction();
  const last = Math.max(-1, ...marks.map((mark) => markedByHand.indexOf(mark.kind)));
  const next = markedByHand[last + 1];

  const mark = useCallback(
    (kind: MarkKind) => {
      if (now === null) return;
      const params = { id: roast.id, kind };
      const undo = () =>
        attempt(async () => onChanged(await call(deleteMark, { params })), t`The marker could not be removed`);
      const work = async () => {
        onChanged(await call(putMark, { params, body: now }));
        const action = { label: t`Undo`, run: () => void undo() };
        toast(t`${markLabels[kind].long} marked`, { action, stays: 10_000 });
      };
      void run(work, t`The marker could not be set`);
    },
    [now, roast.id, onChanged, run],
  );

  usePageActions(
    useMemo(
      () =>
        next === undefined || isBusy
          ? []
          : [{ id: 'mark', label: t`Mark ${markLabels[next].long}`, key: ' ', run: () => mark(next) }],
      [next, isBusy, mark],
    ),
  );
  if (next === undefined) return null;
  return (
    <div className="flex min-w-0 gap-2 max-md:flex-1">
      <Button
        kind="primary"
        size="lg"
        icon={<Flag aria-hidden />}
        busy={isBusy}
        disabled={now === null}
        onClick={() => mark(next)}
        className="min-w-0 max-md:flex-1"
      >
        {t`Mark ${markLabels[next].long}`}
        <span className="max-sm:hidden pointer-coarse:hidden">
          <Kbd>Space</Kbd>
        </span>
      </Button>
      <Menu
        trigger={
          <IconButton
            size="lg"
            label={t`Other events`}
            icon={<ChevronDown aria-hidden />}
            disabled={isBusy || now === null}
            className="border border-stroke-strong"
          />
        }
      >
        {markedByHand
          .filter((kind) => kind !== next)
          .map((kind) => (
            <MenuItem key={kind} onSelect={() => mark(kind)}>
              {t`Mark ${markLabels[kind].long} now`}
            </MenuItem>
          ))}
      </Menu>
    </div>
  );
};
