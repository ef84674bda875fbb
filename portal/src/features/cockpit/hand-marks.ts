import { deleteMark, putMark, type Roast, type RoastMark } from '@roastery/contract/roasts';
import type { MarkKind } from '@roastery/roasting/marks';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isTemporary } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { useReachability } from '../../api/reachability.ts';

/** The buttons at the machine, in their fixed order. */
export const handMarks = [
  'charge',
  'dry_end',
  'first_crack',
  'first_crack_end',
  'second_crack',
  'drop',
] as const satisfies readonly MarkKind[];
export type HandMark = (typeof handMarks)[number];

/** The first mark after the last one that is set; null after the drop. */
export const nextHandMark = (marks: readonly RoastMark[]): HandMark | null => {
  const last = Math.max(-1, ...handMarks.map((kind, index) => (marks.some((mark) => mark.kind === kind) ? index : -1)));
  return handMarks[last + 1] ?? null;
};

/** The marks of a roast, with unsent ones in their place. */
export const withPending = (marks: Roast['marks'], pending: readonly RoastMark[]): Roast['marks'] => [
  ...marks.filter(({ kind }) => pending.every((one) => one.kind !== kind)),
  ...pending,
];

/** A mark that was set while the server could not be reached. */
export interface PendingMark {
  readonly roastId: string;
  readonly kind: HandMark;
  /** Since the charge. */
  readonly time_seconds: number;
  readonly temp: number | null;
}

const storageKey = (machineId: string): string => `pendingMarks:${machineId}`;

const isPending = (value: unknown): value is PendingMark =>
  typeof value === 'object' &&
  value !== null &&
  'roastId' in value &&
  typeof value.roastId === 'string' &&
  'kind' in value &&
  typeof value.kind === 'string' &&
  'time_seconds' in value &&
  typeof value.time_seconds === 'number';

const read = (machineId: string): PendingMark[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(machineId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isPending) : [];
  } catch (error) {
    logError('pending marks could not be read', error);
    return [];
  }
};

/** How long a mark that the server could not take waits, at least and at most. */
const minRetryMs = 1000;
const maxRetryMs = 15_000;

export interface PendingMarks {
  /** Of this roast, as marks that the buttons show. */
  readonly marks: readonly RoastMark[];
  /** The last mark that the server refused for good: another person has set it, or the roast was deleted. */
  readonly refused: { readonly mark: PendingMark; readonly error: unknown } | null;
  readonly add: (mark: PendingMark) => void;
  readonly remove: (kind: HandMark) => void;
}

/**
 * Marks that wait for the server. They are stored on this device, so that a reload loses none, and sent with their own
 * time as soon as the server answers.
 */
export const usePendingMarks = (
  machineId: string,
  roast: Roast | null,
  onChanged: (roast: Roast) => void,
): PendingMarks => {
  const [pending, setPending] = useState(() => read(machineId));
  const { reachable } = useReachability();
  const latest = useRef(pending);
  const keep = useCallback(
    (change: (all: readonly PendingMark[]) => PendingMark[]) => {
      const next = change(latest.current);
      latest.current = next;
      localStorage.setItem(storageKey(machineId), JSON.stringify(next));
      setPending(next);
    },
    [machineId],
  );
  const [refused, setRefused] = useState<PendingMarks['refused']>(null);
  /** Attempts in a row that failed and may succeed later. */
  const [failures, setFailures] = useState(0);
  const sending = useRef(false);
  useEffect(() => {
    // One that the server cannot take yet holds up no other.
    const mark = pending[failures % pending.length];
    if (!reachable || mark === undefined || sending.current) return undefined;
    const { roastId: id, kind, time_seconds, temp } = mark;
    const send = async () => {
      sending.current = true;
      try {
        onChanged(await call(putMark, { params: { id, kind }, body: { time_seconds, temp } }));
        // It was undone while it was being sent.
        const isWanted = latest.current.some((one) => one.roastId === id && one.kind === kind);
        if (!isWanted) onChanged(await call(deleteMark, { params: { id, kind } }));
      } catch (error) {
        if (isTemporary(error)) {
          setFailures((count) => count + 1);
          return;
        }
        logError('a queued mark was refused', error);
        setRefused({ mark, error });
      } finally {
        sending.current = false;
      }
      setFailures(0);
      keep((all) => all.filter((one) => one !== mark));
    };
    if (failures === 0) {
      void send();
      return undefined;
    }
    const timer = setTimeout(() => void send(), Math.min(maxRetryMs, minRetryMs * 2 ** (failures - 1)));
    return () => clearTimeout(timer);
  }, [pending, reachable, failures, keep, onChanged]);
  const roastId = roast?.id;
  const marks = useMemo(
    () =>
      pending
        .filter((one) => one.roastId === roastId)
        .map(({ kind, time_seconds, temp }): RoastMark => ({
          kind,
          time_seconds,
          temp,
          origin: 'person',
          confidence: 1,
          provisional: true,
        })),
    [pending, roastId],
  );
  const add = useCallback(
    (mark: PendingMark) =>
      keep((all) => [...all.filter((one) => one.roastId !== mark.roastId || one.kind !== mark.kind), mark]),
    [keep],
  );
  const remove = useCallback(
    (kind: HandMark) => keep((all) => all.filter((one) => one.roastId !== roastId || one.kind !== kind)),
    [keep, roastId],
  );
  return { marks, refused, add, remove };
};
