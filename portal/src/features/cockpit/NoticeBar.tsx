import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { usePageActions } from '../../components/page-actions.tsx';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import type { MarkNotice, Marking } from './use-marking.ts';

const icons = { success: CircleCheck, info: Info, danger: CircleAlert };
const tones = { success: 'text-success', info: 'text-info', danger: 'text-danger' };

/** The result of the last tap, above the buttons without covering them; its action is available for ten seconds. */
export const NoticeBar = ({ marking }: { marking: Marking }) => {
  const { notice, closeNotice, runAction } = marking;
  usePageActions(
    useMemo(
      () => (notice?.action === undefined ? [] : [{ id: 'notice', ...notice.action, run: runAction }]),
      [notice, runAction],
    ),
  );
  return (
    <div aria-live="polite" className="pointer-events-none absolute inset-x-0 bottom-0 z-10 flex justify-end p-2">
      {notice !== null && <Notice key={notice.id} {...{ notice, closeNotice, runAction }} />}
    </div>
  );
};

interface NoticeProps {
  notice: MarkNotice;
  closeNotice: () => void;
  runAction: () => void;
}

const Notice = ({ notice, closeNotice, runAction }: NoticeProps) => {
  const Icon = icons[notice.tone];
  return (
    <div
      data-testid="mark-notice"
      role={notice.tone === 'danger' ? 'alert' : undefined}
      className="pointer-events-auto flex min-h-16 w-full items-center gap-3 rounded-lg border border-stroke-strong bg-overlay py-1.5 pr-1.5 pl-4 shadow-overlay md:w-auto md:min-w-96"
    >
      <Icon aria-hidden className={classes('size-5 shrink-0', tones[notice.tone])} />
      <p className="min-w-0 flex-1 text-lg text-strong">{notice.text}</p>
      {notice.action === undefined ? (
        <IconButton label={t`Dismiss`} size="lg" icon={<X aria-hidden />} onClick={closeNotice} />
      ) : (
        <button
          type="button"
          onClick={runAction}
          className="flex h-14 shrink-0 touch-manipulation items-center gap-2 rounded-md border-2 border-accent bg-accent-soft px-5 text-lg font-semibold text-strong"
        >
          {notice.action.label}
          {notice.endsAt !== null && <Countdown endsAt={notice.endsAt} />}
        </button>
      )}
    </div>
  );
};

const Countdown = ({ endsAt }: { endsAt: number }) => {
  const [left, setLeft] = useState(() => secondsLeft(endsAt));
  useEffect(() => {
    const timer = setInterval(() => setLeft(secondsLeft(endsAt)), 250);
    return () => clearInterval(timer);
  }, [endsAt]);
  return (
    <span aria-hidden className="figures w-[2ch] text-right font-normal text-muted">
      {left}
    </span>
  );
};

const secondsLeft = (endsAt: number): number => Math.max(0, Math.ceil((endsAt - Date.now()) / 1000));
