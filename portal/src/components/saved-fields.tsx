import { useState, type ReactNode } from 'react';
import { TextField } from '../ui/TextField.tsx';
import type { DateTimeField } from './date-fields.tsx';
import type { WeightField } from './number-fields.tsx';

/** Stores the chosen value, and reports a failure itself. Undefined: there is nothing to store. */
type Save<Value> = (next: Value) => Promise<unknown> | undefined;

/** A value that is saved at once: the last choice is shown until all are stored, then the stored value. */
export const useChosen = <Value,>(stored: Value, save: Save<Value>): [shown: Value, choose: (next: Value) => void] => {
  const [chosen, setChosen] = useState<{ readonly last: Value; readonly unstored: number } | null>(null);
  const choose = (next: Value) => {
    setChosen((now) => ({ last: next, unstored: (now?.unstored ?? 0) + 1 }));
    void Promise.resolve(save(next)).finally(() =>
      setChosen((now) => (now === null || now.unstored === 1 ? null : { ...now, unstored: now.unstored - 1 })),
    );
  };
  return [chosen === null ? stored : chosen.last, choose];
};

interface SavedChoiceProps<Value> {
  stored: Value;
  onChosen: Save<Value>;
  children: (shown: Value, choose: (next: Value) => void) => ReactNode;
}

/** The same around a select, a checkbox or another field. */
export const SavedChoice = <Value,>({ stored, onChosen, children }: SavedChoiceProps<Value>) => {
  const [shown, choose] = useChosen(stored, onChosen);
  return children(shown, choose);
};

interface SavedTextProps {
  label: string;
  shown: string;
  className: string;
  /** In a table the head of the column labels it. */
  hideLabel?: boolean;
  /** Called when the field is left, or on Enter, with a text that differs. */
  onTyped: Save<string>;
}

/** A field in a row of a table, or by itself: saved when it is left. */
export const SavedText = ({ label, shown, className, hideLabel = true, onTyped }: SavedTextProps) => {
  const [last, choose] = useChosen(shown, onTyped);
  const [typed, setTyped] = useState(last);
  const [before, setBefore] = useState(last);
  if (last !== before) {
    setBefore(last);
    // An answer does not overwrite later input.
    if (typed.trim() === before.trim()) setTyped(last);
  }
  const save = () => {
    if (typed.trim() !== last) choose(typed.trim());
  };
  return (
    <TextField
      label={label}
      hideLabel={hideLabel}
      size="sm"
      value={typed}
      className={className}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save();
      }}
    />
  );
};

interface SavedValueProps {
  field: typeof DateTimeField | typeof WeightField;
  label: string;
  stored: string;
  /** Without one where the head of the column names it. */
  unit?: undefined;
  className: string;
  hideLabel?: boolean;
  onTyped: Save<string>;
}

/** The same for a value whose text depends on the region. */
export const SavedValue = ({ field: Field, stored, onTyped, ...rest }: SavedValueProps) => {
  const [last, choose] = useChosen(stored, onTyped);
  const save = (typed: string) => {
    if (typed !== last) choose(typed);
  };
  const [edited, setEdited] = useState({ last, typed: last });
  if (edited.last !== last) setEdited({ last, typed: edited.typed === edited.last ? last : edited.typed });
  return (
    <Field
      hideLabel
      size="sm"
      {...rest}
      value={edited.typed}
      onChange={({ target }) => setEdited({ last, typed: target.value })}
      onBlur={({ target }) => {
        if (!target.isUnreadable) save(target.value);
      }}
      onEnter={save}
    />
  );
};
