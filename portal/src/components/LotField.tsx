import { getLot, listLots, type Lot } from '@roastery/contract/inventory';
import { useState } from 'react';
import { useApi } from '../api/use-api.ts';
import { weightText } from '../format/weights.ts';
import { t } from '../language/t.ts';
import { Combobox } from '../ui/Combobox.tsx';

interface LotFieldProps {
  value: string | null;
  onChange: (lotId: string | null) => void;
  onBlur?: (() => void) | undefined;
  /** `Green coffee lot`, unless a page has several such fields. */
  label?: string;
  hideLabel?: boolean;
  error?: string | undefined;
  hint?: string | undefined;
  placeholder?: string;
  /** Called with the chosen lot, so that a form can copy its values. */
  onLot?: ((lot: Lot | null) => void) | undefined;
  size?: 'sm' | 'md';
}

/** A lot of green coffee, found by number, name or origin on the server. The lots are read when the list is opened. */
export const LotField = (props: LotFieldProps) => {
  const { value, onChange, onLot, placeholder = t`No lot linked`, ...field } = props;
  const [search, setSearch] = useState('');
  const [isUsed, setUsed] = useState(false);
  const { data: chosen, isLoading } = useApi(getLot, value === null ? null : { params: { id: value } });
  const chosenLabel = chosen && `${chosen.lot_number} · ${chosen.coffee_name}`;
  // Until the person types, the field holds the name of the chosen lot, which is not a search.
  const q = search === chosenLabel ? '' : search.trim();
  const {
    data,
    isLoading: isReading,
    error,
  } = useApi(listLots, isUsed ? { query: { limit: 50, sort: 'lot_number', ...(q === '' ? {} : { q }) } } : null, {
    keepPreviousData: true,
  });
  const nothing = error !== undefined && data === undefined ? t`Lots could not be loaded` : t`No lot found`;
  const lots = [
    ...(chosen === undefined || data?.lots.some(({ id }) => id === chosen.id) ? [] : [chosen]),
    ...(data?.lots ?? []),
  ];
  return (
    <Combobox
      label={t`Green coffee lot`}
      placeholder={placeholder}
      emptyText={isReading ? t`Loading` : nothing}
      isLoading={isLoading}
      unknown={t`Chosen lot`}
      filtered
      onOpen={() => setUsed(true)}
      onSearch={setSearch}
      choices={lots.map((lot) => ({
        value: lot.id,
        label: `${lot.lot_number} · ${lot.coffee_name}`,
        hint: weightText(lot.current_weight),
      }))}
      value={value}
      onChange={(id) => {
        onChange(id);
        onLot?.(lots.find((lot) => lot.id === id) ?? null);
      }}
      {...field}
    />
  );
};
