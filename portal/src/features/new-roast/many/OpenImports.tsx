import { listRoastImports } from '@roastery/contract/roast-imports';
import { useApi } from '../../../api/use-api.ts';
import { formatCount } from '../../../format/numbers.ts';
import { useDates } from '../../../format/preferences.ts';
import { t } from '../../../language/t.ts';
import { Button } from '../../../ui/Button.tsx';
import { Panel } from '../../../ui/Card.tsx';

/** Unfinished imports, and those that can be undone. */
export const OpenImports = ({ onOpen }: { onOpen: (id: string) => void }) => {
  const { data } = useApi(listRoastImports, {});
  const dates = useDates();
  if (data === undefined || data.imports.length === 0) return null;
  return (
    <Panel title={t`Imports of many files`}>
      <ul className="divide-y divide-stroke">
        {data.imports.map((one) => (
          <li key={one.id} className="flex flex-wrap items-center justify-between gap-3 px-4 py-2 text-sm">
            <span className="figures min-w-0 text-content">
              {t`${dates.dayAndTime(one.created_at)} · ${formatCount(one.files)} files · ${formatCount(one.imported)} imported`}
            </span>
            <Button onClick={() => onOpen(one.id)}>{one.state === 'open' ? t`Continue` : t`Show`}</Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
