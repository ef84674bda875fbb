import { listOptions, type Option } from '@roastery/contract/settings';
import { useMemo, useState, type ComponentProps, type Ref } from 'react';
import { useApi } from '../api/use-api.ts';
import type { FieldProps } from '../ui/Field.tsx';
import { SuggestField } from '../ui/SuggestField.tsx';
import { TextField } from '../ui/TextField.tsx';
import { isGivenDay } from '../format/zoned-time.ts';

interface OptionFieldProps extends FieldProps {
  category: Option['category'];
  value: string;
  onChange: (value: string) => void;
  onBlur?: (() => void) | undefined;
  maxLength?: number;
  ref?: Ref<HTMLInputElement> | undefined;
}

/** A field with the choices of an option list under Settings. Any other text is accepted. */
export const OptionField = ({ category, ...field }: OptionFieldProps) => {
  const { data } = useApi(
    listOptions,
    { params: { category }, query: { active_only: 'true' } },
    { revalidateOnFocus: false },
  );
  const suggestions = useMemo(() => (data ?? []).map((option) => option.value), [data]);
  return <SuggestField {...field} suggestions={suggestions} />;
};

type DayFieldProps = Omit<ComponentProps<typeof TextField>, 'type' | 'value' | 'onChange' | 'onBlur'> & {
  value: string;
  onChange: (day: string) => void;
};

/** The day of a filter. While 2026 is typed the browser reports the year 0002: only days that the api accepts are passed on. */
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
