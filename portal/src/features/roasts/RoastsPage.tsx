import { deleteRoast, listRoasts, roastSortFields, type RoastRow } from '@roastery/contract/roasts';
import { Ellipsis, Flame, GitCompareArrows, ListFilter, Plus, Star, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { useAddAction } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { useWatchedMachines } from '../../components/people/roles.ts';
import { useDates } from '../../format/preferences.ts';
import { RoastTabs } from '../../components/RoastTabs.tsx';
import { ColumnsMenu, useColumns } from '../../components/table/ColumnsMenu.tsx';
import { DataTable, useNarrowerThan } from '../../components/table/DataTable.tsx';
import { DeleteButton, ListSearch, NoMatch } from '../../components/table/ListControls.tsx';
import { bothWays, useListPage } from '../../components/table/use-list-page.tsx';
import type { Deletion } from '../../components/use-deletion.tsx';
import { t } from '../../language/t.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../../ui/Menu.tsx';
import { ExportRoastsMenu } from './ExportRoastsMenu.tsx';
import { useFavoriteRoast } from '../../components/FavoriteStar.tsx';
import { roastColumns } from './roast-columns.tsx';
import { useRoastFilters } from './roast-filters.ts';
import { RoastFilterPanel } from './RoastFilterPanel.tsx';

const pageSizes = [25, 50, 100] as const;
const sorts = bothWays(roastSortFields);
/** The comparison shows at most this many. */
const maxCompared = 5;

const deletion: Deletion<RoastRow> = {
  remove: (roast) => call(deleteRoast, { params: { id: roast.id } }),
  refresh: () => refresh(listRoasts),
  title: (roasts) => (roasts.length === 1 ? t`Delete ${roasts[0].said_number}` : t`Delete ${roasts.length} roasts`),
  question: (roasts) => (
    <>
      <p>
        {roasts.length === 1
          ? t`Are you sure you want to delete this roast? This cannot be undone.`
          : t`Are you sure you want to delete these roasts? This cannot be undone.`}
      </p>
      {roasts.length > 1 && (
        <ul className="mt-2 max-h-48 list-disc overflow-y-auto pl-5">
          {roasts.map((roast) => (
            <li key={roast.id}>
              {roast.said_number} {roast.coffee_name}
            </li>
          ))}
        </ul>
      )}
    </>
  ),
  done: ({ length }) => ({ text: length === 1 ? t`Roast deleted` : t`${length} roasts deleted` }),
  failed: () => ({ text: t`Failed to delete roast. Please try again.` }),
};

/** Below 1024 px: the buttons of the wide table. */
const RoastMenu = ({ roast, onDelete }: { roast: RoastRow; onDelete?: () => void }) => {
  const [isFavorite, toggleFavorite] = useFavoriteRoast(roast);
  return (
    <Menu trigger={<IconButton label={t`Actions for roast ${roast.said_number}`} icon={<Ellipsis aria-hidden />} />}>
      <MenuLink to={paths.compare([roast.id])} icon={<GitCompareArrows aria-hidden />}>
        {t`Compare`}
      </MenuLink>
      <MenuItem icon={<Star aria-hidden />} onSelect={toggleFavorite}>
        {isFavorite ? t`Remove from favorites` : t`Add to favorites`}
      </MenuItem>
      {onDelete !== undefined && (
        <>
          <MenuSeparator />
          <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={onDelete}>
            {t`Delete`}
          </MenuItem>
        </>
      )}
    </Menu>
  );
};

/** /roasts: every roast that this person may see. */
export default function RoastsPage() {
  const dates = useDates();
  const isNarrow = useNarrowerThan(1280);
  const isUpright = useNarrowerThan(1024);
  const filters = useRoastFilters();
  const [isFiltering, setFiltering] = useState(filters.count > 0);
  const list = useListPage(listRoasts, {
    input: (page) => ({ query: { ...page, ...filters.query } }),
    rows: ({ roasts }) => roasts,
    total: ({ total }) => total,
    rowId: ({ id }) => id,
    sorts,
    initialSort: '-start_time',
    pageSize: 100,
    pageSizes,
    deletion,
  });
  const columns = useColumns(
    'roasts',
    useMemo(() => roastColumns(dates, isNarrow), [dates, isNarrow]),
  );
  const watched = useWatchedMachines();
  useAddAction(t`Add roast`, paths.newRoast);
  const menuOf = (roast: RoastRow) => (
    <RoastMenu roast={roast} {...(watched.has(roast.machine_id) ? {} : { onDelete: () => list.delete([roast]) })} />
  );

  return (
    <Page wide>
      <PageHeader
        title={t`Roasts`}
        crumbs={[{ label: t`Roast` }, { label: t`Overview` }, { label: t`Roasts` }]}
        actions={
          <ButtonLink to={paths.newRoast} kind="primary" icon={<Plus aria-hidden />}>
            {t`Add roast`}
          </ButtonLink>
        }
      />
      <RoastTabs value="roasts" />
      <div className="flex flex-wrap items-center gap-2 pb-3">
        <ListSearch
          search={list.search}
          label={t`Search roasts`}
          placeholder={t`Search coffee, origin, machine, profile…`}
        />
        <div className="flex-1 max-sm:hidden" />
        <Button
          icon={<ListFilter aria-hidden />}
          aria-expanded={isFiltering}
          onClick={() => setFiltering((open) => !open)}
        >
          {filters.count > 0 ? t`Filters (${filters.count})` : t`Filters`}
        </Button>
        <ColumnsMenu columns={columns} />
        <ExportRoastsMenu query={{ ...filters.query, ...list.asked }} total={list.total} />
      </div>
      {isFiltering && <RoastFilterPanel filters={filters} />}
      <DataTable
        {...list.table}
        label={t`Roasts`}
        columns={columns.visible}
        rowLabel={(roast) => t`Roast ${roast.said_number}`}
        rowLink={(roast) => paths.roast(roast.id)}
        rowActions={(roast) => {
          if (isUpright) return menuOf(roast);
          return watched.has(roast.machine_id) ? null : (
            <DeleteButton label={t`Delete roast ${roast.said_number}`} onClick={() => list.delete([roast])} />
          );
        }}
        phoneActions={menuOf}
        bulkActions={(roasts) => (
          <>
            {roasts.length > 1 && roasts.length <= maxCompared && (
              <ButtonLink to={paths.compare(roasts.map(({ id }) => id))} icon={<GitCompareArrows aria-hidden />}>
                {t`Compare (${roasts.length})`}
              </ButtonLink>
            )}
            {list.bulkActions(roasts)}
          </>
        )}
        empty={
          list.search.q === '' && filters.count === 0 ? (
            <EmptyState
              icon={<Flame aria-hidden />}
              title={t`No roasts yet`}
              action={
                <ButtonLink to={paths.machines} kind="primary">
                  {t`Get Started`}
                </ButtonLink>
              }
            >
              {t`Connect a machine. Its roasts appear here automatically.`}
            </EmptyState>
          ) : (
            <NoMatch
              title={list.search.q === '' ? t`No roasts match your filters` : t`No roasts match your search`}
              search={list.search}
              filters={filters}
            />
          )
        }
      />
      {list.dialog}
    </Page>
  );
}
