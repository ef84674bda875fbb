import { useEffect, useImperativeHandle, useRef, useState, type ComponentProps, type ReactNode, type Ref } from 'react';
import { TextField } from './TextField.tsx';

/** How a stored value is shown in a field, and how a typed one is read. */
export interface Codec {
  write: (stored: string) => string;
  /** Undefined for unreadable text. */
  read: (typed: string) => string | undefined;
  /** Shown under the field when the text is unreadable. */
  problem: string;
  /** The next value by an arrow key, where there is one. */
  step?: (stored: string, direction: 1 | -1) => string;
}

/** The value that a form receives from a typed field: the stored value, never the typed text. */
export interface TypedEvent {
  type: 'change' | 'blur';
  /** `isUnreadable`: the field holds a text without a value. */
  target: { name: string; value: string; type: 'text'; isUnreadable?: boolean };
}

/** Stands for the input in a form: react-hook-form reads and sets `value`. */
interface TypedHandle {
  readonly name: string;
  readonly type: 'text';
  get value(): string;
  set value(stored: string | number | null | undefined);
  focus: () => void;
  select: () => void;
}

export type TypedFieldProps = Omit<
  ComponentProps<typeof TextField>,
  'action' | 'value' | 'defaultValue' | 'onChange' | 'onBlur' | 'onKeyDown' | 'ref' | 'type' | 'min' | 'max' | 'step'
> & {
  value?: string;
  onChange?: (event: TypedEvent) => unknown;
  onBlur?: (event: TypedEvent) => unknown;
  /** With the stored value: a field in a table is saved by Enter. */
  onEnter?: (stored: string) => void;
  /** Inside the right edge: another way to choose a value. */
  button?: (stored: () => string, choose: (stored: string) => void) => ReactNode;
  ref?: Ref<TypedHandle>;
};

/** Keeps the input's stored value and text, and lets a form reach them. */
const useTypedValue = (codec: Codec, value: string | undefined, name: string, ref: Ref<TypedHandle> | undefined) => {
  const input = useRef<HTMLInputElement>(null);
  const [state, setState] = useState(() => ({ stored: value ?? '', text: codec.write(value ?? '') }));
  // A value from outside that differs from the typed one replaces the text.
  if (value !== undefined && value !== state.stored) setState({ stored: value, text: codec.write(value) });
  const latest = useRef({ ...state, codec });
  useEffect(() => {
    latest.current = { ...state, codec };
  });
  const adopt = (next: typeof state) => {
    latest.current = { ...next, codec };
    setState(next);
  };
  const [handle] = useState((): TypedHandle => ({
    name,
    type: 'text',
    get value(): string {
      return latest.current.stored;
    },
    set value(stored: string | number | null | undefined) {
      const given = stored === null || stored === undefined || Number.isNaN(stored) ? '' : String(stored);
      const next = { stored: given, text: latest.current.codec.write(given) };
      latest.current = { ...next, codec: latest.current.codec };
      setState(next);
    },
    focus: () => input.current?.focus(),
    select: () => input.current?.select(),
  }));
  useImperativeHandle(ref, () => handle, [handle]);
  return { input, state, latest, adopt };
};

/**
 * A TextField whose text differs from its value: a number with a decimal comma, a weight in pounds, a day in the order
 * of a region. The form holds the stored value, which stays exact until a person types. An unreadable text counts as
 * empty, shows the reason, and blocks the form.
 */
export const TypedField = (props: TypedFieldProps & { codec: Codec }) => {
  const { codec, value, onChange, onBlur, onEnter, button, ref, error, ...field } = props;
  const { name = '' } = field;
  const { input, state, latest, adopt } = useTypedValue(codec, value, name, ref);
  const [isNoted, setNoted] = useState(false);
  const isUnreadable = state.text.trim() !== '' && codec.read(state.text) === undefined;

  useEffect(() => {
    const form = input.current?.form;
    const check = (event: SubmitEvent) => {
      const { text, codec: reader } = latest.current;
      if (text.trim() === '' || reader.read(text) !== undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      setNoted(true);
      input.current?.focus();
    };
    form?.addEventListener('submit', check, { capture: true });
    return () => form?.removeEventListener('submit', check, { capture: true });
  }, [input, latest]);

  const change = (stored: string, text: string) => {
    adopt({ stored, text });
    setNoted(false);
    const unreadable = stored === '' && text.trim() !== '';
    onChange?.({ type: 'change', target: { name, value: stored, type: 'text', isUnreadable: unreadable } });
  };

  return (
    <TextField
      autoComplete="off"
      {...field}
      ref={input}
      value={state.text}
      {...(button !== undefined && {
        action: button(
          () => latest.current.stored,
          (stored) => change(stored, codec.write(stored)),
        ),
      })}
      error={isNoted && isUnreadable ? codec.problem : error}
      onChange={({ target }) =>
        change(target.value.trim() === '' ? '' : (codec.read(target.value) ?? ''), target.value)
      }
      onKeyDown={(event) => {
        const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : undefined;
        if (event.key === 'Enter') onEnter?.(latest.current.stored);
        if (direction === undefined || codec.step === undefined || isUnreadable || field.readOnly) return;
        event.preventDefault();
        const next = codec.step(latest.current.stored, direction);
        change(next, codec.write(next));
      }}
      onBlur={() => {
        setNoted(isUnreadable);
        if (!isUnreadable) adopt({ stored: latest.current.stored, text: codec.write(latest.current.stored) });
        onBlur?.({ type: 'blur', target: { name, value: latest.current.stored, type: 'text', isUnreadable } });
      }}
    />
  );
};
