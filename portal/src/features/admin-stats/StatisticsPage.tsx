import { adminStats } from '@roastery/contract/users';
import { ArrowRight, Coffee, Factory, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Card.tsx';

const refreshMs = 60_000;

/** /admin/stats: totals over all users. */
export default function StatisticsPage() {
  const { data, error, mutate } = useApi(adminStats, {}, { refreshInterval: refreshMs });
  const failed = error !== undefined && data === undefined;
  return (
    <Page>
      <PageHeader
        title={t`Statistics`}
        crumbs={[{ label: t`Admin` }, { label: t`Statistics` }]}
        subtitle={t`The whole roastery: all users, all machines, all roasts`}
        actions={
          <ButtonLink to={paths.analytics} icon={<ArrowRight aria-hidden />}>
            {t`Analytics`}
          </ButtonLink>
        }
      />
      <div className="flex flex-col gap-4">
        <ErrorLine title={t`The statistics could not be loaded`} error={error} onRetry={() => void mutate()} />
        <div className="grid gap-3 sm:grid-cols-3">
          <Figure
            label={t`Total Users`}
            to={paths.users}
            icon={<Users />}
            total={data?.total_users}
            part={data?.active_users}
            partText={t`active`}
            failed={failed}
          />
          <Figure
            label={t`Total Machines`}
            to={paths.machines}
            icon={<Factory />}
            total={data?.total_machines}
            part={data?.active_machines}
            partText={t`active`}
            failed={failed}
          />
          <Figure
            label={t`Total Roasts`}
            to={paths.roasts}
            icon={<Coffee />}
            total={data?.total_roasts}
            part={data?.roasts_this_month}
            partText={t`this month`}
            failed={failed}
          />
        </div>
        <p className="text-sm text-muted">
          {t`A machine is active while its board is online. Months are counted in the roastery’s time zone.`}
        </p>
      </div>
    </Page>
  );
}

interface FigureProps {
  label: string;
  to: string;
  icon: ReactNode;
  total: number | undefined;
  part: number | undefined;
  partText: string;
  /** The statistics could not be loaded: dashes are shown. */
  failed: boolean;
}

/** A total and its active part, with the share as a bar. The card links to the list. */
const Figure = ({ label, to, icon, total, part, partText, failed }: FigureProps) => {
  const share = total === undefined || part === undefined || total === 0 ? 0 : part / total;
  return (
    <Link
      to={to}
      className="group flex flex-col gap-4 rounded-lg border border-stroke bg-surface p-5 hover:border-stroke-strong hover:bg-hover"
    >
      <span className="flex items-center justify-between gap-2">
        <span className="label-mono">{label}</span>
        <span aria-hidden className="text-faint group-hover:text-strong [&_svg]:size-4">
          {icon}
        </span>
      </span>
      {total === undefined || part === undefined ? (
        <>
          {failed ? <span className="text-3xl text-muted">--</span> : <Skeleton className="h-10 w-24" />}
          <Skeleton className={failed ? 'h-5 w-0' : 'h-5 w-32'} />
        </>
      ) : (
        <>
          <span className="figures text-3xl font-semibold tracking-tight text-strong">{formatCount(total)}</span>
          <span className="flex flex-col gap-1.5">
            <span aria-hidden className="h-1 overflow-hidden rounded-full bg-sunken">
              <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
            </span>
            <span className="figures text-sm text-muted">
              <span className="font-medium text-content">{formatCount(part)}</span> {partText}
            </span>
          </span>
        </>
      )}
    </Link>
  );
};
