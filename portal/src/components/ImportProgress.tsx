import type { RoastImport } from '@roastery/contract/roast-imports';
import { useState, type ReactNode } from 'react';
import { useDates } from '../format/preferences.ts';
import { t } from '../language/t.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { useAction } from './use-action.ts';

interface ImportProgressProps {
  import: Pick<RoastImport, 'state' | 'created_at' | 'undo_until' | 'ready' | 'imported'>;
  headline: string;
  /** Progress of the current step, 0 to 1; undefined while none runs. */
  share: number | undefined;
  /** While files are being sent from this page. */
  sendingNote?: string | undefined;
  startLabel: string;
  canStart: boolean;
  onStart: () => Promise<void>;
  undoQuestion: string;
  undoLabel: string;
  onUndo: () => Promise<void>;
  onDelete: () => Promise<void>;
  onLeave: () => void;
  /** The address to open afterwards. */
  result: ReactNode;
}

/** The progress of an import, and the next step. */
export const ImportProgress = (props: ImportProgressProps) => {
  const { import: one, headline, share, startLabel, canStart, undoQuestion, undoLabel, onLeave, result } = props;
  const dates = useDates();
  const { run, isBusy } = useAction();
  const [undoing, setUndoing] = useState<true | null>(null);
  const [deleting, setDeleting] = useState<true | null>(null);
  const act = (what: () => Promise<void>) => run(what, t`The import could not be changed`);
  return (
    <Card className="flex flex-col gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <p aria-live="polite" className="figures text-base font-medium text-strong">
            {headline}
          </p>
          <p className="text-sm text-muted">
            {props.sendingNote ??
              (one.state === 'open'
                ? t`You can leave this page. Files already sent are kept.`
                : one.undo_until === null
                  ? t`Started ${dates.dayAndTime(one.created_at)}`
                  : t`You can undo the whole import until ${dates.dayAndTime(one.undo_until)}`)}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {one.state !== 'importing' && one.state !== 'undoing' && <Button onClick={onLeave}>{t`Close`}</Button>}
          {one.state === 'open' && (
            <>
              <Button busy={isBusy} onClick={() => setDeleting(true)}>{t`Delete import`}</Button>
              <Button
                kind="primary"
                busy={isBusy}
                disabled={!canStart || one.ready === 0}
                onClick={() => void act(props.onStart)}
              >
                {startLabel}
              </Button>
            </>
          )}
          {one.state === 'done' && (
            <>
              {one.undo_until !== null && one.imported > 0 && (
                <Button busy={isBusy} onClick={() => setUndoing(true)}>{t`Undo import`}</Button>
              )}
              {result}
            </>
          )}
        </div>
      </div>
      {share !== undefined && (
        <progress aria-label={headline} value={share} max={1} className="h-1.5 w-full accent-accent" />
      )}
      <ConfirmDialog
        thing={undoing}
        onClose={() => setUndoing(null)}
        title={() => t`Undo import`}
        question={() => undoQuestion}
        confirmLabel={undoLabel}
        onConfirm={() => act(props.onUndo)}
      />
      <ConfirmDialog
        thing={deleting}
        onClose={() => setDeleting(null)}
        title={() => t`Delete import`}
        question={() => t`Nothing was imported yet. Its files, and what was corrected in them here, are deleted.`}
        confirmLabel={t`Delete`}
        onConfirm={() => act(props.onDelete)}
      />
    </Card>
  );
};
