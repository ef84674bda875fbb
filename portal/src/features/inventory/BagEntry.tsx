import { getRoasterySettings } from '@roastery/contract/settings';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { NumberField } from '../../components/number-fields.tsx';
import { bagText, kilogramsOfBags } from '../../format/bags.ts';
import { weightText } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Select } from '../../ui/Select.tsx';

interface BagEntryProps {
  /** Called with the weight of the bags, kg, as soon as there is one. */
  onWeight: (kg: number) => void;
}

/** Green coffee as it is bought: a number of bags of one size. The sizes are a setting of the roastery. */
export const BagEntry = ({ onWeight }: BagEntryProps) => {
  const { data } = useApi(getRoasterySettings, {}, { revalidateOnFocus: false });
  const sizes = data?.bag_sizes ?? [];
  const [count, setCount] = useState('');
  const [chosen, setChosen] = useState('0');
  const size = sizes[Number(chosen)];
  if (size === undefined) return null;

  const weightOf = (bags: string, place: string): number | null => {
    const of = sizes[Number(place)];
    return of === undefined || !(Number(bags) > 0) ? null : kilogramsOfBags(Number(bags), of);
  };
  const enter = (bags: string, place: string) => {
    setCount(bags);
    setChosen(place);
    const kg = weightOf(bags, place);
    if (kg !== null) onWeight(kg);
  };
  const kg = weightOf(count, chosen);
  return (
    <fieldset className="grid min-w-0 grid-cols-2 gap-x-4 gap-y-1.5">
      <legend className="sr-only">{t`Weight in bags`}</legend>
      <NumberField
        label={t`Bags`}
        min={0}
        value={count}
        hint={kg === null ? t`Or enter bags: they fill in the weight.` : t`${bagText(size)} each: ${weightText(kg, 0)}`}
        onChange={({ target }) => enter(target.value, chosen)}
      />
      <Select
        label={t`Bag size`}
        choices={sizes.map((one, place) => ({ value: String(place), label: bagText(one) }))}
        value={chosen}
        onChange={(place) => enter(count, place)}
      />
    </fieldset>
  );
};
