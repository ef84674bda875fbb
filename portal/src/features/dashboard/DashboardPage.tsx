import { systemStats } from '@roastery/contract/dashboard';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { CalendarDays, Factory, Scale, Sun } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useUser } from '../../api/session.tsx';
import { useApi } from '../../api/use-api.ts';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { StatCard, StatRow } from '../../components/StatCard.tsx';
import { personName } from '../../components/person-name.ts';
import { formatCount } from '../../format/numbers.ts';
import { weightNumber, weightUnit } from '../../format/weights.ts';
import { Attention } from './Attention.tsx';
import { MachinesNow } from './MachinesNow.tsx';
import { RecentActivity } from './RecentActivity.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { t } from '../../language/t.ts';

/** Gone once a roastery has begun, so the first page of the others does not carry it. */
const FirstSteps = lazy(() => import('./FirstSteps.tsx'));
const hasBegun = ({ totalMachines, hasRoasts, hasLots, hasRecipes }: ResponseOf<typeof systemStats>) =>
  totalMachines > 0 && hasRoasts && hasLots && hasRecipes;

const roasts = (howMany: number | undefined) => (howMany === 1 ? t`roast` : t`roasts`);
const refreshMs = 60_000;

export default function DashboardPage() {
  const user = useUser();
  const { data, error, mutate } = useApi(systemStats, {}, { refreshInterval: refreshMs });
  // A failed read shows dashes: zero would be wrong.
  const shown = (text: string | undefined) => text ?? (error === undefined ? undefined : null);
  const name = personName({ ...user, email: user.email.split('@')[0] ?? user.email });

  return (
    <Page>
      <PageHeader title={t`Dashboard`} heading={t`Welcome back, ${name}`} subtitle={t`Production Overview`} />
      <div className="flex flex-col gap-5">
        <ErrorLine title={t`The figures could not be loaded`} error={error} onRetry={() => void mutate()} />
        {data !== undefined && !hasBegun(data) && (
          <Suspense fallback={null}>
            <FirstSteps stats={data} />
          </Suspense>
        )}
        <MachinesNow />
        <StatRow>
          <StatCard
            label={t`Machines`}
            icon={<Factory />}
            value={shown(data && formatCount(data.activeMachines))}
            unit={data && t`of ${formatCount(data.totalMachines)} active`}
          />
          <StatCard
            label={t`Today`}
            icon={<Sun />}
            value={shown(data && formatCount(data.todayRoasts))}
            unit={roasts(data?.todayRoasts)}
          />
          <StatCard
            label={t`This Month`}
            icon={<CalendarDays />}
            value={shown(data && formatCount(data.thisMonthRoasts))}
            unit={roasts(data?.thisMonthRoasts)}
            to={paths.month}
          />
          <StatCard
            label={t`Total Roasted`}
            icon={<Scale />}
            value={shown(data && weightNumber(data.totalRoasted, 1, 1))}
            unit={weightUnit()}
          />
        </StatRow>
        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_17rem]">
          <RecentActivity />
          <div className="flex flex-col gap-5 max-lg:contents">
            <Attention />
            <Shortcuts />
          </div>
        </div>
      </div>
    </Page>
  );
}
