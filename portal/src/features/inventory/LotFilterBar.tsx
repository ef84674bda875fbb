import { lotLocations, lotOrigins, lotStatuses, lotStatusList } from '@roastery/contract/inventory';
import { FilterX } from 'lucide-react';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { ListSearch } from '../../components/table/ListControls.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Select, type Choice } from '../../ui/Select.tsx';
import { everyStatus, type LotFilters } from './lot-filters.ts';

const choicesOf = (values: readonly string[] | undefined, chosen: string | undefined, all: string): Choice[] => [
  { value: '', label: all },
  ...[...new Set([...(values ?? []), ...(chosen === undefined ? [] : [chosen])])].map((value) => ({
    value,
    label: value,
  })),
];

interface LotFilterBarProps {
  filters: LotFilters;
  search: ComponentProps<typeof ListSearch>['search'];
  /** At the right. */
  children: ReactNode;
}

/** Search and filters above the lots. */
export const LotFilterBar = ({ filters, search, children }: LotFilterBarProps) => {
  const { data: statuses } = useApi(lotStatusList, {}, { revalidateOnFocus: false });
  const [areUsed, setUsed] = useState(false);
  const use = () => setUsed(true);
  const { data: origins } = useApi(lotOrigins, areUsed ? {} : null);
  const { data: locations } = useApi(lotLocations, areUsed ? {} : null);
  return (
    <div className="flex flex-wrap items-center gap-2 pb-3">
      <ListSearch
        search={search}
        label={t`Search lots`}
        placeholder={t`Search lot, name, region…`}
        className="max-sm:-order-1 max-sm:min-w-48 max-sm:flex-1 sm:w-52 lg:w-60"
      />
      <Select
        label={t`Status`}
        hideLabel
        size="sm"
        className="min-w-32 max-sm:flex-1 lg:min-w-36"
        choices={choicesOf(statuses, filters.status === everyStatus ? undefined : filters.status, t`All statuses`)}
        value={filters.status === everyStatus ? '' : filters.status}
        onChange={(status) => filters.choose({ status: lotStatuses.find((known) => known === status) ?? everyStatus })}
      />
      <Select
        label={t`Origin`}
        hideLabel
        size="sm"
        className="min-w-32 max-sm:flex-1 lg:min-w-36"
        choices={choicesOf(origins, filters.origin, t`All origins`)}
        value={filters.origin ?? ''}
        onOpen={use}
        onChange={(origin) => filters.choose({ origin })}
      />
      <Select
        label={t`Location`}
        hideLabel
        size="sm"
        className="min-w-32 max-sm:flex-1 lg:min-w-36"
        choices={choicesOf(locations, filters.location, t`All locations`)}
        value={filters.location ?? ''}
        onOpen={use}
        onChange={(location) => filters.choose({ location })}
      />
      {filters.count > 0 && (
        <Button kind="quiet" className="max-sm:order-last" icon={<FilterX aria-hidden />} onClick={filters.reset}>
          {t`Reset filters (${filters.count})`}
        </Button>
      )}
      <div className="flex-1 max-sm:hidden" />
      {children}
    </div>
  );
};
