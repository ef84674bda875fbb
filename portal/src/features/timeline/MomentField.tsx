import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { DateTimeField } from '../../components/date-fields.tsx';
import { instantOf, localSecondOf } from '../../format/zoned-time.ts';

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

/** A time to the second on the roastery's clock. Unreadable input is kept as typed and is not a time. */
export const MomentField = ({ label, value, onChange, error, hint }: MomentFieldProps) => {
  const zone = useZone();
  const text = value === null ? '' : localSecondOf(value, zone);
  // The typed text stays until another time comes from outside.
  const [typed, setTyped] = useState<{ ms: number | null; local: string } | null>(null);
  return (
    <DateTimeField
      size="sm"
      label={label}
      error={error}
      hint={hint}
      value={typed !== null && typed.ms === value ? typed.local : text}
      onChange={({ target }) => {
        const instant = instantOf(target.value, zone);
        const next = instant === null ? null : Date.parse(instant);
        setTyped({ ms: next, local: target.value });
        onChange(next);
      }}
    />
  );
};
