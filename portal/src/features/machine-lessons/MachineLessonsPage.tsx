import { getMachineLessons, type MachineLessons } from '@roastery/contract/machine-lessons';
import { getMachine } from '@roastery/contract/machines';
import { GraduationCap } from 'lucide-react';
import { useParams } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { isMissing, MissingMachine } from '../../components/MissingPage.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { formatNumber, formatRoasts } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Card, Panel, Skeleton } from '../../ui/Card.tsx';
import { CoursePanel } from './CoursePanel.tsx';
import { DriftPanel } from './DriftPanel.tsx';
import { ForecastPanel } from './ForecastPanel.tsx';

/** /machines/{id}/learnt: what a machine's own roasts have taught about it. */
export default function MachineLessonsPage() {
  const { id = '' } = useParams();
  const machine = useApi(getMachine, { params: { id } });
  const lessons = useApi(getMachineLessons, { params: { id } });
  if (isMissing(machine.error) || isMissing(lessons.error))
    return <MissingMachine icon={<GraduationCap aria-hidden />} />;
  const name = machine.data?.display_name;
  return (
    <Page>
      <PageHeader
        title={name === undefined ? t`What this machine has learnt` : t`What ${name} has learnt`}
        crumbs={[{ label: t`Machines`, to: paths.machines }, { label: name ?? t`Machine` }, { label: t`Learnt` }]}
        subtitle={<Source lessons={lessons.data} />}
        actions={<ButtonLink to={paths.timeline(id)}>{t`Timeline`}</ButtonLink>}
      />
      {lessons.data !== undefined ? (
        <Learnt lessons={lessons.data} />
      ) : lessons.error === undefined ? (
        <div className="grid gap-4 lg:grid-cols-[2fr_1fr]">
          <Skeleton className="h-80 w-full rounded-lg" />
          <Skeleton className="h-44 w-full rounded-lg" />
        </div>
      ) : (
        <Card>
          <ErrorState
            title={t`What it has learnt could not be loaded`}
            error={lessons.error}
            onRetry={() => void lessons.mutate()}
          />
        </Card>
      )}
    </Page>
  );
}

const Source = ({ lessons }: { lessons: MachineLessons | undefined }) => {
  const dates = useDates();
  if (lessons === undefined || lessons.from === null || lessons.to === null)
    return <>{t`From its own completed roasts.`}</>;
  const [roasts, from, to] = [formatRoasts(lessons.roasts), dates.day(lessons.from), dates.day(lessons.to)];
  return <>{from === to ? t`From ${roasts}, ${to}` : t`From ${roasts}, ${from} to ${to}`}</>;
};

const Learnt = ({ lessons }: { lessons: MachineLessons }) => {
  const { roasts, forecast, probe_lag: lag } = lessons;
  if (roasts === 0) {
    return (
      <Card>
        <EmptyState icon={<GraduationCap aria-hidden />} title={t`Nothing learnt yet`}>
          {t`It learns from completed roasts with a recorded curve. The first forecast needs five of them.`}
        </EmptyState>
      </Card>
    );
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[2fr_1fr]">
      <div className="flex flex-col gap-4">
        <ForecastPanel forecast={forecast} roasts={roasts} />
        <CoursePanel lessons={lessons} />
      </div>
      <div className="flex flex-col gap-4">
        <DriftPanel lessons={lessons} />
        <ProbePanel lag={lag} />
      </div>
    </div>
  );
};

/** How slowly the bean probe follows the beans. */
const ProbePanel = ({ lag }: { lag: MachineLessons['probe_lag'] }) => (
  <Panel title={t`Bean probe`}>
    <div className="flex flex-col gap-1 px-4 py-4">
      {lag === null ? (
        <p className="text-base text-content">
          {t`Too few falls after the charge show the lag of the probe; four are needed.`}
        </p>
      ) : (
        <>
          <p className="label-mono">{t`Lag`}</p>
          <p className="figures text-2xl font-semibold tracking-tight text-strong">
            {formatNumber(lag.seconds, 0)}
            <span className="text-base font-normal tracking-normal text-muted"> s</span>
          </p>
          <p className="text-sm text-muted">
            {t`The time for 63 % of a change, by ${formatRoasts(lag.roasts)}. Half of them lie between ${formatNumber(lag.low, 0)} and ${formatNumber(lag.high, 0)} s.`}
          </p>
        </>
      )}
    </div>
  </Panel>
);
