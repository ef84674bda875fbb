import { lotLocations, lotOrigins, lotStatusList } from '@roastery/contract/inventory';
import { FilterX, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { useTyped } from '../../components/use-typed.ts';
import { Button } from '../../ui/Button.tsx';
import { Select, type Choice } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import type { LotFilters, StatusChoice } from './lot-filters.ts';

const choicesOf = (values: readonly string[] | undefined, chosen: string | undefined, all: string): Choice[] => [
  { value: '', label: all },
  ...[...new Set([...(values ?? []), ...(chosen === undefined ? [] : [chosen])])].map((value) => ({
    value,
    label: value,
  })),
];

/** Search and filters above the lots, with what else can be done at the right. */
export const LotFilterBar = ({ filters, children }: { filters: LotFilters; children: ReactNode }) => {
  const { data: statuses } = useApi(lotStatusList, {}, { revalidateOnFocus: false });
  const { data: origins } = useApi(lotOrigins, {});
  const { data: locations } = useApi(lotLocations, {});
  const [typed, setTyped] = useTyped(filters.q, (q) => filters.choose({ q }));
  return (
    <div className="flex flex-wrap items-center gap-2 pb-3">
      <TextField
        label="Search lots"
        hideLabel
        size="sm"
        type="search"
        icon={<Search aria-hidden />}
        placeholder="Search lot, name, region…"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="w-full sm:w-52 lg:w-60"
      />
      <Select
        label="Status"
        hideLabel
        size="sm"
        className="min-w-32 max-sm:flex-1 lg:min-w-36"
        choices={choicesOf(statuses, filters.status === 'all' ? undefined : filters.status, 'All statuses')}
        value={filters.status === 'all' ? '' : filters.status}
        onChange={(status) => filters.choose({ status: status === '' ? 'all' : (status as StatusChoice) })}
      />
      <Select
        label="Origin"
        hideLabel
        size="sm"
        className="min-w-32 max-sm:flex-1 lg:min-w-36"
        choices={choicesOf(origins, filters.origin, 'All origins')}
        value={filters.origin ?? ''}
        onChange={(origin) => filters.choose({ origin })}
      />
      <Select
        label="Location"
        hideLabel
        size="sm"
        className="min-w-32 max-sm:flex-1 lg:min-w-36"
        choices={choicesOf(locations, filters.location, 'All locations')}
        value={filters.location ?? ''}
        onChange={(location) => filters.choose({ location })}
      />
      {filters.count > 0 && (
        <Button kind="quiet" className="max-sm:order-last" icon={<FilterX aria-hidden />} onClick={filters.reset}>
          Reset filters ({filters.count})
        </Button>
      )}
      <div className="flex-1 max-sm:hidden" />
      {children}
    </div>
  );
};
