import { listMachines, type Machine } from '@roastery/contract/machines';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Skeleton } from '../../ui/Card.tsx';

/** Its live values need the schemas of the stream, which the first page does without. */
const LiveMachines = lazy(() => import('./LiveMachines.tsx'));

const refreshMs = 15_000;
const idleShown = 6;

/** The heights of LiveMachines: nothing below moves when it is loaded. */
const Loading = ({ machines }: { machines: readonly Machine[] }) => (
  <div aria-hidden className="flex flex-col gap-3">
    {machines.map(({ id, current_roast_id: roast }) => (
      <Skeleton key={id} className={roast === null ? 'h-12' : 'h-52'} />
    ))}
  </div>
);

/** What happens on each machine now. Nothing without a machine that was ever connected. */
export const MachinesNow = () => {
  const { data } = useApi(listMachines, { query: { sort: 'name' } }, { refreshInterval: refreshMs });
  const machines = (data ?? []).filter(({ connection }) => connection !== 'never_connected');
  if (machines.length === 0) return null;
  const roasting = machines.filter(({ current_roast_id: roast }) => roast !== null);
  const idle = machines.filter(({ current_roast_id: roast }) => roast === null);
  const shown = [...roasting, ...idle.slice(0, idleShown)];
  return (
    <section aria-label={t`Machines now`} className="flex flex-col gap-3">
      <Suspense fallback={<Loading machines={shown} />}>
        <LiveMachines machines={shown} />
      </Suspense>
      {idle.length > idleShown && (
        <Link
          to={paths.machines}
          className="self-start rounded-sm text-sm font-medium text-accent-text hover:underline"
        >
          {t`${idle.length - idleShown} more machines`}
        </Link>
      )}
    </section>
  );
};
