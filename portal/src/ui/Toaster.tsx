import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Button } from './Button.tsx';
import { classes } from './classes.ts';
import { IconButton } from './IconButton.tsx';
import { closeToast, currentToasts, subscribeToasts } from './toast.ts';
import { t } from '../language/t.ts';

const icons = { success: CircleCheck, danger: CircleAlert, info: Info };
const tones = { success: 'text-success', danger: 'text-danger', info: 'text-info' };

/** Where toasts appear; once, in the layout. A screen reader announces errors at once and the rest when it is idle. */
export const Toaster = ({ atTop = false }: { atTop?: boolean }) => {
  const messages = useSyncExternalStore(subscribeToasts, currentToasts);
  return (
    <section
      aria-label={t`Notifications`}
      aria-live="polite"
      className={classes(
        'pointer-events-none fixed inset-x-4 z-70 flex flex-col items-end gap-2 sm:left-auto sm:w-96 print:hidden',
        atTop ? 'top-16' : 'bottom-[calc(4.5rem+env(safe-area-inset-bottom))] lg:bottom-4',
      )}
    >
      {messages.map((message) => {
        const Icon = icons[message.tone];
        return (
          <div
            key={message.id}
            role={message.tone === 'danger' ? 'alert' : undefined}
            className="pointer-events-auto flex w-full items-start gap-3 rounded-lg border border-stroke-strong bg-overlay py-2 pr-2 pl-3 shadow-overlay"
          >
            <Icon aria-hidden className={classes('mt-1.5 size-4 shrink-0', tones[message.tone])} />
            <div className="min-w-0 flex-1 py-1">
              <p className="text-base text-strong">{message.text}</p>
              {message.detail !== undefined && (
                <p className="text-sm whitespace-pre-line text-muted">{message.detail}</p>
              )}
            </div>
            {message.action !== undefined && (
              <Button
                onClick={() => {
                  message.action?.run();
                  closeToast(message.id);
                }}
              >
                {message.action.label}
              </Button>
            )}
            <IconButton label={t`Dismiss`} icon={<X />} onClick={() => closeToast(message.id)} />
          </div>
        );
      })}
    </section>
  );
};
