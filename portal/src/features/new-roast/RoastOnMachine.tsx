import { useUrlState } from '../../components/url-state.ts';
import { PlanForm } from './PlanForm.tsx';
import { PlannedQueue } from './PlannedQueue.tsx';
import { WaitingForCharge } from './WaitingForCharge.tsx';

/** Choose what goes into a machine next; then wait with it for the charge. Which plan is waited for stands in the address. */
export const RoastOnMachine = () => {
  const { read, change } = useUrlState();
  const planId = read('plan');
  if (planId !== undefined) return <WaitingForCharge planId={planId} onLeave={() => change({ plan: undefined })} />;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <PlanForm onPlanned={(id) => change({ plan: id })} />
      <PlannedQueue onOpen={(id) => change({ plan: id })} />
    </div>
  );
};
