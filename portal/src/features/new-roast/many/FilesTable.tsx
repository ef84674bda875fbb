import {
  importFileSorts,
  importProblems,
  listImportFiles,
  type ImportFile,
  type RoastImport,
} from '@roastery/contract/roast-imports';
import { FileSearch } from 'lucide-react';
import { useMemo } from 'react';
import { refresh, type InOrder } from '../../../api/use-api.ts';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ColumnsMenu, useColumns } from '../../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../../components/table/DataTable.tsx';
import { ListSearch, NoMatch } from '../../../components/table/ListControls.tsx';
import { useListPage } from '../../../components/table/use-list-page.tsx';
import { oneOf, useUrlState } from '../../../components/url-state.ts';
import { formatCount } from '../../../format/numbers.ts';
import { t } from '../../../language/t.ts';
import { Select } from '../../../ui/Select.tsx';
import { fileColumns, problemLabels } from './file-columns.tsx';

const filters = ['all', 'any', 'none', ...importProblems] as const;

interface FilesTableProps {
  import: RoastImport;
  isAtWork: boolean;
  inOrder: InOrder;
  onChanged: () => Promise<unknown>;
}

/** The files of an import: their contents, their problems, and fields to correct them. */
export const FilesTable = ({ import: one, isAtWork, inOrder, onChanged }: FilesTableProps) => {
  const { read, change } = useUrlState();
  const problem = oneOf(filters, read('problem'), 'all');
  const list = useListPage(listImportFiles, {
    input: (page) => ({
      params: { id: one.id },
      query: { ...page, ...(problem === 'all' ? {} : { problem }) },
    }),
    rows: ({ files }) => files,
    total: ({ total }) => total,
    rowId: ({ id }) => id,
    sorts: importFileSorts,
    initialSort: 'file_name',
    pageSize: 50,
    pageSizes: [50, 200, 500],
    ...(isAtWork ? { refreshInterval: 2000 } : {}),
  });
  const columns = useColumns(
    'import-files',
    useMemo(
      () =>
        fileColumns(one, inOrder, async () => {
          await Promise.all([refresh(listImportFiles), onChanged()]);
        }),
      [one, inOrder, onChanged],
    ),
  );
  const counts = new Map(one.problems.map(({ problem: kind, files }) => [kind, files]));
  const withAny = one.problems.reduce((sum, { files }) => sum + files, 0);
  const choices = [
    { value: 'all', label: t`All files (${formatCount(one.files)})` },
    { value: 'any', label: t`With a problem (${formatCount(withAny)})` },
    { value: 'none', label: t`Ready (${formatCount(one.ready)})` },
    ...importProblems
      .filter((kind) => counts.has(kind))
      .map((kind) => ({ value: kind, label: `${problemLabels[kind]} (${formatCount(counts.get(kind) ?? 0)})` })),
  ] as const;
  return (
    <section aria-label={t`Files`} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <ListSearch search={list.search} label={t`Search files`} placeholder={t`Search file or coffee…`} />
        <Select
          label={t`Status`}
          hideLabel
          size="sm"
          className="w-full sm:w-64"
          choices={choices}
          value={problem}
          onChange={(next) => change({ problem: next === 'all' ? undefined : next, page: undefined })}
        />
        <ColumnsMenu columns={columns} />
      </div>
      <DataTable<ImportFile>
        {...list.table}
        label={t`Files`}
        columns={columns.visible}
        rowLabel={({ file_name: name }) => name}
        empty={
          problem !== 'all' || list.search.q !== '' ? (
            <NoMatch
              title={t`No file matches`}
              search={list.search}
              filters={{ count: problem === 'all' ? 0 : 1, reset: () => change({ problem: undefined }) }}
            />
          ) : (
            <EmptyState icon={<FileSearch aria-hidden />} title={t`No files yet`} />
          )
        }
      />
    </section>
  );
};
