import { deleteMark, putMark, type Roast, type RoastMark } from '@roastery/contract/roasts';
import { discardRoast, makeRoast } from '@roastery/contract/timeline';
import { formatDuration } from '@roastery/roasting/units';
import { useCallback, useEffect, useRef, useState } from 'react';
import { isTemporary, sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { markLabels } from '../../components/chart/mark-layout.ts';
import type { HandMark } from './hand-marks.ts';
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

/**
 * Marks by hand at the machine. A charge begins a roast and a drop ends it. Every mark can be undone for ten seconds;
 * an existing mark is moved only by a second, explicit step.
 */
export const useMarking = (input: MarkingInput): Marking => {
  const latest = useRef(input);
  useEffect(() => {
    latest.current = input;
  });
  const pressedAt = useRef(new Map<HandMark, number>());
  const lastId = useRef(0);
  const [notice, setNotice] = useState<MarkNotice | null>(null);
  const [busy, setBusy] = useState<HandMark | null>(null);

  const show = useCallback((text: string, tone: MarkNotice['tone'], action?: MarkNotice['action']) => {
    lastId.current += 1;
    setNotice({ id: lastId.current, text, tone, action, endsAt: Date.now() + noticeMs });
  }, []);
  const closeNotice = useCallback(() => setNotice(null), []);
  useRefusedMarks(
    input.machineId,
    useCallback((text: string, reason: string) => {
      lastId.current += 1;
      // The roaster may have looked away: it stays until it is closed.
      const notice = { text: `${text}. ${reason}`, tone: 'danger', action: undefined, endsAt: null } as const;
      setNotice({ id: lastId.current, ...notice });
    }, []),
  );
  useEffect(() => {
    if (notice === null || notice.endsAt === null) return undefined;
    const timer = setTimeout(
      () => setNotice((current) => (current === notice ? null : current)),
      notice.endsAt - Date.now(),
    );
    return () => clearTimeout(timer);
  }, [notice]);

  const attempt = useCallback(
    async (kind: HandMark, work: () => Promise<void>, failure: string) => {
      setBusy(kind);
      try {
        await work();
      } catch (error) {
        show(sentenceFor(error, failure), 'danger');
      } finally {
        setBusy(null);
      }
    },
    [show],
  );

  const charge = useCallback(
    () =>
      attempt(
        'charge',
        async () => {
          const { machineId, onChanged } = latest.current;
          const roast = await call(makeRoast, { params: { id: machineId }, body: {} });
          onChanged(roast);
          show(t`${markLabels.charge.long} marked`, 'success', {
            label: t`Undo`,
            key: 'u',
            run: () =>
              void attempt(
                'charge',
                async () => {
                  await call(discardRoast, { params: { id: roast.id } });
                  onChanged(null);
                  show(t`The charge was undone`, 'info');
                },
                t`The marker could not be removed`,
              ),
          });
        },
        t`The marker could not be set`,
      ),
    [attempt, show],
  );

  const set = useCallback(
    (roast: Roast, kind: HandMark) =>
      attempt(
        kind,
        async () => {
          const { now, onChanged } = latest.current;
          if (now === null) return;
          const params = { id: roast.id, kind };
          const mark = { roastId: roast.id, kind, ...now };
          const [label, time] = [markLabels[kind].long, formatDuration(now.time_seconds)];
          try {
            onChanged(await call(putMark, { params, body: now }));
          } catch (error) {
            if (!isTemporary(error)) throw error;
            latest.current.pending.add(mark);
            const text =
              error.code === 'unreachable'
                ? t`No network: ${label} at ${time} is kept and sent later`
                : t`${label} at ${time} is kept and sent later. ${error.message}`;
            show(text, 'info', { label: t`Undo`, key: 'u', run: () => latest.current.pending.undo(mark) });
            return;
          }
          show(t`${label} marked at ${time}`, 'success', {
            label: t`Undo`,
            key: 'u',
            run: () =>
              void attempt(
                kind,
                async () => {
                  try {
                    onChanged(await call(deleteMark, { params }));
                    show(t`${label} removed`, 'info');
                  } catch (error) {
                    if (!isTemporary(error)) throw error;
                    latest.current.pending.undo(mark);
                    const text =
                      error.code === 'unreachable'
                        ? t`No network: ${label} at ${time} will be removed later`
                        : t`${label} at ${time} will be removed later. ${error.message}`;
                    show(text, 'info');
                  }
                },
                t`The marker could not be removed`,
              ),
          });
        },
        t`The marker could not be set`,
      ),
    [attempt, show],
  );

  const press = useCallback(
    (kind: HandMark) => {
      const at = performance.now();
      if (at - (pressedAt.current.get(kind) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
      pressedAt.current.set(kind, at);
      const { roast, marks, now } = latest.current;
      const existing = marks.find((mark) => mark.kind === kind);
      if (roast === null) {
        if (kind === 'charge') void charge();
        else show(t`No roast is running. Charge starts one.`, 'info');
      } else if (existing === undefined) {
        if (now === null) show(t`The roast has no charge yet, so its time is unknown.`, 'info');
        else void set(roast, kind);
      } else if (kind === 'charge') {
        show(t`Charge is already set. Use Correct markers to move it.`, 'info');
      } else {
        show(t`${markLabels[kind].long} is set at ${formatDuration(existing.time_seconds)}.`, 'info', {
          label: t`Set to now`,
          run: () => void set(roast, kind),
        });
      }
    },
    [charge, set, show],
  );

  const runAction = useCallback(() => {
    setNotice(null);
    notice?.action?.run();
  }, [notice]);
  return { press, notice, closeNotice, runAction, busy };
};
