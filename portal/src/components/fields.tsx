import { listOptions, type Option } from '@roastery/contract/settings';
import { useMemo, type Ref } from 'react';
import { useApi, useSettled } from '../api/use-api.ts';
import type { FieldProps } from '../ui/Field.tsx';
import { SuggestField } from '../ui/SuggestField.tsx';

interface OptionFieldProps extends FieldProps {
  category: Option['category'];
  value: string;
  onChange: (value: string) => void;
  onBlur?: (() => void) | undefined;
  maxLength?: number;
  ref?: Ref<HTMLInputElement> | undefined;
}

/** The lists are read after the form has been shown: earlier they would delay it by one request per field. */
const settleMs = 1500;

/** A field with the choices of an option list under Settings. Any other text is accepted. */
export const OptionField = ({ category, ...field }: OptionFieldProps) => {
  const { data } = useApi(
    listOptions,
    useSettled(settleMs) ? { params: { category }, query: { active_only: 'true' } } : null,
    { revalidateOnFocus: false },
  );
  const suggestions = useMemo(() => (data ?? []).map((option) => option.value), [data]);
  return <SuggestField {...field} suggestions={suggestions} />;
};
