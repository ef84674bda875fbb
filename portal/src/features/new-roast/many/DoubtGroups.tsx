import {
  decideImportFiles,
  doubtfulProblems,
  listImportFiles,
  type DoubtfulProblem,
  type RoastImport,
} from '@roastery/contract/roast-imports';
import { call } from '../../../api/call.ts';
import { refresh, type InOrder } from '../../../api/use-api.ts';
import { useAction } from '../../../components/use-action.ts';
import { useUrlState } from '../../../components/url-state.ts';
import { formatCount } from '../../../format/numbers.ts';
import { t } from '../../../language/t.ts';
import { Button } from '../../../ui/Button.tsx';
import { Panel } from '../../../ui/Card.tsx';
import { problemLabels } from './file-columns.tsx';

const reasons: Record<DoubtfulProblem, string> = {
  duration: t`The roast is much shorter or longer than usual. The unit of time, the charge or the drop may be wrong.`,
  drop: t`The beans are dropped before they turn, or colder than at their turning point.`,
  first_crack: t`First crack is at an unusual temperature. The unit or the mark may be wrong.`,
  time_offset: t`The recording begins long after its zero. The column or the unit of time may be wrong.`,
};

interface DoubtGroupsProps {
  import: RoastImport;
  inOrder: InOrder;
  onChanged: (next: RoastImport) => Promise<void>;
}

/** Unlikely roasts by reason: all of a reason are imported or skipped at once. */
export const DoubtGroups = ({ import: one, inOrder, onChanged }: DoubtGroupsProps) => {
  const counts = new Map(one.problems.map(({ problem, files }) => [problem, files]));
  const groups = doubtfulProblems.flatMap((problem) => {
    const files = counts.get(problem);
    return files === undefined ? [] : [{ problem, files }];
  });
  if (groups.length === 0) return null;
  return (
    <Panel title={t`Unlikely roasts`}>
      <ul className="divide-y divide-stroke">
        {groups.map((group) => (
          <DoubtGroup key={group.problem} {...group} importId={one.id} inOrder={inOrder} onChanged={onChanged} />
        ))}
      </ul>
    </Panel>
  );
};

interface DoubtGroupProps extends Omit<DoubtGroupsProps, 'import'> {
  importId: string;
  problem: DoubtfulProblem;
  files: number;
}

const DoubtGroup = ({ importId, problem, files, inOrder, onChanged }: DoubtGroupProps) => {
  const { change } = useUrlState();
  const { run, isBusy } = useAction();
  const decide = (decision: 'import' | 'skip') =>
    void run(
      () =>
        inOrder(async () => {
          await onChanged(await call(decideImportFiles, { params: { id: importId }, body: { problem, decision } }));
          await refresh(listImportFiles);
        }),
      t`The files could not be changed`,
    );
  const name = problemLabels[problem];
  return (
    <li aria-label={name} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 max-w-2xl">
        <p className="text-sm font-medium text-strong">
          {files === 1 ? t`${name}: 1 file` : t`${name}: ${formatCount(files)} files`}
        </p>
        <p className="text-sm text-muted">{reasons[problem]}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => change({ problem, page: undefined })}>{t`Show`}</Button>
        <Button busy={isBusy} onClick={() => decide('skip')}>{t`Skip`}</Button>
        <Button busy={isBusy} onClick={() => decide('import')}>{t`Import all of these`}</Button>
      </div>
    </li>
  );
};
