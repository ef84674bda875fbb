import { listPlannedRoasts, type PlannedRoast } from '@roastery/contract/planned';
import { Timer } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { useWatchedMachines } from '../../components/people/roles.ts';
import { t } from '../../language/t.ts';
import { Panel, Skeleton } from '../../ui/Card.tsx';
import { MachineQueue } from './MachineQueue.tsx';

const refreshMs = 5000;

interface PlannedQueueProps {
  onOpen: (planId: string) => void;
  onEdit: (planId: string) => void;
}

const byMachine = (plans: readonly PlannedRoast[]): [string, PlannedRoast[]][] => {
  const groups = new Map<string, PlannedRoast[]>();
  for (const plan of plans) groups.set(plan.machine_id, [...(groups.get(plan.machine_id) ?? []), plan]);
  return [...groups];
};

/** The queue of each machine in order. */
export const PlannedQueue = ({ onOpen, onEdit }: PlannedQueueProps) => {
  const { data, error, mutate } = useApi(listPlannedRoasts, { query: {} }, { refreshInterval: refreshMs });
  const watched = useWatchedMachines();
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
        byMachine(data.planned).map(([machineId, plans]) => (
          <MachineQueue
            key={machineId}
            {...{ machineId, plans, onOpen, onEdit }}
            days={data.days.filter((day) => day.machine_id === machineId)}
            today={data.today}
            mayChange={!watched.has(machineId)}
          />
        ))
      )}
    </Panel>
  );
};
