import { putMark } from '@roastery/contract/roast-marks';
import { mergeRoasts, splitRoast, type TimelineRoast } from '@roastery/contract/timeline';
import { ArrowRight, Ban, Merge, Scissors, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { call } from '../../api/call.ts';
import { ConfirmDialog, DiscardDialog } from '../../components/ConfirmDialog.tsx';
import { useAction } from '../../components/use-action.ts';
import { FormFrame } from '../../components/form/RecordForm.tsx';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { roastName } from '../../components/live/roast-texts.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { toast } from '../../ui/toast.ts';
import { MomentField } from './MomentField.tsx';
import { changeRoast, discard } from '../../components/roast-changes.ts';
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
  const action = useAction();
  const [discarding, setDiscarding] = useState<TimelineRoast | null>(null);
  return (
    <section aria-labelledby="picked-title" className="flex flex-col gap-4">
      <PanelHead roast={roast} onClose={() => onSelect(undefined)} />
      {mayChange && roast.recording_id !== null && <ChargeAndDrop roast={roast} action={action} />}
      <div className="flex flex-wrap gap-2">
        <ButtonLink to={paths.roast(roast.id)} kind="primary" icon={<ArrowRight aria-hidden />}>
          {t`Open roast`}
        </ButtonLink>
        {mayChange && (
          <Button icon={<Ban aria-hidden />} disabled={action.isBusy} onClick={() => setDiscarding(roast)}>
            {t`Discard as false start`}
          </Button>
        )}
        <DiscardDialog
          roast={discarding}
          onClose={() => setDiscarding(null)}
          onConfirm={(it) => discard(it, onSelect, () => onSelect(undefined))}
        />
      </div>
      {mayChange && <SplitAndMerge roast={roast} before={before} after={after} onSelect={onSelect} action={action} />}
    </section>
  );
};

const PanelHead = ({ roast, onClose }: { roast: TimelineRoast; onClose: () => void }) => {
  const dates = useDates();
  return (
    <>
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
        <IconButton label={t`Clear the selection`} icon={<X aria-hidden />} onClick={onClose} />
      </div>
      <div className="flex flex-wrap gap-1.5">
        <Badge tone={tones[roast.status]}>{statusText[roast.status]}</Badge>
        {roast.made_by_hand && <Badge>{t`Created by hand`}</Badge>}
      </div>
    </>
  );
};

interface PartProps {
  roast: TimelineRoast;
  action: ReturnType<typeof useAction>;
}

const ChargeAndDrop = ({ roast, action: { run, running } }: PartProps) => {
  const dates = useDates();
  const setMark = (kind: 'charge' | 'drop', ms: number) =>
    void run(
      async () => {
        const body = { at: new Date(ms).toISOString() };
        await changeRoast(call(putMark, { params: { id: roast.id, kind }, body }));
        toast(kind === 'charge' ? t`Charge set to ${dates.second(ms)}` : t`Drop set to ${dates.second(ms)}`);
      },
      t`The marker could not be set`,
      kind,
    );
  return (
    <div className="flex flex-col gap-3">
      <MarkRow
        key={`charge ${roast.id} ${roast.charge_at}`}
        label={t`Charge`}
        known={msOf(roast.charge_at)}
        proposed={Date.parse(roast.from)}
        busy={running === 'charge'}
        onSet={(ms) => setMark('charge', ms)}
      />
      <MarkRow
        key={`drop ${roast.id} ${roast.drop_at}`}
        label={t`Drop`}
        known={msOf(roast.drop_at)}
        proposed={msOf(roast.to)}
        busy={running === 'drop'}
        onSet={(ms) => setMark('drop', ms)}
      />
    </div>
  );
};

type SplitAndMergeProps = PartProps & Pick<RoastPanelProps, 'before' | 'after' | 'onSelect'>;

const SplitAndMerge = ({ roast, before, after, onSelect, action: { run, running, isBusy } }: SplitAndMergeProps) => {
  const [merging, setMerging] = useState<TimelineRoast | null>(null);
  const split = (ms: number) =>
    void run(
      async () => {
        const body = { at: new Date(ms).toISOString() };
        const { second } = await changeRoast(call(splitRoast, { params: { id: roast.id }, body }));
        toast(t`Split: the second part is ${second.said_number}`);
      },
      t`The roast could not be split`,
      'split',
    );
  const merge = (other: TimelineRoast) =>
    run(
      async () => {
        const made = await changeRoast(call(mergeRoasts, { params: { id: roast.id }, body: { with: other.id } }));
        toast(t`Merged into ${made.said_number}`);
        onSelect(made.id);
      },
      t`The roasts could not be merged`,
      other.id,
    );
  const canSplit =
    roast.recording_id !== null &&
    roast.charge_at !== null &&
    (roast.drop_at !== null || roast.status === 'in_progress');
  if (!canSplit && before === undefined && after === undefined) return null;
  return (
    <div className="flex flex-col gap-3 border-t border-stroke pt-4">
      {canSplit && (
        <MarkRow
          key={`split ${roast.id} ${roast.from} ${roast.to}`}
          label={t`Split at`}
          action={t`Split`}
          icon={<Scissors aria-hidden />}
          known={null}
          proposed={middleOf(roast)}
          busy={running === 'split'}
          onSet={split}
        />
      )}
      {[before, after].map(
        (other) =>
          other !== undefined && (
            <Button
              key={other.id}
              icon={<Merge aria-hidden />}
              busy={running === other.id}
              disabled={isBusy}
              onClick={() => setMerging(other)}
            >
              {other === before
                ? t`Merge with earlier roast ${other.said_number}`
                : t`Merge with later roast ${other.said_number}`}
            </Button>
          ),
      )}
      <ConfirmDialog
        thing={merging}
        onClose={() => setMerging(null)}
        title={(other) => t`Merge ${roast.said_number} with ${other.said_number}`}
        question={() => t`They become one roast with the marks of both. Only a split can part them again.`}
        confirmLabel={t`Merge`}
        onConfirm={merge}
      />
    </div>
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
    <FormFrame of={{ submit: () => moment !== null && onSet(moment), isDirty: false }} className="flex items-end gap-2">
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
    </FormFrame>
  );
};
