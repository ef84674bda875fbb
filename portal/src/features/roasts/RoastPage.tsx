import { deleteRoast, getRoast, listRoasts, type Roast } from '@roastery/contract/roasts';
import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { ApiError, sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useShownError } from '../../api/failed-reads.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { ConfirmDialog, DiscardDialog } from '../../components/ConfirmDialog.tsx';
import { isMissing, MissingPage } from '../../components/MissingPage.tsx';
import { attempt } from '../../components/attempt.ts';
import { lazyDialog } from '../../components/lazy-dialog.tsx';
import { useMayRoast } from '../../components/people/roles.ts';
import { usePageActions } from '../../components/page-actions.tsx';
import { Page } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { discard } from '../../components/roast-changes.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Skeleton } from '../../ui/Card.tsx';
import { toast } from '../../ui/toast.ts';
import { FinishedRoast } from './FinishedRoast.tsx';
import { PrintedHead } from './PrintedRoast.tsx';
import { RoastAlarms } from './RoastAlarms.tsx';
import { CoffeeCard, ParametersCard, RecordCard } from './RoastCards.tsx';
import { RoastHeader } from './RoastHeader.tsx';
import { coffeeName, roastName, timelineOf } from '../../components/live/roast-texts.ts';

// Forms, schemas and the live stream are not needed to view a roast that is over.
const LiveRoast = lazy(async () => ({ default: (await import('./LiveRoast.tsx')).LiveRoast }));
const EditRoastDialog = lazyDialog(
  async () => (await import('./EditRoastDialog.tsx')).EditRoastDialog,
  ({ open }) => open,
);

const whileRunningMs = 15_000;

/** /roasts/{id}: a finished roast, or the live one in the same place. */
export default function RoastPage() {
  const { id = '' } = useParams();
  const isBlank = id.trim() === '';
  const {
    data: roast,
    error,
    isLoading,
    mutate,
  } = useApi(getRoast, isBlank ? null : { params: { id } }, {
    // The live stream reports the end; this read covers an end during a gap of the stream.
    refreshInterval: (latest) => (latest?.status === 'in_progress' ? whileRunningMs : 0),
    // A person who deletes a roast and goes back reads it again, however quickly.
    dedupingInterval: 0,
  });
  const take = useCallback((next: Roast) => void mutate(next, { revalidate: false }), [mutate]);
  const [deletedId, setDeletedId] = useState<string | null>(null);
  const noteDeleted = useCallback(() => setDeletedId(id), [id]);
  useShownError(roast === undefined ? error : undefined);
  const list = { to: paths.roasts, back: t`Back to Roasts` };
  if (isBlank)
    return (
      <MissingPage {...list} title={t`No roast ID`}>
        {t`This address has no roast ID.`}
      </MissingPage>
    );
  if (deletedId === id) {
    return (
      <MissingPage {...list} title={t`This roast was deleted`}>
        {t`Another user deleted it while it was running. The recording is kept.`}
      </MissingPage>
    );
  }
  // Read again after the live stream ended: the machine may no longer be shared.
  const isGone = roast !== undefined && error instanceof ApiError && error.status === 404;
  if (roast && !isGone) return <LoadedRoast key={roast.id} roast={roast} onChanged={take} onDeleted={noteDeleted} />;
  if (isLoading) return <LoadingRoast />;
  if (isMissing(error)) return <MissingPage {...list} title={t`Roast not found`} />;
  return (
    <MissingPage {...list} title={sentenceFor(error, t`Failed to load roast`)} onRetry={() => void mutate()}>
      {error instanceof ApiError && error.detail === undefined ? error.message : t`The roast could not be loaded.`}
    </MissingPage>
  );
}

const LoadingRoast = () => (
  <Page wide>
    <LoadingCurves />
  </Page>
);

const LoadingCurves = () => (
  <>
    <output className="block pb-4 text-sm text-muted">{t`Loading roast...`}</output>
    <Skeleton className="h-8 w-64" />
    <Skeleton className="mt-5 h-16 w-full" />
    <Skeleton className="mt-5 h-[640px] w-full" />
  </>
);

/** The places of the figures and of the charts. */
const LoadingLive = ({ header }: { header: ReactNode }) => (
  <>
    {header}
    <Skeleton className="h-36 w-full" />
    <Skeleton className="mt-3 h-230 w-full" />
  </>
);

