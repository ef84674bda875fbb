import { getPlannedRoast } from '@roastery/contract/planned';
import { useApi } from '../../api/use-api.ts';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Skeleton } from '../../ui/Card.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { LogByHand } from './LogByHand.tsx';
import { UploadRoast } from './UploadRoast.tsx';
import { PlanForm } from './PlanForm.tsx';
import { PlannedQueue } from './PlannedQueue.tsx';
import { QueuedRoast } from './QueuedRoast.tsx';

const ways = ['machine', 'hand', 'upload'] as const;

/** /roasts/new: plan a machine's next roast, log one by hand, or import one from a file. */
export default function NewRoastPage() {
  const { read, change } = useUrlState();
  const way = oneOf(ways, read('way'), 'machine');
  if (way === 'upload' && read('again') !== undefined) return <OriginalReadAgain />;
  return (
    <Page wide={way === 'upload' && read('import') !== undefined}>
      <PageHeader title={t`Add roast`} crumbs={[{ label: t`Roasts`, to: paths.roasts }, { label: t`New roast` }]} />
      <Tabs
        label={t`Ways to add a roast`}
        value={way}
        onChange={(next) => change({ way: next === 'machine' ? undefined : next })}
        tabs={[
          { value: 'machine', label: t`Roast on a machine`, content: way === 'machine' && <RoastOnMachine /> },
          { value: 'hand', label: t`Log by hand`, content: way === 'hand' && <LogByHand /> },
          { value: 'upload', label: t`Upload`, content: way === 'upload' && <UploadRoast /> },
        ]}
      />
    </Page>
  );
}

/** The original of a roast: no roast is added. */
const OriginalReadAgain = () => (
  <Page>
    <PageHeader
      title={t`Read the original again`}
      crumbs={[{ label: t`Roasts`, to: paths.roasts }, { label: t`Original` }]}
    />
    <UploadRoast />
  </Page>
);

interface PlanOrEditProps {
  /** Of the plan that is edited. */
  planId: string | undefined;
  onPlanned: (planId: string) => void;
  onDone: () => void;
}

const PlanOrEdit = ({ planId, onPlanned, onDone }: PlanOrEditProps) => {
  const { data: plan } = useApi(getPlannedRoast, planId === undefined ? null : { params: { id: planId } });
  const actions = { onPlanned, onDone };
  if (planId === undefined) return <PlanForm {...actions} />;
  if (plan === undefined) return <Skeleton className="h-96 w-full" />;
  return plan.status === 'waiting' ? <PlanForm key={plan.id} edited={plan} {...actions} /> : <PlanForm {...actions} />;
};

/** The form and the queue, or one queued roast, whose id is in the address. */
export const RoastOnMachine = () => {
  const { read, change } = useUrlState();
  const planId = read('plan');
  if (planId !== undefined) return <QueuedRoast planId={planId} onLeave={() => change({ plan: undefined })} />;
  const open = (id: string) => change({ plan: id, edit: undefined });
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <PlanOrEdit planId={read('edit')} onPlanned={open} onDone={() => change({ edit: undefined })} />
      <PlannedQueue onOpen={open} onEdit={(id) => change({ edit: id })} />
    </div>
  );
};
