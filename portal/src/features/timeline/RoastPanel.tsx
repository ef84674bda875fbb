import { putMark } from '@roastery/contract/roasts';
import { mergeRoasts, splitRoast, type TimelineRoast } from '@roastery/contract/timeline';
import { ArrowRight, Ban, Merge, Scissors, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { call } from '../../api/call.ts';
import { ConfirmDialog, DiscardDialog } from '../../components/ConfirmDialog.tsx';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { roastName } from '../../components/live/roast-texts.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { toast } from '../../ui/toast.ts';
import { MomentField } from './MomentField.tsx';
import { attempt, discard } from '../../components/roast-changes.ts';
import { lengthText, statusText } from './timeline-texts.ts';

interface RoastPanelProps {
  roast: TimelineRoast;
  mayChange: boolean;
  /** Its neighbours on the same recording. */
  before: TimelineRoast | undefined;
  after: TimelineRoast | undefined;
  onSelect: (id: string | undefined) => void;
}

const tones = { in_progress: 'warning', completed: 'success', aborted: 'danger' } as const;

const msOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** The actions for one roast: its charge and drop, split, merge, discard. */
export const RoastPanel = ({ roast, mayChange, before, after, onSelect }: RoastPanelProps) => {
  const dates = useDates();
  const [busy, setBusy] = useState<string | null>(null);
  const run = async (what: string, change: () => Promise<unknown>) => {
    setBusy(what);
    await change();
    setBusy(null);
  };
  const setMark = (kind: 'charge' | 'drop', ms: number) =>
    run(kind, () =>
      attempt(
        () => call(putMark, { params: { id: roast.id, kind }, body: { at: new Date(ms).toISOString() } }),
        t`The marker could not be set`,
        () => toast(kind === 'charge' ? t`Charge set to ${dates.second(ms)}` : t`Drop set to ${dates.second(ms)}`),
      ),
    );
  const split = (ms: number) =>
    run('split', () =>
      attempt(
        () => call(splitRoast, { params: { id: roast.id }, body: { at: new Date(ms).toISOString() } }),
        t`The roast could not be split`,
        ({ second }) => toast(t`Split: the second part is ${second.said_number}`),
      ),
    );
  const merge = (other: TimelineRoast) =>
    run(`merge ${other.id}`, async () => {
      const kept = await attempt(
        () => call(mergeRoasts, { params: { id: roast.id }, body: { with: other.id } }),
        t`The roasts could not be merged`,
        (made) => toast(t`Merged into ${made.said_number}`),
      );
      if (kept !== undefined) onSelect(kept.id);
    });
  const [merging, setMerging] = useState<TimelineRoast | null>(null);
  const [discarding, setDiscarding] = useState<TimelineRoast | null>(null);
  const throwAway = async (it: TimelineRoast) => {
    if ((await discard(it, onSelect)) !== undefined) onSelect(undefined);
  };
  const isRecorded = roast.recording_id !== null;
  const canSplit = isRecorded && roast.charge_at !== null && (roast.drop_at !== null || roast.status === 'in_progress');
  return (
    <section aria-labelledby="picked-title" className="flex flex-col gap-4">
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 id="picked-title" className="truncate text-base font-semibold text-strong">
            {roastName(roast)}
          </h2>
          <p className="font-mono text-xs text-muted">#{roast.id.slice(0, 8)}</p>
          <p className="figures mt-0.5 text-sm text-muted">
            {dates.dayAndTime(roast.from)}
            {roast.to !== null && ` · ${lengthText(Date.parse(roast.to) - Date.parse(roast.from))}`}
          </p>
        </div>
        <IconButton label={t`Clear the selection`} icon={<X aria-hidden />} onClick={() => onSelect(undefined)} />
      </div>
      <div className="flex flex-wrap gap-1.5">
        <Badge tone={tones[roast.status]}>{statusText[roast.status]}</Badge>
        {roast.made_by_hand && <Badge>{t`Created by hand`}</Badge>}
      </div>
      {mayChange && isRecorded && (
        <div className="flex flex-col gap-3">
          <MarkRow
            key={`charge ${roast.id} ${roast.charge_at}`}
            label={t`Charge`}
            known={msOf(roast.charge_at)}
            proposed={Date.parse(roast.from)}
            busy={busy === 'charge'}
            onSet={(ms) => void setMark('charge', ms)}
          />
          <MarkRow
            key={`drop ${roast.id} ${roast.drop_at}`}
            label={t`Drop`}
            known={msOf(roast.drop_at)}
            proposed={msOf(roast.to)}
            busy={busy === 'drop'}
            onSet={(ms) => void setMark('drop', ms)}
          />
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <ButtonLink to={paths.roast(roast.id)} kind="primary" icon={<ArrowRight aria-hidden />}>
          {t`Open roast`}
        </ButtonLink>
        {mayChange && (
          <Button icon={<Ban aria-hidden />} disabled={busy !== null} onClick={() => setDiscarding(roast)}>
            {t`Discard as false start`}
          </Button>
        )}
        <ConfirmDialog
          thing={merging}
          onClose={() => setMerging(null)}
          title={(other) => t`Merge ${roast.said_number} with ${other.said_number}`}
          question={() => t`They become one roast with the marks of both. Only a split can part them again.`}
          confirmLabel={t`Merge`}
          onConfirm={merge}
        />
        <DiscardDialog roast={discarding} onClose={() => setDiscarding(null)} onConfirm={throwAway} />
      </div>
      {mayChange && (canSplit || before !== undefined || after !== undefined) && (
        <div className="flex flex-col gap-3 border-t border-stroke pt-4">
          {canSplit && (
            <MarkRow
              key={`split ${roast.id} ${roast.from} ${roast.to}`}
              label={t`Split at`}
              action={t`Split`}
              icon={<Scissors aria-hidden />}
              known={null}
              proposed={middleOf(roast)}
              busy={busy === 'split'}
              onSet={(ms) => void split(ms)}
            />
          )}
          {[before, after].map(
            (other) =>
              other !== undefined && (
                <Button
                  key={other.id}
                  icon={<Merge aria-hidden />}
                  busy={busy === `merge ${other.id}`}
                  disabled={busy !== null}
                  onClick={() => setMerging(other)}
                >
                  {other === before
                    ? t`Merge with earlier roast ${other.said_number}`
                    : t`Merge with later roast ${other.said_number}`}
                </Button>
              ),
          )}
        </div>
      )}
    </section>
  );
};

const middleOf = ({ from, to }: TimelineRoast): number => {
  const start = Date.parse(from);
  const end = to === null ? Date.now() : Date.parse(to);
  return Math.round((start + end) / 2000) * 1000;
};

interface MarkRowProps {
  label: string;
  action?: string;
  icon?: ReactNode;
  /** Its present time; null when it is not set. */
  known: number | null;
  proposed: number | null;
  busy: boolean;
  onSet: (ms: number) => void;
}

/** A time field with its Set button. */
const MarkRow = ({ label, action, icon, known, proposed, busy, onSet }: MarkRowProps) => {
  const [moment, setMoment] = useState(known ?? proposed);
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (moment !== null) onSet(moment);
      }}
    >
      <div className="min-w-0 flex-1">
        <MomentField
          label={known === null && action === undefined ? t`${label} (not set)` : label}
          value={moment}
          onChange={setMoment}
        />
      </div>
      <Button type="submit" icon={icon} busy={busy} disabled={moment === null || moment === known}>
        {action ?? t`Set ${label}`}
      </Button>
    </form>
  );
};
