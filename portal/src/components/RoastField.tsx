import { listRoasts, type RoastRow } from '@roastery/contract/roasts';
import { useState } from 'react';
import { useApi } from '../api/use-api.ts';
import { roastName } from './live/roast-texts.ts';
import { t } from '../language/t.ts';
import { Combobox } from '../ui/Combobox.tsx';
import { useDates } from '../format/preferences.ts';

interface RoastFieldProps {
  label: string;
  hideLabel?: boolean;
  placeholder: string;
  /** Roasts that are not offered, because they were added before. */
  without: readonly string[];
  onChoose: (roast: RoastRow) => void;
  size?: 'sm' | 'md';
  className?: string;
}

/** Finds a roast by number, coffee, machine or person and passes it on. The field is empty afterwards. */
export const RoastField = ({ without, onChoose, ...field }: RoastFieldProps) => {
  const dates = useDates();
  const [search, setSearch] = useState('');
  const [times, setTimes] = useState(0);
  const [isUsed, setUsed] = useState(false);
  const { data } = useApi(
    listRoasts,
    isUsed ? { query: { limit: 30, ...(search.trim() === '' ? {} : { q: search.trim() }) } } : null,
    { keepPreviousData: true },
  );
  const roasts = (data?.roasts ?? []).filter(({ id }) => !without.includes(id));
  return (
    <Combobox
      key={times}
      filtered
      emptyText={data === undefined ? t`Loading` : t`No roast found`}
      onOpen={() => setUsed(true)}
      onSearch={setSearch}
      choices={roasts.map((roast) => ({
        value: roast.id,
        label: roastName(roast),
        hint: dates.day(roast.start_time),
      }))}
      value={null}
      onChange={(id) => {
        const chosen = roasts.find((roast) => roast.id === id);
        if (chosen === undefined) return;
        setSearch('');
        setTimes((count) => count + 1);
        onChoose(chosen);
      }}
      {...field}
    />
  );
};
