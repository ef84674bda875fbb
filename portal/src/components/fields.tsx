import { listOptions, type Option } from '@roastery/contract/settings';
import { useMemo, type Ref } from 'react';
import { useApi } from '../api/use-api.ts';
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
