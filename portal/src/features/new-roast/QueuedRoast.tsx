import { getPlannedRoast, type PlannedRoast } from '@roastery/contract/planned';
import { getProfile } from '@roastery/contract/profiles';
import { makeRoast } from '@roastery/contract/timeline';
import { guideOf, plannedAt, settingsText } from '@roastery/roasting/recipe/guide';
import { CircleSlash, Flame, Timer } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { useLive, type LiveMachine } from '../../api/use-live.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Unread } from '../../components/ErrorState.tsx';
import { useAction } from '../../components/use-action.ts';
import { Measure } from '../../components/figures.tsx';
import { paths } from '../../components/paths.ts';
import { plannedDetails, plannedName } from '../../components/PlannedRoast.tsx';
import { changeRoast } from '../../components/roast-changes.ts';
import { t } from '../../language/t.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { LiveDot } from '../../ui/Badge.tsx';
import { RemoveFromQueue } from './MachineQueue.tsx';

const refreshMs = 3000;

interface WaitingForChargeProps {
  planId: string;
  /** Back to the form. */
  onLeave: () => void;
}

/** The machine's state while a queued roast waits for its charge; then the roast's page opens. */
export const QueuedRoast = ({ planId, onLeave }: WaitingForChargeProps) => {
  const navigate = useNavigate();
  const {
    data: plan,
    error,
    mutate,
  } = useApi(getPlannedRoast, { params: { id: planId } }, { refreshInterval: refreshMs });
  const live = useLive(plan?.status === 'waiting' ? plan.machine_id : null);
  // A roast of this machine started or changed: check at once whether it is the queued one.
  const running = live.roast?.id;
  useEffect(() => {
    if (running !== undefined) void mutate();
  }, [running, mutate]);
  const roastId = plan?.status === 'bound' ? plan.roast_id : null;
  useEffect(() => {
    if (roastId !== null && roastId !== undefined) void navigate(paths.roast(roastId), { replace: true });
  }, [roastId, navigate]);

  if (plan === undefined) {
    return (
      <Card>
        <Unread
          skeleton="m-4 h-48"
          title={t`The queued roast could not be loaded`}
          error={error}
          onRetry={() => void mutate()}
        />
      </Card>
    );
  }
  if (plan.status !== 'waiting') return <NoLongerWaiting plan={plan} onLeave={onLeave} />;
  return <Waiting plan={plan} live={live} onLeave={onLeave} />;
};

const NoLongerWaiting = ({ plan, onLeave }: { plan: PlannedRoast; onLeave: () => void }) => (
  <Card>
    <EmptyState
      icon={<CircleSlash aria-hidden />}
      title={plan.status === 'cancelled' ? t`This roast was removed from the queue` : t`This roast has started`}
      action={
        <Button kind="primary" onClick={onLeave}>
          {t`Queue another roast`}
        </Button>
      }
    >
      {t`${plannedName(plan)} on ${plan.machine_name}`}
    </EmptyState>
  </Card>
);

