import { deleteMark, putMark, type Roast } from '@roastery/contract/roasts';
import type { MarkKind } from '@roastery/roasting/marks';
import { ChevronDown, Flag } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
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
  const [busy, setBusy] = useState(false);
  const last = Math.max(-1, ...marks.map((mark) => markedByHand.indexOf(mark.kind)));
  const next = markedByHand[last + 1];

  const undo = useCallback(
    async (kind: MarkKind) => {
      try {
        onChanged(await call(deleteMark, { params: { id: roast.id, kind } }));
      } catch (error) {
        toast(sentenceFor(error, t`The marker could not be removed`), { tone: 'danger' });
      }
    },
    [roast.id, onChanged],
  );
  const mark = useCallback(
    async (kind: MarkKind) => {
      if (now === null) return;
      setBusy(true);
      try {
        onChanged(await call(putMark, { params: { id: roast.id, kind }, body: now }));
        toast(t`${markLabels[kind].long} marked`, {
          action: { label: t`Undo`, run: () => void undo(kind) },
          stays: 10_000,
        });
      } catch (error) {
        toast(sentenceFor(error, t`The marker could not be set`), { tone: 'danger' });
      } finally {
        setBusy(false);
      }
    },
    [now, roast.id, onChanged, undo],
  );

  usePageActions(
    useMemo(
      () =>
        next === undefined || busy
          ? []
          : [{ id: 'mark', label: t`Mark ${markLabels[next].long}`, key: ' ', run: () => void mark(next) }],
      [next, busy, mark],
    ),
  );
  if (next === undefined) return null;
  return (
    <div className="flex min-w-0 gap-2 max-md:flex-1">
      <Button
        kind="primary"
        size="lg"
        icon={<Flag aria-hidden />}
        busy={busy}
        disabled={now === null}
        onClick={() => void mark(next)}
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
            disabled={busy || now === null}
            className="border border-stroke-strong"
          />
        }
      >
        {markedByHand
          .filter((kind) => kind !== next)
          .map((kind) => (
            <MenuItem key={kind} onSelect={() => void mark(kind)}>
              {t`Mark ${markLabels[kind].long} now`}
            </MenuItem>
          ))}
      </Menu>
    </div>
  );
};
