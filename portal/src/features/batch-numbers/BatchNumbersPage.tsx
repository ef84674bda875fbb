import { listBatchNumbers, type BatchNumber, type BatchNumberState } from '@roastery/contract/batch-numbers';
import { Hash } from 'lucide-react';
import { useMemo } from 'react';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { ListSearch, NoMatch } from '../../components/table/ListControls.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import type { DateTexts } from '../../format/dates.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';
import { Select } from '../../ui/Select.tsx';

const states: Record<BatchNumberState, { label: string; tone: Tone }> = {
  planned: { label: t`Planned`, tone: 'info' },
  roasted: { label: t`Roasted`, tone: 'success' },
  cancelled: { label: t`Plan cancelled`, tone: 'neutral' },
  discarded: { label: t`Roast discarded`, tone: 'warning' },
  deleted: { label: t`Roast deleted`, tone: 'danger' },
  replaced: { label: t`Replaced by another number`, tone: 'neutral' },
  lost: { label: t`Not used: could not be saved`, tone: 'neutral' },
};
const stateNames = ['planned', 'roasted', 'cancelled', 'discarded', 'deleted', 'replaced', 'lost'] as const;
const stateChoices = [
  { value: 'all', label: t`All numbers` },
  ...stateNames.map((value) => ({ value, label: states[value].label })),
] as const;

const columnsFor = (dates: DateTexts): readonly Column<BatchNumber>[] => [
  {
    id: 'number',
    label: t`Batch no.`,
    isName: true,
    cell: (row) => <span className="figures font-medium text-strong">{row.batch_number}</span>,
    phone: 'title',
  },
  {
    id: 'state',
    label: t`Status`,
    cell: (row) => <Badge tone={states[row.state].tone}>{states[row.state].label}</Badge>,
    phone: 'side',
  },
  { id: 'coffee', label: t`Coffee`, cell: (row) => row.coffee_name ?? '--', phone: 'title' },
  { id: 'machine', label: t`Machine`, cell: (row) => row.machine_name ?? '--', phone: 'detail' },
  {
    id: 'given',
    label: t`Assigned on`,
    cell: (row) => <span className="figures">{dates.dayAndTime(row.given_at)}</span>,
    phone: 'detail',
  },
  {
    id: 'ended',
    label: t`Ended on`,
    cell: (row) => <span className="figures">{row.ended_at === null ? '--' : dates.dayAndTime(row.ended_at)}</span>,
  },
];

const addressOf = ({ roast_id: roastId, plan_id: planId }: BatchNumber): string =>
  roastId !== null ? paths.roast(roastId) : planId !== null ? paths.plannedRoast(planId) : paths.batchNumbers;

/** /roasts/batch-numbers: every used number, with its state. */
export default function BatchNumbersPage() {
  const dates = useDates();
  const { read, change } = useUrlState();
  const state = oneOf(['all', ...stateNames] as const, read('state'), 'all');
  const columns = useMemo(() => columnsFor(dates), [dates]);
  const list = useListPage(listBatchNumbers, {
    input: (page) => ({ query: { ...page, ...(state === 'all' ? {} : { state }) } }),
    rows: ({ numbers }) => numbers,
    total: ({ total }) => total,
    rowId: ({ batch_number: number }) => number,
    pageSize: 50,
  });
  return (
    <Page wide>
      <PageHeader
        title={t`Batch numbers`}
        crumbs={[
          { label: t`Roast` },
          { label: t`Overview` },
          { label: t`Roasts`, to: paths.roasts },
          { label: t`Batch numbers` },
        ]}
      />
      <div className="flex flex-wrap items-center gap-3 pb-3">
        <ListSearch search={list.search} label={t`Search numbers`} placeholder={t`Number, coffee or machine`} />
        <Select
          label={t`Status`}
          hideLabel
          size="sm"
          className="w-56 max-sm:w-full"
          choices={stateChoices}
          value={state}
          onChange={(next) => change({ state: next === 'all' ? undefined : next, page: undefined })}
        />
      </div>
      <DataTable
        {...list.table}
        label={t`Batch numbers`}
        columns={columns}
        rowLabel={(row) => t`Batch ${row.batch_number}`}
        rowLink={addressOf}
        empty={
          list.search.q === '' && state === 'all' ? (
            <EmptyState icon={<Hash aria-hidden />} title={t`No batch numbers yet`}>
              {t`A roast gets its number when it is planned, or at its charge.`}
            </EmptyState>
          ) : (
            <NoMatch title={t`No numbers match your search`} search={list.search} />
          )
        }
      />
    </Page>
  );
}
