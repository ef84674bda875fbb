import { useState, type ReactNode } from 'react';
import { t } from '../language/t.ts';
import { AlertDialog } from '../ui/AlertDialog.tsx';
import { useAction } from './use-action.ts';

interface ConfirmDialogProps<Thing> {
  /** The subject of the question; `null` while the dialog is closed. */
  thing: Thing | null;
  onClose: () => void;
  title: (thing: Thing) => string;
  /** The question, with the name of the record. Texts of the product document are word for word. */
  question: (thing: Thing) => ReactNode;
  confirmLabel: string;
  /** The dialog stays busy until this ends and closes in any case: use `attempt`, which shows a failure as a toast. */
  onConfirm: (thing: Thing) => Promise<unknown>;
  danger?: boolean;
}

/** Asks before a change. Keeps showing the subject while it fades out. */
export const ConfirmDialog = <Thing,>({
  thing,
  onClose,
  title,
  question,
  confirmLabel,
  onConfirm,
  danger = true,
}: ConfirmDialogProps<Thing>) => {
  const { run, isBusy } = useAction();
  const [shown, setShown] = useState(thing);
  if (thing !== null && thing !== shown) setShown(thing);

  const confirm = async (of: Thing) => {
    await run(() => onConfirm(of), t`Something went wrong on this page.`);
    onClose();
  };

  if (shown === null) return null;
  return (
    <AlertDialog
      open={thing !== null}
      onCancel={onClose}
      onConfirm={() => void confirm(shown)}
      title={title(shown)}
      confirmLabel={confirmLabel}
      danger={danger}
      busy={isBusy}
    >
      {question(shown)}
    </AlertDialog>
  );
};

interface DiscardDialogProps<Discarded> {
  roast: Discarded | null;
  onClose: () => void;
  onConfirm: (roast: Discarded) => Promise<unknown>;
}

/** Asks before a roast is discarded, and says what becomes of it. */
export const DiscardDialog = <Discarded extends { readonly said_number: string }>({
  roast,
  ...rest
}: DiscardDialogProps<Discarded>) => (
  <ConfirmDialog
    {...rest}
    thing={roast}
    title={({ said_number: number }) => t`Discard ${number} as false start`}
    question={() =>
      t`Its readings stay on the timeline, its coffee goes back to stock and its plan to the queue. It can be restored from the timeline.`
    }
    confirmLabel={t`Discard`}
  />
);
