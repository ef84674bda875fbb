import { listMachines } from '@roastery/contract/machines';
import { Link } from 'react-router-dom';
import { useApi } from '../api/use-api.ts';
import { paths } from '../components/paths.ts';
import { t } from '../language/t.ts';
import { LiveDot } from '../ui/Badge.tsx';

const refreshMs = 15_000;
const shownAtMost = 2;

/** Links to the machines that roast, each to its live view. Shows nothing while no machine roasts. */
export const RoastingNow = () => {
  const { data } = useApi(listMachines, { query: { sort: 'name' } }, { refreshInterval: refreshMs });
  const roasting = (data ?? []).filter(({ current_roast_id: roast }) => roast !== null);
  if (roasting.length === 0) return null;
  return (
    <ul aria-label={t`Roasting now`} className="flex min-w-0 items-center gap-1.5">
      {roasting.slice(0, shownAtMost).map(({ id, display_name: name, connection, silent_since: silentSince }, i) => (
        <li key={id} className={i > 0 ? 'max-w-60 min-w-0 max-md:hidden' : 'max-w-60 min-w-0'}>
          <Link
            to={paths.cockpit(id)}
            className="flex h-8 min-w-0 items-center gap-2 rounded-full border border-stroke-strong bg-surface pr-3 pl-2.5 text-sm text-strong hover:bg-hover pointer-coarse:h-10"
          >
            {connection === 'online' && silentSince === null ? (
              <>
                <LiveDot tone="accent" pulsing />
                <span className="truncate">{name}</span>
                <span className="text-muted max-sm:hidden">{t`roasting`}</span>
              </>
            ) : (
              <>
                <LiveDot tone="warning" />
                <span className="truncate">{name}</span>
                <span className="whitespace-nowrap text-warning">
                  {silentSince === null ? t`signal lost` : t`no answer`}
                </span>
              </>
            )}
          </Link>
        </li>
      ))}
      {roasting.length > shownAtMost && (
        <li className="max-md:hidden">
          <Link
            to={paths.machines}
            className="figures rounded-sm px-1 text-sm whitespace-nowrap text-muted hover:text-strong"
          >
            {t`+${roasting.length - shownAtMost} more`}
          </Link>
        </li>
      )}
    </ul>
  );
};
