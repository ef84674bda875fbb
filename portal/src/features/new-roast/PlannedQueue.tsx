import { cancelPlannedRoast, getPlannedRoast, listPlannedRoasts, type PlannedRoast } from '@roastery/contract/planned';
import { Timer, X } from 'lucide-react';
import { useState } from 'react';
import { refresh, useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { plannedDetails, plannedName } from '../../components/PlannedRoast.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { Panel, Skeleton } from '../../ui/Card.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { toast } from '../../ui/toast.ts';

const refreshMs = 5000;

/** The queue of each machine in order. */
export const PlannedQueue = ({ onOpen }: { onOpen: (planId: string) => void }) => {
  const { data, error, mutate } = useApi(listPlannedRoasts, { query: {} }, { refreshInterval: refreshMs });
  return (
    <Panel title={t`Up next`}>
      {data === undefined ? (
        error === undefined ? (
          <div className="flex flex-col gap-3 p-4">
            <Skeleton className="h-10 w-full" />
            <Skeleton className="h-10 w-full" />
          </div>
        ) : (
          <ErrorState title={t`The queue could not be loaded`} error={error} onRetry={() => void mutate()} />
        )
      ) : data.planned.length === 0 ? (
        <EmptyState icon={<Timer aria-hidden />} title={t`The queue is empty`}>
          {t`Add a roast. The next charge on its machine starts it.`}
        </EmptyState>
      ) : (
        <ul className="divide-y divide-stroke">
          {data.planned.map((plan) => (
            <QueuedPlan key={plan.id} plan={plan} onOpen={() => onOpen(plan.id)} />
          ))}
        </ul>
      )}
    </Panel>
  );
};

const QueuedPlan = ({ plan, onOpen }: { plan: PlannedRoast; onOpen: () => void }) => {
  const [busy, setBusy] = useState(false);
  const cancel = async () => {
    setBusy(true);
    await removeFromQueue(plan);
    setBusy(false);
  };
  return (
    <li className="flex items-center gap-2 py-1.5 pr-2 pl-4">
      <button type="button" onClick={onOpen} className="min-w-0 flex-1 rounded-sm py-1.5 text-left hover:underline">
        <span className="block truncate text-base font-medium text-strong">{plannedName(plan)}</span>
        <span className="block truncate text-sm text-muted">
          {[plan.machine_name, plannedDetails(plan)].filter((text) => text !== '').join(' · ')}
        </span>
        <span className="block text-xs text-muted">
          {plan.ahead === 0
            ? t`Next · added ${<RelativeTime moment={plan.created_at} />}`
            : t`${plan.ahead} ahead · added ${<RelativeTime moment={plan.created_at} />}`}
        </span>
      </button>
      <IconButton
        label={t`Remove ${plannedName(plan)} from the queue of ${plan.machine_name}`}
        icon={<X aria-hidden />}
        disabled={busy}
        onClick={() => void cancel()}
      />
    </li>
  );
};

/** Removes a roast from the queue; false when it failed. */
export const removeFromQueue = async (plan: PlannedRoast): Promise<boolean> => {
  try {
    await call(cancelPlannedRoast, { params: { id: plan.id } });
    toast(t`${plannedName(plan)} was removed from the queue`);
    return true;
  } catch (error) {
    logError('The roast could not be removed from the queue', error);
    toast(sentenceFor(error, t`The roast could not be removed from the queue`), { tone: 'danger' });
    return false;
  } finally {
    await refresh(listPlannedRoasts, getPlannedRoast);
  }
};
