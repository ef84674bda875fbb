import type { ImportFile, ImportProblem, RoastImport } from '@roastery/contract/roast-imports';
import { formatDuration } from '@roastery/roasting/units';
import { Link } from 'react-router-dom';
import type { InOrder } from '../../../api/use-api.ts';
import type { Column } from '../../../components/table/columns.ts';
import { paths } from '../../../components/paths.ts';
import { formatBytes } from '../../../format/numbers.ts';
import { weightUnit } from '../../../format/weights.ts';
import { t } from '../../../language/t.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { formatNames } from '../../../components/program-names.ts';
import { CoffeeCell, DateCell, Decision, LotCell, MachineCell, WeightsCell } from './correct-cells.tsx';

export const problemLabels: Record<ImportProblem, string> = {
  refused: t`Can’t be read`,
  columns: t`Columns to choose`,
  no_charge: t`No charge`,
  no_date: t`No date`,
  duplicate: t`Duplicate`,
  duration: t`Unlikely duration`,
  drop: t`Unlikely drop`,
  first_crack: t`Unlikely first crack`,
  time_offset: t`Unlikely times`,
  failed: t`Not imported`,
  weights: t`Unlikely weights`,
  check: t`To check`,
  left_out: t`Skipped`,
};

const tones = {
  refused: 'danger',
  failed: 'danger',
  columns: 'warning',
  no_charge: 'warning',
  no_date: 'warning',
  duplicate: 'warning',
  duration: 'warning',
  drop: 'warning',
  first_crack: 'warning',
  time_offset: 'warning',
  weights: 'info',
  check: 'info',
  left_out: 'neutral',
} as const;

const FileCell = ({ file }: { file: ImportFile }) => {
  const folders = file.file_name.split('/');
  const name = folders.pop() ?? file.file_name;
  return (
    <span className="block min-w-0 max-w-48">
      <span className="block truncate font-medium text-strong" title={file.file_name}>
        {file.roast_id === null ? (
          name
        ) : (
          <Link className="hover:underline" to={paths.roast(file.roast_id)}>
            {name}
          </Link>
        )}
      </span>
      <span className="block truncate text-xs text-muted">
        {[
          file.format === null ? formatBytes(file.size_bytes) : formatNames[file.format],
          ...(file.source_batch === null ? [] : [t`batch ${file.source_batch}`]),
          ...folders,
        ].join(' · ')}
      </span>
    </span>
  );
};

const ProblemCell = ({ file }: { file: ImportFile }) => (
  <span className="flex max-w-48 min-w-40 flex-col items-start gap-1 whitespace-normal">
    {file.state === 'waiting' && <Badge>{t`Reading…`}</Badge>}
    {file.state === 'imported' && <Badge tone="success">{t`Imported`}</Badge>}
    {file.state === 'undone' && <Badge>{t`Undone`}</Badge>}
    {file.problem !== null && file.state !== 'imported' && (
      <Badge tone={tones[file.problem]}>{problemLabels[file.problem]}</Badge>
    )}
    {file.remarks.map((remark) => (
      <span key={remark} className="text-xs text-muted">
        {remark}
      </span>
    ))}
  </span>
);

/** Columns of the review. Fields are offered while the import is open. */
export const fileColumns = (
  one: RoastImport,
  inOrder: InOrder,
  onChanged: () => Promise<void>,
): Column<ImportFile>[] => {
  const isOpen = one.state === 'open';
  const cell = { importId: one.id, inOrder, onChanged, forAll: one };
  const canCorrect = (file: ImportFile) => isOpen && file.state === 'read';
  return [
    { id: 'file', label: t`File`, isName: true, sort: 'file_name', cell: (file) => <FileCell file={file} /> },
    {
      id: 'problem',
      label: t`Status`,
      sort: 'problem',
      cell: (file) => (
        <span className="flex flex-col items-start gap-1.5 py-2">
          <ProblemCell file={file} />
          {canCorrect(file) && <Decision file={file} {...cell} />}
        </span>
      ),
    },
    {
      id: 'coffee',
      label: t`Coffee`,
      sort: 'coffee_name',
      cell: (file) => <CoffeeCell file={file} canCorrect={canCorrect(file)} {...cell} />,
    },
    {
      id: 'date',
      label: t`Charged`,
      sort: 'start_time',
      cell: (file) => <DateCell file={file} canCorrect={canCorrect(file)} {...cell} />,
    },
    {
      id: 'duration',
      label: t`Duration`,
      sort: 'duration_seconds',
      align: 'right',
      cell: ({ duration_seconds: seconds }) => <span className="figures">{formatDuration(seconds)}</span>,
    },
    {
      id: 'weights',
      label: t`Weights, ${weightUnit()}`,
      sort: 'batch_size_kg',
      align: 'right',
      cell: (file) => <WeightsCell file={file} canCorrect={canCorrect(file)} {...cell} />,
    },
    {
      id: 'machine',
      label: t`Machine`,
      cell: (file) => <MachineCell file={file} canCorrect={canCorrect(file)} {...cell} />,
    },
    {
      id: 'lot',
      label: t`Lot`,
      hiddenAtFirst: true,
      cell: (file) => <LotCell file={file} canCorrect={canCorrect(file)} {...cell} />,
    },
  ];
};
