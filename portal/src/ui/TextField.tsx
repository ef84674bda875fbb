import type { InputHTMLAttributes, ReactNode, Ref, TextareaHTMLAttributes } from 'react';
import { classes } from './classes.ts';
import { controlClass, FieldFrame, type FieldProps } from './Field.tsx';

interface TextFieldProps
  extends FieldProps, Omit<InputHTMLAttributes<HTMLInputElement>, 'size' | 'required' | 'className'> {
  size?: 'sm' | 'md';
  /** Inside the left edge. */
  icon?: ReactNode;
  /** Unit drawn inside the right edge: `kg`, `°C`. */
  unit?: string | undefined;
  /** A button inside the right edge. */
  action?: ReactNode;
  /** Codes are typed in mono. */
  mono?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/** Spread `register('name')` of react-hook-form into it. */
export const TextField = (props: TextFieldProps) => {
  const {
    label,
    hint,
    error,
    required,
    hideLabel,
    className,
    size = 'md',
    icon,
    unit,
    action,
    mono = false,
    ...input
  } = props;
  return (
    <FieldFrame {...{ label, hint, error, required, hideLabel, className }}>
      {(wiring) => (
        <div className="relative">
          {icon !== undefined && (
            <span
              aria-hidden
              className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center text-faint [&_svg]:size-4"
            >
              {icon}
            </span>
          )}
          <input
            type="text"
            aria-required={required || undefined}
            {...input}
            {...wiring}
            className={controlClass(
              size,
              classes(
                icon !== undefined && 'pl-8.5',
                (unit !== undefined || action !== undefined) && 'pr-11',
                mono && 'font-mono',
                'read-only:bg-sunken read-only:text-muted',
              ),
            )}
          />
          {unit !== undefined && (
            <span
              aria-hidden
              className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-muted"
            >
              {unit}
            </span>
          )}
          {action !== undefined && <span className="absolute inset-y-0 right-1 flex items-center">{action}</span>}
        </div>
      )}
    </FieldFrame>
  );
};

interface TextAreaProps
  extends FieldProps, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'required' | 'className'> {
  ref?: Ref<HTMLTextAreaElement>;
}

export const TextArea = (props: TextAreaProps) => {
  const { label, hint, error, required, hideLabel, className, ...area } = props;
  return (
    <FieldFrame {...{ label, hint, error, required, hideLabel, className }}>
      {(wiring) => (
        <textarea
          rows={4}
          aria-required={required || undefined}
          {...area}
          {...wiring}
          className={controlClass('md', 'h-auto min-h-20 py-2 read-only:bg-sunken read-only:text-muted')}
        />
      )}
    </FieldFrame>
  );
};
