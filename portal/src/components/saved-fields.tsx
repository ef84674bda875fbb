import { useState } from 'react';
import { TextField } from '../ui/TextField.tsx';
import type { DateTimeField } from './date-fields.tsx';
import type { WeightField } from './number-fields.tsx';

interface SavedTextProps {
  label: string;
  shown: string;
  className: string;
  /** In a table the head of the column says what it is. */
  hideLabel?: boolean;
  /** Called when the field is left, or on Enter, with a text that differs. */
  onTyped: (text: string) => void;
}

/** A field in a row of a table, or by itself: saved when it is left. */
export const SavedText = ({ label, shown, className, hideLabel = true, onTyped }: SavedTextProps) => {
  const [typed, setTyped] = useState(shown);
  const [before, setBefore] = useState(shown);
  if (shown !== before) {
    setBefore(shown);
    setTyped(shown);
  }
  const save = () => {
    if (typed.trim() !== shown) onTyped(typed.trim());
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
  onTyped: (stored: string) => void;
}

/** The same for a value whose text depends on the region. */
export const SavedValue = ({ field: Field, stored, onTyped, ...rest }: SavedValueProps) => {
  const save = (typed: string) => {
    if (typed !== stored) onTyped(typed);
  };
  const [edited, setEdited] = useState({ stored, typed: stored });
  if (edited.stored !== stored) setEdited({ stored, typed: stored });
  return (
    <Field
      hideLabel
      size="sm"
      {...rest}
      value={edited.typed}
      onChange={({ target }) => setEdited({ stored, typed: target.value })}
      onBlur={({ target }) => {
        if (!target.isUnreadable) save(target.value);
      }}
      onEnter={save}
    />
  );
};
