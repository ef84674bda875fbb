import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { createContext, use, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { AlertDialog } from './AlertDialog.tsx';
import { Button, type ControlSize } from './Button.tsx';
import { classes } from './classes.ts';
import { t } from '../language/t.ts';

interface DialogProps {
  open: boolean;
  /**
   * On Escape, the cross, Cancel and a click outside; a dirty form inside shows a confirmation first
   * (`useDirtyDialog`).
   */
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** A click outside is ignored: for content that is shown only once. */
  sticky?: boolean;
  /**
   * Escape and the cross show this confirmation first: for content that is lost with the modal. Its own button closes
   * it without one.
   */
  question?: { title: string; text: string };
  width?: 'sm' | 'md' | 'lg';
  children: ReactNode;
}

const firstField =
  'input:not([readonly], [disabled], [type="hidden"], [aria-hidden="true"]), textarea:not([readonly], [disabled])';
const widths = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-3xl' };

const DirtyContext = createContext<((dirty: boolean) => void) | null>(null);

/**
 * For a form inside a modal, called by its `UnsavedChanges`: while it is dirty, closing the modal shows a
 * confirmation.
 */
export const useDirtyDialog = (dirty: boolean): void => {
  const setDirty = use(DirtyContext);
  // A layout effect runs before the next event: with a passive one a quick Escape could discard the form.
  useLayoutEffect(() => {
    if (setDirty === null || !dirty) return undefined;
    setDirty(true);
    return () => setDirty(false);
  }, [setDirty, dirty]);
};

/** A modal; on a phone a sheet from below. It traps the focus and returns it on closing. */
export const Dialog = (props: DialogProps) => {
  const { open, onClose, title, description, sticky = false, question, width = 'sm', children } = props;
  const popup = useRef<HTMLDivElement>(null);
  const isDirty = useRef(false);
  const [noteDirty] = useState(() => (dirty: boolean) => {
    isDirty.current = dirty;
  });
  const [isAsking, setAsking] = useState(false);
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={sticky}
      onOpenChange={(next) => {
        if (next) return;
        if (isDirty.current || question !== undefined) setAsking(true);
        else onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          // The first field, not the cross. By touch the popup itself, so that the on-screen keyboard stays closed.
          initialFocus={(by) =>
            by === 'touch' ? true : (popup.current?.querySelector<HTMLElement>(firstField) ?? true)
          }
          className={classes(
            'fixed inset-x-0 bottom-0 z-50 mx-auto flex max-h-[92dvh] flex-col rounded-t-lg border border-stroke-strong bg-overlay shadow-overlay outline-none',
            'sm:inset-auto sm:top-[12dvh] sm:left-1/2 sm:max-h-[80dvh] sm:w-[calc(100vw-3rem)] sm:-translate-x-1/2 sm:rounded-lg',
            'transition-[opacity,translate] duration-150 data-ending-style:translate-y-2 data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0',
            widths[width],
          )}
        >
          <header className="flex items-start justify-between gap-4 border-b border-stroke py-3 pr-3 pl-5">
            <div className="min-w-0 py-1">
              <Base.Title className="text-lg font-semibold text-strong">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className="mt-0.5 text-sm text-muted">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              aria-label={t`Close`}
              className="inline-flex size-9 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-strong [&_svg]:size-4"
            >
              <X aria-hidden />
            </Base.Close>
          </header>
          <DirtyContext value={noteDirty}>{children}</DirtyContext>
        </Base.Popup>
      </Base.Portal>
      <AlertDialog
        open={isAsking}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          onClose();
        }}
        {...(question === undefined
          ? { title: t`Discard your changes?`, confirmLabel: t`Discard`, cancelLabel: t`Keep editing`, danger: true }
          : { title: question.title, confirmLabel: t`Close`, cancelLabel: t`Back` })}
      >
        {question?.text ?? t`What you entered here has not been saved.`}
      </AlertDialog>
    </Base.Root>
  );
};

interface DialogBodyProps {
  children: ReactNode;
  className?: string;
  /** Text without fields: gets the focus itself, so that the keys scroll it. */
  isText?: boolean;
}

export const DialogBody = ({ children, className, isText = false }: DialogBodyProps) => (
  <div
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must be reachable by keyboard
    tabIndex={isText ? 0 : undefined}
    className={classes('flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 py-4', className)}
  >
    {children}
  </div>
);

/** Closes like the cross: a dirty form shows a confirmation first. */
export const DialogCancel = ({ size }: { size?: ControlSize }) => (
  <Base.Close render={<Button {...(size === undefined ? {} : { size })} />}>{t`Cancel`}</Base.Close>
);

/** Buttons, the main one last; `DialogCancel` before it. */
export const DialogFooter = ({ children }: { children: ReactNode }) => (
  <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-stroke px-5 py-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
    {children}
  </footer>
);
