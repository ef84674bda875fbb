import { listMapRevisions, type MapRevision } from '@roastery/contract/machine-maps';
import { useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Card } from '../../ui/Card.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { mapDifference, type MapChange } from './map-difference.ts';

/** Every revision, newest first, with what it changed. */
export const Revisions = ({ id }: { id: string }) => {
  const { data, error, mutate } = useApi(listMapRevisions, { params: { id } });
  if (data === undefined) {
    return error === undefined ? (
      <Skeleton className="h-64 w-full" />
    ) : (
      <Card>
        <ErrorState title="The revisions could not be loaded" error={error} onRetry={() => void mutate()} />
      </Card>
    );
  }
  return (
    <ol className="flex flex-col gap-3">
      {data.revisions.map((revision, index) => (
        <li key={revision.rev}>
          <Revision revision={revision} before={data.revisions[index + 1]} />
        </li>
      ))}
    </ol>
  );
};

const Revision = ({ revision, before }: { revision: MapRevision; before: MapRevision | undefined }) => {
  const changes = before === undefined ? [] : mapDifference(before.map, revision.map);
  return (
    <Card className="overflow-hidden">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 text-sm">
        <Badge mono>rev {revision.rev}</Badge>
        {revision.note !== null && <span className="font-medium text-strong">{revision.note}</span>}
        <span className="text-muted">
          {revision.saved_by_name ?? 'Catalogue'}
          {revision.saved_at !== null && (
            <>
              {' · '}
              <RelativeTime moment={revision.saved_at} />
            </>
          )}
        </span>
      </header>
      {before === undefined ? (
        <p className="border-t border-stroke px-4 py-2.5 text-sm text-muted">
          {Object.keys(revision.map.channels).length} channels
        </p>
      ) : (
        <Changes changes={changes} />
      )}
    </Card>
  );
};

const Changes = ({ changes }: { changes: readonly MapChange[] }) =>
  changes.length === 0 ? (
    <p className="border-t border-stroke px-4 py-2.5 text-sm text-muted">Nothing changed</p>
  ) : (
    <ul className="border-t border-stroke font-mono text-xs">
      {changes.map(({ place, before, after }) => (
        <li key={place} className="flex flex-wrap gap-x-3 gap-y-0.5 border-b border-stroke px-4 py-2 last:border-0">
          <span className="min-w-0 font-medium break-all text-strong">{place}</span>
          {before !== undefined && (
            <del className="break-all text-danger">
              <span className="sr-only">was </span>
              {before}
            </del>
          )}
          {after !== undefined && (
            <ins className="break-all text-success no-underline">
              <span className="sr-only">is </span>
              {after}
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
