import {
  getBoardConfig,
  getMachineMap,
  listMachineMaps,
  listMapRevisions,
  saveMachineMap,
  type MapDetail,
  type MapRevision,
} from '@roastery/contract/machine-maps';
import { ArrowLeft, Download, History } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { attempt } from '../../components/attempt.ts';
import { RelativeTime } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import { toast } from '../../ui/toast.ts';
import { Changes, mapDifference } from './MapChanges.tsx';
import { mapFileAddress } from './map-file.ts';
import { MapFacts } from './MapFacts.tsx';

interface RevisionViewProps {
  detail: MapDetail;
  revision: MapRevision;
  revisions: readonly MapRevision[];
  onClose: () => void;
}

/** Names the machines whose boards will use the revision. */
const boardsText = ({ machines }: MapDetail): string =>
  machines.length === 0
    ? t`No machine uses this map.`
    : machines.length === 1
      ? t`The board of ${machines.map(({ display_name: name }) => `“${name}”`).join(', ')} will switch to it between two roasts.`
      : t`The boards of ${machines.map(({ display_name: name }) => `“${name}”`).join(', ')} will switch to it between two roasts.`;

/** One revision: compared with any other, downloaded, or restored as the newest. */
export const RevisionView = ({ detail, revision, revisions, onClose }: RevisionViewProps) => {
  const isNewest = revision.rev === detail.rev;
  const others = revisions.filter(({ rev }) => rev !== revision.rev);
  const [against, setAgainst] = useState(String(others[0]?.rev ?? ''));
  const [asked, setAsked] = useState<MapRevision | null>(null);
  const other = others.find(({ rev }) => String(rev) === against);
  const restore = ({ rev, map }: MapRevision) =>
    attempt(
      async () => {
        const body = { map, rev: detail.rev, note: t`Revision ${rev} restored` };
        const saved = await call(saveMachineMap, { params: { id: detail.id }, body });
        toast(t`Revision ${rev} restored as revision ${saved.rev}`);
        onClose();
      },
      t`Failed to restore the revision`,
      [getMachineMap, listMachineMaps, listMapRevisions, getBoardConfig],
    );
  return (
    <>
      <Card className="overflow-hidden">
        <header className="flex flex-wrap items-center gap-3 px-4 py-3">
          <Button kind="quiet" icon={<ArrowLeft aria-hidden />} onClick={onClose}>
            {t`All revisions`}
          </Button>
          <div className="min-w-0 flex-1 basis-60 text-sm">
            <h2 className="text-base font-semibold text-strong">
              {isNewest ? t`Revision ${revision.rev}, the newest` : t`Revision ${revision.rev}`}
            </h2>
            <p className="text-muted">
              {revision.note !== null && `${revision.note} · `}
              {revision.saved_by_name ?? t`Catalogue`}
              {revision.saved_at !== null && (
                <>
                  {' · '}
                  <RelativeTime moment={revision.saved_at} />
                </>
              )}
            </p>
          </div>
          <a href={mapFileAddress(detail.id, revision.rev)} download className={buttonClass('secondary', 'md')}>
            <Download aria-hidden />
            {t`Download revision`}
          </a>
          {detail.may_edit && !isNewest && (
            <Button kind="primary" size="md" icon={<History aria-hidden />} onClick={() => setAsked(revision)}>
              {t`Restore as revision ${detail.rev + 1}`}
            </Button>
          )}
        </header>
        {other !== undefined && (
          <>
            <div className="border-t border-stroke px-4 py-3">
              <Select
                label={t`Compare with`}
                size="sm"
                className="max-w-xs"
                choices={others.map(({ rev, note }) => ({
                  value: String(rev),
                  label: rev === detail.rev ? t`Revision ${rev}, the newest` : t`Revision ${rev}`,
                  ...(note === null ? {} : { hint: note }),
                }))}
                value={against}
                onChange={setAgainst}
              />
            </div>
            <Changes
              label={t`Revision ${other.rev} to ${revision.rev}`}
              changes={mapDifference(other.map, revision.map)}
            />
          </>
        )}
      </Card>
      <MapFacts map={revision.map} />
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={({ rev }) => t`Restore revision ${rev}`}
        question={({ rev }) =>
          t`Revision ${rev} is saved again as revision ${detail.rev + 1}. No revision is deleted. ${boardsText(detail)}`
        }
        confirmLabel={t`Restore`}
        onConfirm={restore}
        danger={false}
      />
    </>
  );
};
