import { AlertDialog as Base } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import { t } from '../language/t.ts';
import { Button } from './Button.tsx';

interface AlertDialogProps {
  open: boolean;
  onCancel: () => void;
  onConfirm: () => void;
  title: string;
  /** The question, in full. */
  children: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  danger?: boolean;
  busy?: boolean;
}

/** Asks before a change that can't be undone. Cancel has the focus, so an accidental Enter changes nothing. */
export const AlertDialog = (props: AlertDialogProps) => {
  const {
    open,
    onCancel,
    onConfirm,
    title,
    children,
    confirmLabel,
    cancelLabel = t`Cancel`,
    danger = false,
    busy = false,
  } = props;
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => {
        if (!next && !busy) onCancel();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup className="fixed top-1/2 left-1/2 z-50 w-[calc(100vw-2rem)] max-w-md -translate-1/2 rounded-lg border border-stroke-strong bg-overlay shadow-overlay transition-opacity duration-150 outline-none data-ending-style:opacity-0 data-starting-style:opacity-0">
          <div className="flex flex-col gap-2 px-5 pt-5 pb-4">
            <Base.Title className="text-lg font-semibold text-strong">{title}</Base.Title>
            <Base.Description render={<div />} className="max-h-[50dvh] overflow-y-auto text-base text-content">
              {children}
            </Base.Description>
          </div>
          <div className="flex flex-wrap justify-end gap-2 border-t border-stroke px-5 py-3">
            <Base.Close render={<Button />} disabled={busy}>
              {cancelLabel}
            </Base.Close>
            <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
};
