import { deleteMark, putMark } from '@roastery/contract/roast-marks';
import type { Roast, RoastMark } from '@roastery/contract/roasts';
import { discardRoast, makeRoast } from '@roastery/contract/timeline';
import { formatDuration } from '@roastery/roasting/units';
import { useCallback, useEffect, useRef, useState } from 'react';
import { isTemporary, sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { markLabels } from '../../components/chart/mark-layout.ts';
import type { HandMark, HandSet } from './hand-marks.ts';
import { useRefusedMarks, type PendingMarks } from './pending-marks.ts';
import type { markNow } from '../../components/live/live-curve.ts';
import { t } from '../../language/t.ts';

/** Gloves often touch twice: a second tap within this time is ignored. */
const repeatMs = 2000;
/** How long a notice with its action stays. */
const noticeMs = 10_000;

export interface MarkNotice {
  readonly id: number;
  readonly text: string;
  readonly tone: 'success' | 'info' | 'danger';
  readonly action: { readonly label: string; readonly key?: string; readonly run: () => void } | undefined;
  /** Epoch ms at which it disappears; null: when it is closed. */
  readonly endsAt: number | null;
}

interface MarkingInput {
  readonly machineId: string;
  /** The running roast; null between batches. */
  readonly roast: Roast | null;
  readonly marks: readonly RoastMark[];
  /** The mark for the current time; null before the charge. */
  readonly now: ReturnType<typeof markNow>;
  /** Marks that wait for the server. */
  readonly pending: Pick<PendingMarks, 'add' | 'undo'>;
  /** A changed roast; null for one that was discarded. */
  readonly onChanged: (roast: Roast | null) => void;
}

export interface Marking {
  readonly press: (kind: HandMark) => void;
  readonly notice: MarkNotice | null;
  readonly closeNotice: () => void;
  /** Runs the notice's action, for example Undo. */
  readonly runAction: () => void;
  readonly busy: HandMark | null;
}

type Action = MarkNotice['action'];

/** What a press does works with: the newest input, the notice, and the button that is busy. */
interface Desk {
  readonly input: () => MarkingInput;
  readonly show: (text: string, tone: MarkNotice['tone'], action?: Action) => void;
  /** The button is busy during the work; its failure is a notice. */
  readonly during: (kind: HandMark, work: () => Promise<void>, failed: string) => Promise<void>;
}

const undoBy = (run: () => void): Action => ({ label: t`Undo`, key: 'u', run });
const setFailed = t`The marker could not be set`;
const removeFailed = t`The marker could not be removed`;

const charge = ({ input, show, during }: Desk): Promise<void> =>
  during(
    'charge',
    async () => {
      const { machineId, onChanged } = input();
      const roast = await call(makeRoast, { params: { id: machineId }, body: {} });
      onChanged(roast);
      const undo = async () => {
        await call(discardRoast, { params: { id: roast.id } });
        onChanged(null);
        show(t`The charge was undone`, 'info');
      };
      const action = undoBy(() => void during('charge', undo, removeFailed));
      show(t`${markLabels.charge.long} marked`, 'success', action);
    },
    setFailed,
  );

/** Removes a mark that was just set; without a network, later. */
const remove = async ({ input, show }: Desk, mark: HandSet, label: string, time: string): Promise<void> => {
  const { onChanged, pending } = input();
  try {
    onChanged(await call(deleteMark, { params: { id: mark.roastId, kind: mark.kind } }));
    show(t`${label} removed`, 'info');
  } catch (error) {
    if (!isTemporary(error)) throw error;
    pending.undo(mark);
    const text =
      error.code === 'unreachable'
        ? t`No network: ${label} at ${time} will be removed later`
        : t`${label} at ${time} will be removed later. ${error.message}`;
    show(text, 'info');
  }
};

/** Sets a mark at the current time; without a network it is kept and sent later. */
const set = (desk: Desk, roast: Roast, kind: HandMark): Promise<void> =>
  desk.during(
    kind,
    async () => {
      const { now, onChanged, pending } = desk.input();
      if (now === null) return;
      const mark = { roastId: roast.id, kind, ...now };
      const [label, time] = [markLabels[kind].long, formatDuration(now.time_seconds)];
      try {
        onChanged(await call(putMark, { params: { id: roast.id, kind }, body: now }));
      } catch (error) {
        if (!isTemporary(error)) throw error;
        pending.add(mark);
        const text =
          error.code === 'unreachable'
            ? t`No network: ${label} at ${time} is kept and sent later`
            : t`${label} at ${time} is kept and sent later. ${error.message}`;
        return desk.show(
          text,
          'info',
          undoBy(() => desk.input().pending.undo(mark)),
        );
      }
      const undo = undoBy(() => void desk.during(kind, () => remove(desk, mark, label, time), removeFailed));
      desk.show(t`${label} marked at ${time}`, 'success', undo);
    },
    setFailed,
  );

/** What a press of this button means now. */
const press = (desk: Desk, kind: HandMark): void => {
  const { roast, marks, now } = desk.input();
  const existing = marks.find((mark) => mark.kind === kind);
  if (roast === null) {
    if (kind === 'charge') void charge(desk);
    else desk.show(t`No roast is running. Charge starts one.`, 'info');
  } else if (existing === undefined) {
    if (now === null) desk.show(t`The roast has no charge yet, so its time is unknown.`, 'info');
    else void set(desk, roast, kind);
  } else if (kind === 'charge') {
    desk.show(t`Charge is already set. Use Correct markers to move it.`, 'info');
  } else {
    desk.show(t`${markLabels[kind].long} is set at ${formatDuration(existing.time_seconds)}.`, 'info', {
      label: t`Set to now`,
      run: () => void set(desk, roast, kind),
    });
  }
};

/** The notice of the last press. It disappears after ten seconds; a mark that was refused later stays until it is closed. */
const useNotice = (machineId: string) => {
  const lastId = useRef(0);
  const [notice, setNotice] = useState<MarkNotice | null>(null);
  const put = useCallback((next: Omit<MarkNotice, 'id'>) => {
    lastId.current += 1;
    setNotice({ id: lastId.current, ...next });
  }, []);
  const show = useCallback<Desk['show']>(
    (text, tone, action) => put({ text, tone, action, endsAt: Date.now() + noticeMs }),
    [put],
  );
  useRefusedMarks(
    machineId,
    useCallback(
      // The roaster may have looked away.
      (text: string, reason: string) =>
        put({ text: `${text}. ${reason}`, tone: 'danger', action: undefined, endsAt: null }),
      [put],
    ),
  );
  const close = useCallback(() => setNotice(null), []);
  useEffect(() => {
    if (notice === null || notice.endsAt === null) return undefined;
    const timer = setTimeout(
      () => setNotice((current) => (current === notice ? null : current)),
      notice.endsAt - Date.now(),
    );
    return () => clearTimeout(timer);
  }, [notice]);
  return { notice, show, close };
};

/**
 * Marks by hand at the machine. A charge begins a roast and a drop ends it. Every mark can be undone for ten seconds;
 * an existing mark is moved only by a second, explicit step.
 */
export const useMarking = (given: MarkingInput): Marking => {
  const latest = useRef(given);
  useEffect(() => {
    latest.current = given;
  });
  const pressedAt = useRef(new Map<HandMark, number>());
  const [busy, setBusy] = useState<HandMark | null>(null);
  const { notice, show, close } = useNotice(given.machineId);
  const pressOnce = useCallback(
    (kind: HandMark) => {
      const at = performance.now();
      if (at - (pressedAt.current.get(kind) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
      pressedAt.current.set(kind, at);
      const during: Desk['during'] = async (of, work, failed) => {
        setBusy(of);
        try {
          await work();
        } catch (error) {
          show(sentenceFor(error, failed), 'danger');
        } finally {
          setBusy(null);
        }
      };
      press({ input: () => latest.current, show, during }, kind);
    },
    [show],
  );
  const runAction = useCallback(() => {
    close();
    notice?.action?.run();
  }, [notice, close]);
  return { press: pressOnce, notice, closeNotice: close, runAction, busy };
};
