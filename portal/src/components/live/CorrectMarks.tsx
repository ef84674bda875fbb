import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { deleteMark, putMark } from '@roastery/contract/roast-marks';
import type { Roast, RoastMark } from '@roastery/contract/roasts';
import { markKinds, type MarkKind } from '@roastery/roasting/marks';
import { formatDuration, parseDuration } from '@roastery/roasting/units';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { useDates } from '../../format/preferences.ts';
import { attempt } from '../attempt.ts';
import { useAction } from '../use-action.ts';
import { markLabels } from '../chart/mark-layout.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast, type ToastOptions } from '../../ui/toast.ts';

interface CorrectMarksProps {
  roast: Roast;
  /** Of this batch. */
  marks: readonly RoastMark[];
  /** Seconds since charge of the pinned point. */
  selected: number | null;
  onSelect: (seconds: number | null) => void;
  onChanged: (roast: Roast) => void;
  onDone: () => void;
}

const failed = t`The marker could not be changed`;

/** A mark that a person moves: seconds since charge, and °C where they are known. */
type Place = Pick<RoastMark, 'time_seconds'> & Partial<Pick<RoastMark, 'temp'>>;

/**
 * Moves marks by hand, with Undo. The window moves, no sample changes.
 */
export const useCorrectMarks = ({
  roast,
  onSelect,
  onChanged,
}: Pick<CorrectMarksProps, 'roast' | 'onSelect' | 'onChanged'>) => {
  const { run, running, isBusy } = useAction();
  const change = async (made: Promise<Roast>, kind: MarkKind, text: string, action?: ToastOptions['action']) => {
    onChanged(await made);
    await refresh(getRoastCurveColumns);
    // All times count from the charge: a new charge invalidates the pinned point.
    if (kind === 'charge') onSelect(null);
    toast(text, { action, stays: 10_000 });
  };
  const params = (kind: MarkKind) => ({ params: { id: roast.id, kind } });
  const set = (kind: MarkKind, place: Place): Promise<void> =>
    change(
      call(putMark, { ...params(kind), body: place }),
      kind,
      t`${markLabels[kind].long} set to ${formatDuration(place.time_seconds)}`,
      { label: t`Undo`, run: () => void attempt(() => takeBack(kind, place), failed) },
    );
  const takeBack = (kind: MarkKind, { time_seconds, temp }: Place): Promise<void> => {
    const place = { time_seconds, ...(temp !== undefined && { temp }) };
    const restore = { label: t`Restore`, run: () => void attempt(() => set(kind, place), failed) };
    // A mark from a file is stored nowhere else. The charge can't be restored: its own time has changed.
    const action = kind === 'charge' ? undefined : restore;
    return change(call(deleteMark, params(kind)), kind, t`${markLabels[kind].long} removed`, action);
  };
  return {
    running,
    isBusy,
    set: (kind: MarkKind, place: Place) => void run(() => set(kind, place), failed, kind),
    takeBack: (kind: MarkKind, place: Place) => void run(() => takeBack(kind, place), failed, kind),
  };
};

/** Each mark with its time, which can be typed; Set uses the pinned point. Dragging a mark has the same effect. */
export const CorrectMarks = ({ roast, marks, selected, onSelect, onChanged, onDone }: CorrectMarksProps) => {
  const { running, isBusy, set, takeBack } = useCorrectMarks({ roast, onSelect, onChanged });
  const dates = useDates();
  const at = selected === null ? null : formatDuration(selected);
  return (
    <section aria-labelledby="correct-title" className="@container min-w-0">
      <div className="flex items-center justify-between px-1 pb-1.5">
        <h2 id="correct-title" className="label-mono">
          {t`Correct markers`}
        </h2>
        <Button kind="primary" onClick={onDone}>
          {t`Done`}
        </Button>
      </div>
      <p className="px-1 pb-2 text-sm text-muted">
        {at === null
          ? t`Click the curve at the right time, drag a marker, or type its time.`
          : t`At ${at}. Choose the event.`}
      </p>
      <ul className="grid gap-x-6 gap-y-0.5 @lg:grid-cols-2 @4xl:grid-cols-3">
        {markKinds.map((kind) => {
          const mark = marks.find((one) => one.kind === kind);
          const { long } = markLabels[kind];
          return (
            <li key={kind} className="flex min-h-9 items-center gap-2 px-1 text-sm">
              <span className={classes('min-w-0 flex-1 py-1 leading-tight', mark === undefined && 'text-muted')}>
                {long}
                {mark !== undefined && (
                  <span className="figures block text-xs text-muted">
                    {dates.second(Date.parse(roast.start_time) + mark.time_seconds * 1000)}
                  </span>
                )}
              </span>
              <TimeField
                key={mark?.time_seconds}
                label={t`Time of ${long}`}
                seconds={mark?.time_seconds ?? null}
                disabled={isBusy}
                onTyped={(seconds) => set(kind, { time_seconds: seconds })}
              />
              {mark?.origin === 'person' ? (
                <IconButton
                  label={t`Remove ${long}`}
                  icon={<Undo2 aria-hidden />}
                  disabled={isBusy}
                  onClick={() => takeBack(kind, mark)}
                />
              ) : (
                <span aria-hidden className="w-8 pointer-coarse:w-10" />
              )}
              <Button
                busy={running === kind}
                disabled={selected === null || isBusy}
                aria-label={at === null ? t`Set ${long}` : t`Set ${long} to ${at}`}
                onClick={() => selected !== null && set(kind, { time_seconds: selected })}
              >
                {t`Set`}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
};

interface TimeFieldProps {
  label: string;
  /** Since the charge; null for a mark that is not set. */
  seconds: number | null;
  disabled: boolean;
  onTyped: (seconds: number) => void;
}

/** `8:12`, before the charge `-0:30`; null for anything else. */
const secondsOf = (text: string): number | null => {
  const [, sign, rest = ''] = /^\s*([-−]?)(.*)$/.exec(text) ?? [];
  const seconds = parseDuration(rest);
  return seconds === null ? null : sign === '' ? seconds : -seconds;
};

/** Enter, or leaving the field, sets the mark; an invalid time restores the old one. */
const TimeField = ({ label, seconds, disabled, onTyped }: TimeFieldProps) => {
  const written = seconds === null ? '' : formatDuration(seconds);
  const [text, setText] = useState(written);
  const commit = () => {
    const typed = secondsOf(text);
    if (typed === null || text.trim() === written) setText(written);
    else onTyped(typed);
  };
  return (
    <TextField
      label={label}
      hideLabel
      size="sm"
      placeholder={t`m:ss`}
      autoComplete="off"
      className="figures w-18 shrink-0"
      value={text}
      disabled={disabled}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') setText(written);
      }}
    />
  );
};
