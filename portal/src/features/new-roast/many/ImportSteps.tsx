import {
  deleteRoastImport,
  listRoastImports,
  startRoastImport,
  undoRoastImport,
  type RoastImport,
} from '@roastery/contract/roast-imports';
import { listRoasts } from '@roastery/contract/roasts';
import { useState } from 'react';
import { sentenceFor } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { refresh } from '../../../api/use-api.ts';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { paths } from '../../../components/paths.ts';
import { formatCount } from '../../../format/numbers.ts';
import { useDates } from '../../../format/preferences.ts';
import { t } from '../../../language/t.ts';
import { Button, ButtonLink } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { toast } from '../../../ui/toast.ts';
import type { useSending } from './use-sending.ts';

interface ImportStepsProps {
  import: RoastImport;
  sending: ReturnType<typeof useSending>;
  onChanged: (next: RoastImport) => void;
  onLeave: () => void;
}

const headlineOf = (one: RoastImport, { sending, busy }: ReturnType<typeof useSending>): string => {
  if (busy) return t`Sending ${formatCount(sending.sent)} of ${formatCount(sending.total)} files`;
  if (one.waiting > 0) return t`Reading: ${formatCount(one.waiting)} files to go`;
  if (one.state === 'open') return t`${formatCount(one.ready)} of ${formatCount(one.files)} files can be imported`;
  if (one.state === 'importing') {
    return t`Importing: ${formatCount(one.imported)} done, ${formatCount(one.ready)} to go`;
  }
  if (one.state === 'done') return t`${formatCount(one.imported)} roasts imported`;
  if (one.state === 'undoing') return t`Deleting: ${formatCount(one.imported)} to go`;
  return t`Undone: ${formatCount(one.undone)} roasts were deleted again`;
};

const shareOf = (one: RoastImport, { sending, busy }: ReturnType<typeof useSending>): number | undefined => {
  if (busy) return sending.total === 0 ? 0 : sending.sent / sending.total;
  if (one.waiting > 0) return 1 - one.waiting / Math.max(1, one.files);
  if (one.state === 'importing') return one.imported / Math.max(1, one.imported + one.ready);
  if (one.state === 'undoing') return one.undone / Math.max(1, one.undone + one.imported);
  return undefined;
};

/** How far an import is, and the next step. */
export const ImportSteps = ({ import: one, sending, onChanged, onLeave }: ImportStepsProps) => {
  const dates = useDates();
  const [busy, setBusy] = useState(false);
  const [undoing, setUndoing] = useState<RoastImport | null>(null);
  const act = async (what: () => Promise<RoastImport>) => {
    setBusy(true);
    try {
      onChanged(await what());
      await refresh(listRoasts, listRoastImports);
    } catch (error) {
      toast(sentenceFor(error, t`The import could not be changed`), { tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  const remove = async () => {
    setBusy(true);
    try {
      await call(deleteRoastImport, { params: { id: one.id } });
      await refresh(listRoastImports);
      onLeave();
    } catch (error) {
      toast(sentenceFor(error, t`The import could not be deleted`), { tone: 'danger' });
      setBusy(false);
    }
  };
  const params = { id: one.id };
  const share = shareOf(one, sending);
  return (
    <Card className="flex flex-col gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <p aria-live="polite" className="figures text-base font-medium text-strong">
            {headlineOf(one, sending)}
          </p>
          <p className="text-sm text-muted">
            {one.state === 'open'
              ? t`You can leave this page: what was sent is kept.`
              : one.undo_until === null
                ? t`Begun ${dates.dayAndTime(one.created_at)}`
                : t`Can be undone as a whole until ${dates.dayAndTime(one.undo_until)}`}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {one.state !== 'importing' && one.state !== 'undoing' && <Button onClick={onLeave}>{t`Close`}</Button>}
          {one.state === 'open' && (
            <>
              <Button busy={busy} onClick={() => void remove()}>{t`Delete import`}</Button>
              <Button
                kind="primary"
                busy={busy}
                disabled={sending.busy || one.waiting > 0 || one.ready === 0}
                onClick={() => void act(() => call(startRoastImport, { params }))}
              >
                {one.ready === 1 ? t`Import 1 roast` : t`Import ${formatCount(one.ready)} roasts`}
              </Button>
            </>
          )}
          {one.state === 'done' && (
            <>
              {one.undo_until !== null && one.imported > 0 && (
                <Button busy={busy} onClick={() => setUndoing(one)}>{t`Undo import`}</Button>
              )}
              <ButtonLink kind="primary" to={paths.roasts}>{t`Show roasts`}</ButtonLink>
            </>
          )}
        </div>
      </div>
      {share !== undefined && (
        <progress aria-label={headlineOf(one, sending)} value={share} max={1} className="h-1.5 w-full accent-accent" />
      )}
      <ConfirmDialog
        thing={undoing}
        onClose={() => setUndoing(null)}
        title={() => t`Undo import`}
        question={({ imported }) =>
          t`Delete the ${formatCount(imported)} roasts of this import again? Their lots get back what they gave.`
        }
        confirmLabel={t`Delete roasts`}
        onConfirm={() => act(() => call(undoRoastImport, { params }))}
      />
    </Card>
  );
};
