import { listMapRevisions, type MapDetail, type MapRevision } from '@roastery/contract/machine-maps';
import { useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { Button } from '../../ui/Button.tsx';
import { Changes, mapDifference } from './MapChanges.tsx';
import { RevisionView } from './RevisionView.tsx';

/** All revisions, newest first, with their changes. The address may open one. */
export const Revisions = ({ detail }: { detail: MapDetail }) => {
  const { read, change } = useUrlState();
  const { data, error, mutate } = useApi(listMapRevisions, { params: { id: detail.id } });
  if (data === undefined) {
    return error === undefined ? (
      <Skeleton className="h-64 w-full" />
    ) : (
      <Card>
        <ErrorState title={t`The revisions could not be loaded`} error={error} onRetry={() => void mutate()} />
      </Card>
    );
  }
  const opened = data.revisions.find(({ rev }) => String(rev) === read('rev'));
  if (opened !== undefined) {
    return (
      <RevisionView
        key={opened.rev}
        detail={detail}
        revision={opened}
        revisions={data.revisions}
        onClose={() => change({ rev: undefined })}
      />
    );
  }
  return (
    <ol className="flex flex-col gap-3">
      {data.revisions.map((revision, index) => (
        <li key={revision.rev}>
          <Revision
            revision={revision}
            before={data.revisions[index + 1]}
            onOpen={() => change({ rev: String(revision.rev) })}
          />
        </li>
      ))}
    </ol>
  );
};

interface RevisionProps {
  revision: MapRevision;
  before: MapRevision | undefined;
  onOpen: () => void;
}

const Revision = ({ revision, before, onOpen }: RevisionProps) => {
  const changes = before === undefined ? [] : mapDifference(before.map, revision.map);
  return (
    <Card className="overflow-hidden">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 text-sm">
        <Badge mono>rev {revision.rev}</Badge>
        {revision.note !== null && <span className="font-medium text-strong">{revision.note}</span>}
        <span className="text-muted">
          {revision.saved_by_name ?? t`Catalogue`}
          {revision.saved_at !== null && (
            <>
              {' · '}
              <RelativeTime moment={revision.saved_at} />
            </>
          )}
        </span>
        <Button size="sm" className="ml-auto" onClick={onOpen} aria-label={t`Open revision ${revision.rev}`}>
          {t`Open`}
        </Button>
      </header>
      {before === undefined ? (
        <p className="border-t border-stroke px-4 py-2.5 text-sm text-muted">
          {t`${Object.keys(revision.map.channels).length} channels`}
        </p>
      ) : (
        <Changes changes={changes} />
      )}
    </Card>
  );
};
