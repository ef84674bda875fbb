import { listAudit, type AuditEntry } from '@roastery/contract/users';
import { Info, ScrollText } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { DateTexts } from '../../format/dates.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { useDates } from '../../format/preferences.ts';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { ListSearch } from '../../components/table/ListControls.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { LiveDot } from '../../ui/Badge.tsx';
import { Select } from '../../ui/Select.tsx';
import { actionChoices, actionLabel, isDeletion, isFailure, subjectName } from './audit-texts.ts';
import { AuditEntryDialog } from './AuditEntryDialog.tsx';

const pageSizes = [25, 50, 100] as const;

const toneOf = (action: string) => (isFailure(action) ? 'danger' : isDeletion(action) ? 'warning' : 'faint');

const auditColumns = (dates: DateTexts): readonly Column<AuditEntry>[] => [
  {
    id: 'action',
    label: t`Event`,
    isName: true,
    cell: ({ action }) => (
      <span className="flex items-center gap-2.5">
        <LiveDot tone={toneOf(action)} />
        <span className="truncate">{actionLabel(action)}</span>
      </span>
    ),
  },
  { id: 'subject', label: t`What`, cell: subjectName },
  { id: 'actor', label: t`Who`, cell: ({ actor }) => actor },
  {
    id: 'at',
    label: t`When`,
    cell: ({ at }) => (
      <time dateTime={at} title={dates.ago(at)} className="figures">
        {dates.dayAndTime(at)}
      </time>
    ),
  },
  { id: 'address', label: t`From`, cell: ({ address }) => <span className="figures">{address ?? '--'}</span> },
];

/** /admin/audit: all events, newest first. */
export default function AuditPage() {
  const dates = useDates();
  const { read, change } = useUrlState();
  const action = read('action') ?? '';
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const list = useListPage(listAudit, {
    input: (page) => ({ query: { ...page, ...(action === '' ? {} : { action }) } }),
    rows: ({ entries }) => entries,
    total: ({ total }) => total,
    rowId: ({ id }) => id,
    pageSize: 50,
    pageSizes,
  });
  const columns = useMemo(() => auditColumns(dates), [dates]);

  return (
    <Page>
      <PageHeader
        title={t`Audit Log`}
        crumbs={[{ label: t`Admin` }, { label: t`Audit Log` }]}
        subtitle={t`Sign-ins, permissions, credentials, changes and deletions`}
      />
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <ListSearch search={list.search} label={t`Search the audit log`} placeholder={t`Person, event or ID`} />
          <Select
            label={t`Event`}
            hideLabel
            size="sm"
            className="w-56 max-sm:w-full"
            choices={actionChoices(action)}
            value={action === '' ? 'all' : action}
            onChange={(value) => change({ action: value === 'all' ? undefined : value })}
          />
        </div>
        <DataTable
          {...list.table}
          label={t`Audit log`}
          columns={columns}
          rowLabel={(entry) => actionLabel(entry.action)}
          rowActions={(entry) => (
            <IconButton
              label={t`Details: ${actionLabel(entry.action)}, ${dates.dayAndTime(entry.at)}`}
              icon={<Info aria-hidden />}
              onClick={() => setShown(entry)}
            />
          )}
          empty={
            <EmptyState
              icon={<ScrollText aria-hidden />}
              title={t`No events found`}
              action={
                list.search.q !== '' || action !== '' ? (
                  <Button onClick={() => change({ q: undefined, action: undefined })}>{t`Reset filters`}</Button>
                ) : undefined
              }
            >
              {t`No event matches the search and the filter.`}
            </EmptyState>
          }
        />
      </div>
      <AuditEntryDialog entry={shown} onClose={() => setShown(null)} />
    </Page>
  );
}
