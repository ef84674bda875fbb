import { uploadFormats } from '@roastery/contract/imports';
import {
  listTimesToCheck,
  timeStates,
  type TimesToCheck,
  type TimeState,
  type TimeToCheck,
} from '@roastery/contract/roast-times';
import { Clock } from 'lucide-react';
import { useMemo } from 'react';
import { useUser } from '../../api/session.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { formatNames } from '../../components/program-names.ts';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useSelection } from '../../components/table/selection.ts';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { TimeZoneField } from '../../components/TimeZoneField.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import type { DateTexts } from '../../format/dates.ts';
import { formatCount } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import { type TimesChange, useTimesChange } from './use-times-change.ts';

const columnsFor = (dates: DateTexts, state: TimeState): readonly Column<TimeToCheck>[] => [
  {
    id: 'roast',
    label: t`Roast`,
    isName: true,
    cell: (row) => <span className="figures font-medium text-strong">{row.said_number}</span>,
  },
  { id: 'coffee', label: t`Coffee`, cell: (row) => row.coffee_name ?? '--' },
  { id: 'program', label: t`Program`, cell: (row) => formatNames[row.format] },
  {
    id: 'imported',
    label: t`Imported as`,
    cell: (row) => (
      <span className="figures max-sm:inline-block max-sm:text-balance max-sm:whitespace-normal">
        {dates.dayAndTime(row.imported_time)}
      </span>
    ),
  },
  ...(state === 'right'
    ? []
    : [
        {
          id: 'corrected',
          label: t`Corrected`,
          cell: (row: TimeToCheck) => (
            <span className="figures font-medium text-strong max-sm:inline-block max-sm:text-balance max-sm:whitespace-normal">
              {dates.dayAndTime(row.corrected_time)}
            </span>
          ),
        },
      ]),
  { id: 'machine', label: t`Machine`, cell: (row) => row.machine_name ?? '--', phone: 'none' },
  { id: 'file', label: t`File`, cell: (row) => row.file_name ?? '--', phone: 'none' },
];

const emptyTitles: Record<TimeState, string> = {
  open: t`No times to check`,
  shifted: t`No corrected times`,
  right: t`No confirmed times`,
};

interface ActionsProps {
  state: TimeState;
  /** The selected roasts; undefined for all of the list. */
  count: number;
  isAll: boolean;
  busy: boolean;
  onChange: (action: TimesChange['action']) => void;
}

/** What can be done with the selected roasts, or with all. */
const Actions = ({ state, count, isAll, busy, onChange }: ActionsProps) => {
  const number = formatCount(count);
  if (state !== 'open') {
    return (
      <Button disabled={busy} onClick={() => onChange('undo')}>
        {isAll ? t`Undo all (${number})` : t`Undo (${number})`}
      </Button>
    );
  }
  return (
    <span className="flex flex-wrap gap-2">
      <Button disabled={busy} onClick={() => onChange('confirm')}>
        {isAll ? t`All are right (${number})` : t`Are right (${number})`}
      </Button>
      <Button kind="primary" disabled={busy} onClick={() => onChange('shift')}>
        {isAll ? t`Correct all (${number})` : t`Correct (${number})`}
      </Button>
    </span>
  );
};

const stateChoicesOf = (states: TimesToCheck['states'] | undefined) =>
  [
    { value: 'open', label: t`To check (${formatCount(states?.open ?? 0)})` },
    { value: 'shifted', label: t`Corrected (${formatCount(states?.shifted ?? 0)})` },
    { value: 'right', label: t`Confirmed (${formatCount(states?.right ?? 0)})` },
  ] as const;

