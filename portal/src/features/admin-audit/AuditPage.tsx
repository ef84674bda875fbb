import { listAudit, type AuditEntry } from '@roastery/contract/users';
import { Info, ScrollText, Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import type { DateTexts } from '../../format/dates.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { useTyped } from '../../components/use-typed.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { LiveDot } from '../../ui/LiveDot.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { actionChoices, actionWords, isDeletion, isFailure, subjectName } from './audit-words.ts';
import { AuditEntryDialog } from './AuditEntryDialog.tsx';

const pageSizes = [25, 50, 100] as const;
const usualSize = '50';

const toneOf = (action: string) => (isFailure(action) ? 'danger' : isDeletion(action) ? 'warning' : 'faint');

const auditColumns = (dates: DateTexts): readonly Column<AuditEntry>[] => [
  {
    id: 'action',
    label: 'Event',
    isName: true,
    cell: ({ action }) => (
      <span className="flex items-center gap-2.5">
        <LiveDot tone={toneOf(action)} />
        <span className="truncate">{actionWords(action)}</span>
      </span>
    ),
  },
  { id: 'subject', label: 'What', cell: subjectName },
  { id: 'actor', label: 'Who', cell: ({ actor }) => actor },
  {
    id: 'at',
    label: 'When',
    cell: ({ at }) => (
      <time dateTime={at} title={dates.ago(at)} className="figures">
        {dates.dayAndTime(at)}
      </time>
    ),
  },
  { id: 'address', label: 'From', cell: ({ address }) => <span className="figures">{address ?? '--'}</span> },
];

/** /admin/audit: who did what, newest first. */
export default function AuditPage() {
  const dates = useDates();
  const { read, change } = useUrlState();
  const q = read('q') ?? '';
  const action = read('action') ?? '';
  const pageSize = Number(oneOf(pageSizes.map(String), read('rows'), usualSize));
  const page = Math.max(1, Math.floor(Number(read('page') ?? 1)) || 1);
  const [typed, setTyped] = useTyped(q, (text) => change({ q: text.trim() }));
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const { data, error, isValidating, mutate } = useApi(
    listAudit,
    {
      query: {
        limit: pageSize,
        offset: (page - 1) * pageSize,
        ...(q === '' ? {} : { q }),
        ...(action === '' ? {} : { action }),
      },
    },
    { keepPreviousData: true },
  );
  const columns = useMemo(() => auditColumns(dates), [dates]);

  return (
    <Page>
      <PageHeader
        title="Audit Log"
        crumbs={[{ label: 'Home', to: paths.dashboard }, { label: 'Admin' }, { label: 'Audit Log' }]}
        subtitle="Who did what: sign-ins, rights, secrets, changes and deletions"
      />
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <TextField
            label="Search the audit log"
            hideLabel
            type="search"
            size="sm"
            placeholder="Person, event or id"
            icon={<Search />}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="w-full sm:w-80"
          />
          <Select
            label="Event"
            hideLabel
            size="sm"
            className="w-56 max-sm:w-full"
            choices={actionChoices(action)}
            value={action === '' ? 'all' : action}
            onChange={(value) => change({ action: value === 'all' ? undefined : value })}
          />
        </div>
        <DataTable
          label="Audit log"
          columns={columns}
          rows={data?.entries}
          rowId={({ id }) => id}
          rowLabel={(entry) => actionWords(entry.action)}
          rowActions={(entry) => (
            <IconButton
              label={`Details: ${actionWords(entry.action)}, ${dates.dayAndTime(entry.at)}`}
              icon={<Info aria-hidden />}
              onClick={() => setShown(entry)}
            />
          )}
          error={error}
          onRetry={() => void mutate()}
          isRefreshing={isValidating && data !== undefined}
          empty={
            <EmptyState
              icon={<ScrollText aria-hidden />}
              title="Nothing found"
              action={
                q !== '' || action !== '' ? (
                  <Button onClick={() => change({ q: undefined, action: undefined })}>Reset filters</Button>
                ) : undefined
              }
            >
              No entry of the log fits.
            </EmptyState>
          }
          paging={{
            page,
            pageSize,
            total: data?.total,
            onPage: (next) => change({ page: next === 1 ? undefined : String(next) }),
            pageSizes,
            onPageSize: (size) => change({ rows: String(size) === usualSize ? undefined : String(size) }),
          }}
        />
      </div>
      <AuditEntryDialog entry={shown} onClose={() => setShown(null)} />
    </Page>
  );
}
