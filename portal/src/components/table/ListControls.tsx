import { Search, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { EmptyState } from '../EmptyState.tsx';

/** `search` of `useListPage`. */
interface ListSearchState {
  /** The search of the list. */
  q: string;
  /** The text in the field. */
  value: string;
  onChange: (text: string) => void;
  clear: () => void;
}

interface ListSearchProps {
  search: Pick<ListSearchState, 'value' | 'onChange'>;
  label: string;
  placeholder: string;
  className?: string;
}

export const ListSearch = ({ search, label, placeholder, className = 'w-full sm:w-80' }: ListSearchProps) => (
  <TextField
    label={label}
    hideLabel
    type="search"
    size="sm"
    placeholder={placeholder}
    icon={<Search aria-hidden />}
    value={search.value}
    onChange={(event) => search.onChange(event.target.value)}
    className={className}
  />
);

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
