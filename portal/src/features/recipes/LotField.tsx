import { getLot, listLots } from '@roastery/contract/inventory';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { kgText } from './recipe-texts.ts';

interface LotFieldProps {
  value: string | null;
  onChange: (lotId: string | null) => void;
  onBlur: () => void;
  error: string | undefined;
}

/** One lot of green coffee, found by number, name or origin; the server searches. */
export const LotField = ({ value, onChange, onBlur, error }: LotFieldProps) => {
  const [search, setSearch] = useState('');
  const { data: chosen } = useApi(getLot, value === null ? null : { params: { id: value } });
  const chosenLabel = chosen && `${chosen.lot_number} · ${chosen.coffee_name}`;
  // The field holds the chosen lot's name until somebody types: that is nothing to search for.
  const q = search === chosenLabel ? '' : search.trim();
  const { data } = useApi(
    listLots,
    { query: { limit: 50, sort: 'lot_number', ...(q === '' ? {} : { q }) } },
    { keepPreviousData: true },
  );
  const lots = [
    ...(chosen === undefined || data?.lots.some(({ id }) => id === chosen.id) ? [] : [chosen]),
    ...(data?.lots ?? []),
  ];
  return (
    <Combobox
      label="Green coffee lot"
      placeholder="No lot linked"
      emptyText="No lot found"
      filtered
      onSearch={setSearch}
      choices={lots.map((lot) => ({
        value: lot.id,
        label: `${lot.lot_number} · ${lot.coffee_name}`,
        hint: `${kgText(lot.current_weight)} kg`,
      }))}
      value={value}
      onChange={onChange}
      onBlur={onBlur}
      error={error}
    />
  );
};
