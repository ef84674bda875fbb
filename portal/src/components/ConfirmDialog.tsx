import { useState, type ReactNode } from 'react';
import { AlertDialog } from '../ui/AlertDialog.tsx';

interface ConfirmDialogProps<Thing> {
  /** The subject of the question; `null` while the dialog is closed. */
  thing: Thing | null;
  onClose: () => void;
  title: (thing: Thing) => string;
  /** The question, with the name of the record. Texts of the product document are word for word. */
  question: (thing: Thing) => ReactNode;
  confirmLabel: string;
  /** The dialog stays busy until this ends and closes in any case: report failures with a toast. */
  onConfirm: (thing: Thing) => Promise<void>;
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
