import { useState, type ComponentProps } from 'react';
import { TextField } from '../ui/TextField.tsx';
import { isGivenDay } from '../format/zoned-time.ts';

type DayFieldProps = Omit<ComponentProps<typeof TextField>, 'type' | 'value' | 'onChange' | 'onBlur'> & {
  value: string;
  onChange: (day: string) => void;
};

/** A filter's day. The browser reports the year 0002 while one types 2026: only days that the api takes are passed on. */
export const DayField = ({ value, onChange, ...field }: DayFieldProps) => {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      {...field}
      type="date"
      value={typed ?? value}
      onBlur={() => setTyped(null)}
      onChange={({ target }) => {
        const isTaken = target.value === '' || isGivenDay(target.value);
        setTyped(isTaken ? null : target.value);
        if (isTaken) onChange(target.value);
      }}
    />
  );
};
