import { useId, type ReactNode } from 'react';
import { classes } from './classes.ts';

export interface FieldProps {
  label: string;
  /** A sentence under the control. */
  hint?: ReactNode | undefined;
  error?: string | undefined;
  required?: boolean | undefined;
  /** For a search field whose icon and placeholder explain it; the label stays for screen readers. */
  hideLabel?: boolean | undefined;
  className?: string | undefined;
}

export interface FieldWiring {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

interface FieldFrameProps extends FieldProps {
  /** Set where the control is a button (Select), which a `<label for>` reaches through this id. */
  labelId?: string;
  children: (wiring: FieldWiring) => ReactNode;
}

/** Label above, control, then error or hint, connected for assistive technology. */
export const FieldFrame = ({
  label,
  hint,
  error,
  required,
  hideLabel,
  className,
  labelId,
  children,
}: FieldFrameProps) => {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = error !== undefined || hint !== undefined;
  return (
    <div className={classes('flex min-w-0 flex-col gap-1.5', className)}>
      <label id={labelId} htmlFor={id} className={hideLabel ? 'sr-only' : 'text-sm font-medium text-content'}>
        {label}
        {required && (
          <span aria-hidden className="ml-0.5 text-danger">
            *
          </span>
        )}
      </label>
      {children({
        id,
        'aria-describedby': hasNote ? noteId : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hasNote && (
        <p id={noteId} className={classes('text-xs', error === undefined ? 'text-muted' : 'text-danger')}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
};

/** Classes of every boxed control; `md` is 40 px for forms, `sm` 32 px for toolbars. */
export const controlClass = (size: 'sm' | 'md' = 'md', extra?: string): string =>
  classes(
    'w-full min-w-0 rounded-md border border-stroke-control bg-surface text-strong transition-colors',
    'hover:border-muted focus-visible:border-focus focus-visible:outline-1 focus-visible:-outline-offset-1',
    'aria-invalid:border-danger disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted',
    size === 'sm' ? 'h-8 px-2.5 text-sm pointer-coarse:h-10' : 'h-10 px-3 text-base',
    extra,
  );