const Waiting = ({ plan, live, onLeave }: { plan: PlannedRoast; live: LiveMachine; onLeave: () => void }) => {
  const { run, isBusy } = useAction();
  const [removing, setRemoving] = useState<PlannedRoast | null>(null);
  const navigate = useNavigate();
  const chargeNow = () =>
    void run(
      async () => {
        const made = await changeRoast(call(makeRoast, { params: { id: plan.machine_id }, body: {} }));
        await navigate(paths.roast(made.id), { replace: true });
      },
      t`The roast could not be started`,
    );
  return (
    <Card className="flex flex-col gap-6 p-5 sm:p-8" aria-label={t`Queued roast`}>
      <div>
        <p className="label-mono flex items-center gap-2">
          <Timer aria-hidden className="size-3.5" />
          {plan.ahead === 0 ? t`Up next` : t`${plan.ahead} ahead in the queue`} · {plan.machine_name}
        </p>
        <p className="mt-2 text-3xl font-semibold tracking-tight text-strong">{plannedName(plan)}</p>
        <p className="mt-1 text-lg text-muted">{plannedDetails(plan)}</p>
        {plan.roasted_by !== null && <p className="mt-1 text-base text-muted">{t`Roasted by ${plan.roasted_by}`}</p>}
      </div>
      <MachineNow live={live} />
      <PlanOnBoard plan={plan} live={live} />
      <p className="max-w-xl text-base text-muted">
        {t`Charge when you are ready. The roast starts by itself and opens here. If the charge is not detected, use Charge now. You can leave this page: the roast stays in the queue.`}
      </p>
      <div className="flex flex-wrap gap-2">
        {plan.ahead === 0 && live.state === 'live' && live.roast?.status !== 'in_progress' && (
          <Button size="lg" icon={<Flame aria-hidden />} disabled={isBusy} onClick={chargeNow}>
            {t`Charge now`}
          </Button>
        )}
        <Button size="lg" disabled={isBusy} onClick={() => setRemoving(plan)}>
          {t`Remove from queue`}
        </Button>
        <Button size="lg" kind="quiet" onClick={onLeave}>
          {t`Queue another`}
        </Button>
        {live.roast?.status === 'in_progress' && (
          <ButtonLink size="lg" kind="quiet" to={paths.roast(live.roast.id)}>
            {t`Open the running roast`}
          </ButtonLink>
        )}
      </div>
      <RemoveFromQueue plan={removing} onClose={() => setRemoving(null)} onRemoved={onLeave} />
    </Card>
  );
};

/** The guide that starts with the charge, and whether the board has it: then it works without a network. */
const PlanOnBoard = ({ plan, live }: { plan: PlannedRoast; live: LiveMachine }) => {
  const { data: recipe } = useApi(getProfile, plan.profile_id === null ? null : { params: { id: plan.profile_id } });
  if (recipe === undefined) return null;
  const first = plannedAt(guideOf({ points: recipe.control_profile, interpolated: recipe.auto_interpolate }), 0);
  const held = live.status?.plan?.id === plan.id;
  return (
    <div data-testid="plan-on-board">
      <p className="text-lg font-medium text-strong">{t`Recipe: ${recipe.name}`}</p>
      {first !== null && <p className="figures mt-1 text-base text-content">{t`Starts with ${settingsText(first)}`}</p>}
      {plan.ahead === 0 && (
        <p className="mt-1 text-sm text-muted">
          {held ? t`The plan is on the board` : t`The plan is not on the board yet`}
        </p>
      )}
    </div>
  );
};

const stateLabels: Record<LiveMachine['state'], string> = {
  connecting: t`Connecting to the machine`,
  live: t`Live`,
  stale: t`No new readings`,
  offline: t`Offline: the board sends the charge when it reconnects`,
};

const MachineNow = ({ live }: { live: LiveMachine }) => {
  const fresh = live.state === 'live';
  return (
    <div>
      <p className="flex items-center gap-2 text-sm text-muted">
        <LiveDot tone={fresh ? 'accent' : live.state === 'stale' ? 'warning' : 'faint'} pulsing={fresh} />
        <output>{stateLabels[live.state]}</output>
        {!fresh && live.readingAgeSeconds !== null && (
          <span className="figures">{t`${live.readingAgeSeconds} s ago`}</span>
        )}
      </p>
      <dl className="mt-2 flex flex-wrap gap-x-10 gap-y-3">
        <div>
          <dt className="label-mono">{t`Bean temp`}</dt>
          <dd>
            <Measure
              quantity="temperature"
              value={live.reading?.values['bean_temp']}
              stale={!fresh}
              className="text-5xl font-semibold tracking-tight"
            />
          </dd>
        </div>
        <div>
          <dt className="label-mono">{t`Exhaust`}</dt>
          <dd>
            <Measure
              quantity="temperature"
              value={live.reading?.values['exhaust_temp']}
              stale={!fresh}
              className="text-5xl font-semibold tracking-tight"
            />
          </dd>
        </div>
      </dl>
    </div>
  );
};