/** /roasts/times: roasts that an earlier version imported from files with a local time. */
export default function TimesToCheckPage() {
  const dates = useDates();
  const { roastery_time_zone: roasteryZone } = useUser();
  const { read, change } = useUrlState();
  const state = oneOf(timeStates, read('state'), 'open');
  const format = oneOf(['all', ...uploadFormats] as const, read('program'), 'all');
  const zone = read('zone');
  const filters = { ...(format === 'all' ? {} : { format }), ...(zone === undefined ? {} : { time_zone: zone }) };
  const list = useListPage(listTimesToCheck, {
    input: (page) => ({ query: { limit: page.limit, offset: page.offset, state, ...filters } }),
    rows: ({ roasts }) => roasts,
    total: ({ total }) => total,
    rowId: ({ roast_id: id }) => id,
    pageSize: 50,
  });
  const columns = useMemo(() => columnsFor(dates, state), [dates, state]);
  const selection = useSelection<TimeToCheck>('timesToCheck', ({ roast_id: id }) => id);
  const { busy, apply } = useTimesChange();
  const choose = (next: Record<string, string | undefined>) => {
    selection.select([]);
    change({ ...next, page: undefined });
  };
  const actOn = (rows: readonly TimeToCheck[] | undefined) => async (action: TimesChange['action']) => {
    const ids = rows === undefined ? {} : { roast_ids: rows.map(({ roast_id: id }) => id) };
    const which = action === 'undo' && state !== 'open' ? { state } : {};
    await apply({ action, ...which, ...filters, ...ids });
    selection.select([]);
  };
  const formats = list.data?.formats ?? [];
  return (
    <Page wide>
      <PageHeader
        title={t`Times to check`}
        crumbs={[{ label: t`Roasts`, to: paths.roasts }, { label: t`Times to check` }]}
      />
      <Card className="mb-3 flex flex-col gap-3 px-4 py-3">
        <p className="max-w-4xl text-sm text-content">
          {t`Some programs write the time of a roast without its time zone. These roasts were imported as if it were UTC. Check the corrected times, then correct all of them or the ones you select. You can undo it.`}
        </p>
        <div className="flex flex-wrap items-end gap-3">
          <Select
            label={t`Show`}
            size="sm"
            className="w-44 max-sm:w-full"
            choices={stateChoicesOf(list.data?.states)}
            value={state}
            onChange={(next) => choose({ state: next === 'open' ? undefined : next, program: undefined })}
          />
          <Select
            label={t`Program`}
            size="sm"
            className="w-44 max-sm:w-full"
            choices={[
              { value: 'all', label: t`All programs` },
              ...uploadFormats
                .filter((one) => one === format || formats.some((count) => count.format === one))
                .map((one) => ({
                  value: one,
                  label: `${formatNames[one]} (${formatCount(formats.find((count) => count.format === one)?.roasts ?? 0)})`,
                })),
            ]}
            value={format}
            onChange={(next) => choose({ program: next === 'all' ? undefined : next })}
          />
          {state === 'open' && (
            <TimeZoneField
              label={t`Time zone of the files`}
              size="sm"
              className="w-60 max-sm:w-full"
              value={zone ?? roasteryZone}
              onChange={(next) => choose({ zone: next === null || next === roasteryZone ? undefined : next })}
            />
          )}
          {(list.total ?? 0) > 0 && (
            <div className="ml-auto">
              <Actions
                state={state}
                count={list.total ?? 0}
                isAll
                busy={busy}
                onChange={(action) => void actOn(undefined)(action)}
              />
            </div>
          )}
        </div>
      </Card>
      <DataTable<TimeToCheck>
        {...list.table}
        label={t`Times to check`}
        columns={columns}
        selection={selection}
        bulkActions={(rows) => (
          <Actions
            state={state}
            count={rows.length}
            isAll={false}
            busy={busy}
            onChange={(action) => void actOn(rows)(action)}
          />
        )}
        rowLabel={({ said_number: number }) => t`Roast ${number}`}
        rowLink={({ roast_id: id }) => paths.roast(id)}
        empty={
          <EmptyState icon={<Clock aria-hidden />} title={emptyTitles[state]}>
            {state === 'open' && t`The times of all imported roasts are checked, or do not depend on a time zone.`}
          </EmptyState>
        }
      />
    </Page>
  );
}
