import { listRoasts, type RoastRow } from '@roastery/contract/roasts';
import { ArrowRight, Coffee } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { Measure } from '../../components/figures.tsx';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Panel, Skeleton } from '../../ui/Card.tsx';
import { LiveDot } from '../../ui/Badge.tsx';

const fetched = 10;
const shown = 8;
const refreshMs = 30_000;

/** The latest roasts; a row opens its roast. */
export const RecentActivity = () => {
  const { data, error, mutate } = useApi(listRoasts, { query: { limit: fetched } }, { refreshInterval: refreshMs });
  const roasts = (data?.roasts ?? []).slice(0, shown);
  const isEmpty = data !== undefined ? roasts.length === 0 : error !== undefined;
  return (
    <Panel
      title={t`Recent Activity`}
      actions={
        <Link
          to={paths.roasts}
          className="flex items-center gap-1 rounded-sm text-sm font-medium text-accent-text hover:underline pointer-coarse:py-2"
        >
          {t`View all`}
          <ArrowRight aria-hidden className="size-3.5" />
        </Link>
      }
    >
      {error !== undefined && (
        <div className="p-3">
          <ErrorLine title={t`The latest roasts could not be loaded`} error={error} onRetry={() => void mutate()} />
        </div>
      )}
      {isEmpty ? (
        <EmptyState
          icon={<Coffee />}
          title={t`No roasts yet`}
          action={
            <ButtonLink to={paths.machines} kind="primary" size="md">
              {t`Get Started`}
            </ButtonLink>
          }
        >
          {t`Register a machine. Its roasts appear here.`}
        </EmptyState>
      ) : (
        <ul className="divide-y divide-stroke">
          {data === undefined
            ? Array.from({ length: shown }, (_, i) => <RowSkeleton key={i} />)
            : roasts.map((roast) => <Row key={roast.id} roast={roast} />)}
        </ul>
      )}
    </Panel>
  );
};

const rowClass = 'grid min-h-13 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2';

const RowSkeleton = () => (
  <li className={rowClass}>
    <Skeleton className="h-4 w-48 max-w-full" />
    <Skeleton className="h-4 w-28" />
  </li>
);

const Row = ({ roast }: { roast: RoastRow }) => {
  const dates = useDates();
  const isRunning = roast.status === 'in_progress';
  const number = roast.batch_number ?? roast.source_batch;
  return (
    <li>
      <Link to={paths.roast(roast.id)} className={`${rowClass} hover:bg-hover focus-visible:-outline-offset-2`}>
        <span className="min-w-0">
          <span className="flex items-center gap-2">
            {isRunning && <LiveDot tone="accent" pulsing />}
            <span className="truncate font-medium text-strong">
              {roast.coffee_name ?? t`Roast #${roast.id.slice(0, 8)}`}
            </span>
            {number !== null && <span className="figures shrink-0 text-sm text-muted">{number}</span>}
          </span>
          <span className="block truncate text-sm text-muted">
            {roast.machine_name ?? t`Unknown`}
            {isRunning && ` · ${t`roasting now`}`}
          </span>
        </span>
        <span className="text-right">
          <Measure quantity="weight" value={roast.batch_size_kg} />
          <time dateTime={roast.start_time} className="figures block text-sm text-muted">
            {dates.day(roast.start_time)} {dates.time(roast.start_time)}
          </time>
        </span>
      </Link>
    </li>
  );
};
