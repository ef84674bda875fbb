import { useState, type ReactNode } from 'react';
import { AlertDialog } from '../ui/AlertDialog.tsx';

interface ConfirmDialogProps<Thing> {
  /** The thing asked about; `null` while nothing is asked. */
  thing: Thing | null;
  onClose: () => void;
  title: (thing: Thing) => string;
  /** The question, naming the thing. Texts of the product document stand word for word. */
  question: (thing: Thing) => ReactNode;
  confirmLabel: string;
  /** The dialog stays, busy, until this ends; it closes either way, so say failures with a toast. */
  onConfirm: (thing: Thing) => Promise<void>;
  danger?: boolean;
}

/** Asks before deleting. Keeps showing the thing while it fades out. */
export const ConfirmDialog = <Thing,>({
  thing,
  onClose,
  title,
  question,
  confirmLabel,
  onConfirm,
  danger = true,
}: ConfirmDialogProps<Thing>) => {
  const [busy, setBusy] = useState(false);
  const [shown, setShown] = useState(thing);
  if (thing !== null && thing !== shown) setShown(thing);

  const confirm = async (of: Thing) => {
    setBusy(true);
    try {
      await onConfirm(of);
    } finally {
      setBusy(false);
      onClose();
    }
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
      busy={busy}
    >
      {question(shown)}
    </AlertDialog>
  );
};
