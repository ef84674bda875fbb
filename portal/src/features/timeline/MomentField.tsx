import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { instantOf, localSecondOf } from '../../format/zoned-time.ts';
import { TextField } from '../../ui/TextField.tsx';

/** The roastery's time zone: all times are shown in it. */
export const useZone = (): string => useSession().user?.roastery_time_zone ?? 'UTC';

interface MomentFieldProps {
  label: string;
  /** ms since 1970; null while nothing is chosen. */
  value: number | null;
  onChange: (ms: number | null) => void;
  error?: string | undefined;
  hint?: string | undefined;
}

/** A moment to the second on the roastery's clock. Unreadable input is kept as typed and is no time. */
export const MomentField = ({ label, value, onChange, error, hint }: MomentFieldProps) => {
  const zone = useZone();
  const text = value === null ? '' : localSecondOf(value, zone);
  const [typed, setTyped] = useState<string | null>(null);
  // A new value from outside replaces the typed text.
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(null);
  }
  return (
    <TextField
      type="datetime-local"
      step={1}
      size="sm"
      label={label}
      error={error}
      hint={hint}
      value={typed ?? text}
      onChange={(event) => {
        setTyped(event.target.value);
        const instant = instantOf(event.target.value, zone);
        const next = instant === null ? null : Date.parse(instant);
        setKnown(next);
        onChange(next);
      }}
    />
  );
};
