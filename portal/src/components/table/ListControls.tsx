import { Search, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { EmptyState } from '../EmptyState.tsx';
import { useTyped } from '../use-typed.ts';

/** `search` of `useListPage`. */
interface ListSearchState {
  /** The search of the list. */
  q: string;
  searchFor: (text: string) => void;
  clear: () => void;
}

interface SearchFieldProps {
  label: string;
  placeholder: string;
  className?: string;
}

export const SearchField = ({
  value,
  onChange,
  className = 'w-full sm:w-80',
  ...rest
}: SearchFieldProps & { value: string; onChange: (text: string) => void }) => (
  <TextField
    {...rest}
    hideLabel
    type="search"
    size="sm"
    icon={<Search aria-hidden />}
    value={value}
    onChange={(event) => onChange(event.target.value)}
    className={className}
  />
);

/** Searches when the typing pauses; a key renders only the field, not the list. */
export const ListSearch = ({
  search,
  ...rest
}: SearchFieldProps & { search: Pick<ListSearchState, 'q' | 'searchFor'> }) => {
  const [typed, setTyped] = useTyped(search.q, search.searchFor);
  return <SearchField {...rest} value={typed} onChange={setTyped} />;
};

/** The last button of a row. */
export const DeleteButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <IconButton label={label} tone="danger" icon={<Trash2 aria-hidden />} onClick={onClick} />
);

interface NoMatchProps {
  title: string;
  search: Pick<ListSearchState, 'q' | 'clear'>;
  filters?: { count: number; reset: () => void };
  icon?: ReactNode;
}

/** The list has rows, but none that match the search and the filters. */
export const NoMatch = ({ title, search, filters, icon = <Search aria-hidden /> }: NoMatchProps) => (
  <EmptyState
    icon={icon}
    title={title}
    action={
      <div className="flex gap-2">
        {search.q !== '' && <Button onClick={search.clear}>{t`Clear search`}</Button>}
        {filters !== undefined && filters.count > 0 && (
          <Button onClick={filters.reset}>{t`Reset filters (${filters.count})`}</Button>
        )}
      </div>
    }
  >
    {search.q === '' ? t`Try other filters.` : t`Nothing was found for “${search.q}”.`}
  </EmptyState>
);
