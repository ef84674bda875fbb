import {
  useEffect,
  useRef,
  useState,
  type InputEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
} from 'react';
import { classes } from './classes.ts';
import { controlClass, FieldFrame, type FieldProps } from './Field.tsx';
import { t } from '../language/t.ts';

interface TextFieldProps
  extends FieldProps, Omit<InputHTMLAttributes<HTMLInputElement>, 'size' | 'required' | 'className'> {
  size?: 'sm' | 'md';
  /** Inside the left edge. */
  icon?: ReactNode;
  /** Unit drawn inside the right edge: `kg`, `°C`. */
  unit?: string;
  /** Codes are typed in mono. */
  mono?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/** Spread `register('name')` of react-hook-form into it. */
export const TextField = (props: TextFieldProps) => {
  const { label, hint, error, required, hideLabel, className, size = 'md', icon, unit, mono = false, ...input } = props;
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
                unit !== undefined && 'pr-11',
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
        </div>
      )}
    </FieldFrame>
  );
};

/** `9,4`, but not the thousands of `1,250`. */
const isDecimalComma = (text: string): boolean =>
  /^\s*-?\d*,\d+\s*$/.test(text) && !/^\s*-?[1-9]\d{0,2},\d{3}\s*$/.test(text);

/** How a number field differs from what was typed; undefined when it does not. */
const misreading = (field: HTMLInputElement, commaLost: boolean): string | undefined => {
  if (field.validity.badInput) return t`Enter a number such as 9.4`;
  return commaLost && field.value !== ''
    ? t`The comma was ignored, so this is ${field.value}. Use a decimal point.`
    : undefined;
};

/**
 * A TextField for numbers: decimal keyboard, tabular figures, unit. Register it with `valueAsNumber`.
 *
 * A browser reports an empty text for a number that it can't read (`9e`), and may drop a comma while it is typed (`9,4` becomes
 * 94). Neither is saved unnoticed: the first blocks the form, the second blocks it until the message was shown.
 */
export const NumberField = ({ ref, error, onBlur, onInput, onKeyDown, onPaste, ...props }: TextFieldProps) => {
  const input = useRef<HTMLInputElement | null>(null);
  const comma = useRef({ isLost: false, isShown: false, pasted: Number.NaN });
  const [note, setNote] = useState<string | undefined>(undefined);
  const lose = (isLost: boolean) => Object.assign(comma.current, { isLost, isShown: false });

  useEffect(() => {
    const form = input.current?.form;
    const check = (event: SubmitEvent) => {
      const field = input.current;
      const found = field === null ? undefined : misreading(field, comma.current.isLost && !comma.current.isShown);
      if (found === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      comma.current.isShown = true;
      setNote(found);
      field?.focus();
    };
    form?.addEventListener('submit', check, { capture: true });
    return () => form?.removeEventListener('submit', check, { capture: true });
  }, []);

  const follow = (event: InputEvent<HTMLInputElement>) => {
    const field = event.currentTarget;
    const { pasted } = comma.current;
    comma.current.pasted = Number.NaN;
    // A browser of another language accepts the comma. A point means that the number was typed again.
    if (!Number.isNaN(pasted)) lose(field.valueAsNumber !== pasted);
    else if (field.value === '' || /[.,]/.test(event.nativeEvent.data ?? '')) lose(false);
    setNote(comma.current.isLost ? misreading(field, true) : undefined);
  };

  return (
    <TextField
      type="number"
      inputMode="decimal"
      step="any"
      {...props}
      ref={(element) => {
        input.current = element;
        if (typeof ref === 'function') ref(element);
        else if (ref) ref.current = element;
      }}
      error={note ?? error}
      onInput={(event) => {
        follow(event);
        onInput?.(event);
      }}
      onKeyDown={(event) => {
        if (event.key === ',' && !event.ctrlKey && !event.metaKey) lose(true);
        onKeyDown?.(event);
      }}
      onPaste={(event) => {
        const text = event.clipboardData.getData('text');
        if (isDecimalComma(text)) comma.current.pasted = Number(text.replace(',', '.'));
        onPaste?.(event);
      }}
      onBlur={(event) => {
        setNote(misreading(event.currentTarget, comma.current.isLost));
        onBlur?.(event);
      }}
    />
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