interface LoadedRoastProps {
  roast: Roast;
  onChanged: (roast: Roast) => void;
  /** It ran, and was deleted by another user. */
  onDeleted: () => void;
}

const LoadedRoast = ({ roast, onChanged, onDeleted }: LoadedRoastProps) => {
  const navigate = useNavigate();
  const [editing, setEditing] = useState(false);
  const mayEdit = useMayRoast(roast.machine_id);
  const [deleting, setDeleting] = useState<Roast | null>(null);
  const running = roast.status === 'in_progress' && roast.machine_id !== null;

  const remove = () =>
    attempt(
      async () => {
        await call(deleteRoast, { params: { id: roast.id } });
        await refresh(listRoasts);
        toast(t`Roast ${roast.said_number} deleted`);
        await navigate(paths.roasts);
      },
      () => t`Failed to delete roast. Please try again.`,
    );
  const [discarding, setDiscarding] = useState<Roast | null>(null);
  const openRestored = (id: string) => void navigate(paths.roast(id));
  const discardIt = async (it: Roast) => {
    const leave = () => navigate(it.machine_id === null ? paths.roasts : timelineOf(it, it.machine_id));
    await discard(it, openRestored, leave);
  };

  usePageActions(
    useMemo(
      () => [
        ...(mayEdit ? [{ id: 'edit', label: t`Edit roast`, key: 'e', run: () => setEditing(true) }] : []),
        { id: 'compare', label: t`Compare roast`, key: 'c', run: () => void navigate(paths.compare([roast.id])) },
        ...(roast.status === 'completed'
          ? [
              {
                id: 'recipe',
                label: t`Save roast as recipe`,
                run: () => void navigate(paths.recipeFromRoast(roast.id)),
              },
            ]
          : []),
        { id: 'print', label: t`Print roast`, key: 'p', run: () => print() },
        ...(mayEdit ? [{ id: 'delete', label: t`Delete roast`, run: () => setDeleting(roast) }] : []),
        ...(roast.recorded === null || !mayEdit
          ? []
          : [{ id: 'discard', label: t`Discard as false start`, run: () => setDiscarding(roast) }]),
      ],
      [navigate, roast, mayEdit],
    ),
  );

  const head = {
    roast,
    mayEdit,
    onEdit: () => setEditing(true),
    onDelete: () => setDeleting(roast),
    onDiscard: () => setDiscarding(roast),
  };

  return (
    <Page wide>
      <title>{t`${coffeeName(roast)} · Roasting Management`}</title>
      <PrintedHead roast={roast} />
      {running && roast.machine_id !== null ? (
        <Suspense fallback={<LoadingLive header={<RoastHeader {...head} state={stateBadge(roast)} isLive />} />}>
          <LiveRoast
            roast={roast}
            machineId={roast.machine_id}
            onChanged={onChanged}
            onDeleted={onDeleted}
            header={(badge) => <RoastHeader {...head} state={badge} isLive />}
          />
        </Suspense>
      ) : (
        <>
          <RoastHeader {...head} state={stateBadge(roast)} />
          <FinishedRoast roast={roast} onChanged={onChanged} onDiscard={() => setDiscarding(roast)} />
        </>
      )}
      <div className="mt-4 grid items-start gap-4 lg:grid-cols-3 print:mt-2 print:grid-cols-3 print:gap-2">
        <CoffeeCard roast={roast} />
        <ParametersCard roast={roast} />
        <RecordCard roast={roast} />
      </div>
      <RoastAlarms roastId={roast.id} isRunning={running} />
      <EditRoastDialog roast={roast} open={editing} onClose={() => setEditing(false)} />
      <ConfirmDialog
        thing={deleting}
        onClose={() => setDeleting(null)}
        title={(thing) => t`Delete ${roastName(thing)}`}
        question={() => t`Are you sure you want to delete this roast?`}
        confirmLabel={t`Delete`}
        onConfirm={remove}
      />
      <DiscardDialog roast={discarding} onClose={() => setDiscarding(null)} onConfirm={discardIt} />
    </Page>
  );
};

/** `undefined` for a completed roast: the header's own badge shows it. */
const stateBadge = (roast: Roast) => {
  if (roast.status === 'in_progress') return <Badge tone="warning">{t`In progress`}</Badge>;
  if (roast.status === 'aborted') return <Badge tone="danger">{t`Aborted`}</Badge>;
  return undefined;
};
