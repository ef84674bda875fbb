import { deleteMark, putMark } from '@roastery/contract/roast-marks';
import { getRoast, type Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { isTemporary, sentenceFor } from '../../api/api-error.ts';
import { call, currentPerson, subscribeCurrentPerson } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { reachability, subscribeReachability } from '../../api/reachability.ts';
import { useUser } from '../../api/session.tsx';
import { markLabels } from '../../components/chart/mark-layout.ts';
import { personName } from '../../components/person-name.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';
import {
  isPendingMark,
  isStoredAs,
  pendingMarksPrefix as prefix,
  type HandSet,
  type PendingMark,
} from './hand-marks.ts';

// Marks that wait for the server. They are stored on this device, so that a reload loses none, and sent with their own
// time as soon as the server takes them, whatever page is open. Those of another person wait until that person signs in
// here again: sent now, they would be stored and audited as set by the one who is signed in.

type StoredMark = PendingMark & { readonly machineId: string };

/** How long a mark that the server could not take waits, at least and at most. */
const minRetryMs = 1000;
const maxRetryMs = 15_000;

const read = (machineId: string): StoredMark[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(`${prefix}${machineId}`) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isPendingMark).map((mark) => ({ ...mark, machineId })) : [];
  } catch (error) {
    logError('pending marks could not be read', error);
    return [];
  }
};
const readAll = (): StoredMark[] =>
  Object.keys(localStorage).flatMap((key) => (key.startsWith(prefix) ? read(key.slice(prefix.length)) : []));

let marks: readonly StoredMark[] = readAll();
const listeners = new Set<() => void>();
const sentListeners = new Set<(roast: Roast) => void>();

const publish = (): void => {
  marks = readAll();
  for (const listener of listeners) listener();
  sendNext();
};

const change = (machineId: string, next: (all: readonly StoredMark[]) => readonly PendingMark[]): void => {
  const kept = next(read(machineId));
  if (kept.length === 0) localStorage.removeItem(`${prefix}${machineId}`);
  else localStorage.setItem(`${prefix}${machineId}`, JSON.stringify(kept));
  publish();
};

const isSame = (one: HandSet, other: HandSet): boolean =>
  one.roastId === other.roastId &&
  one.kind === other.kind &&
  one.time_seconds === other.time_seconds &&
  one.undone === other.undone;
const isStored = (mark: StoredMark): boolean => read(mark.machineId).some((one) => isSame(one, mark));

/** Removes an undone mark that the server has, but no other of its kind. */
const withdraw = async (mark: StoredMark): Promise<Roast> => {
  const { roastId: id, kind } = mark;
  const roast = await call(getRoast, { params: { id } });
  return roast.marks.some((one) => isStoredAs(one, mark)) ? call(deleteMark, { params: { id, kind } }) : roast;
};

const send = async (mark: StoredMark): Promise<void> => {
  // It was undone, or sent by another tab, in the meantime.
  if (!isStored(mark)) return;
  const { roastId: id, kind, time_seconds, temp } = mark;
  const roast = mark.undone
    ? await withdraw(mark)
    : await call(putMark, { params: { id, kind }, body: { time_seconds, temp } });
  for (const listener of sentListeners) listener(roast);
};

type ShowRefused = (text: string, reason: string) => void;
/** By machine, while its cockpit is open; elsewhere a toast shows it. */
const cockpits = new Map<string, ShowRefused>();

const refuse = ({ machineId, kind, time_seconds, undone }: StoredMark, error: unknown): void => {
  logError('a queued mark was refused', error);
  // It is not there to be removed.
  if (undone) return;
  const [label, time] = [markLabels[kind].long, formatDuration(time_seconds)];
  const show: ShowRefused =
    cockpits.get(machineId) ?? ((text, reason) => toast(text, { tone: 'danger', detail: reason }));
  show(t`${label} at ${time} was not saved`, sentenceFor(error, t`The marker could not be set`));
};

/** Shows the queued marks of a machine that the server refuses. */
export const useRefusedMarks = (machineId: string, show: ShowRefused): void =>
  useEffect(() => {
    cockpits.set(machineId, show);
    return () => {
      cockpits.delete(machineId);
    };
  }, [machineId, show]);

let isSending = false;
/** Attempts in a row that failed and may succeed later. */
let failures = 0;
let retry: ReturnType<typeof setTimeout> | undefined;

const attempt = async (mark: StoredMark): Promise<void> => {
  try {
    // One tab at a time. Browsers have locks over HTTPS and on the computer itself.
    await ('locks' in navigator ? navigator.locks.request(prefix, () => send(mark)) : send(mark));
  } catch (error) {
    if (isTemporary(error)) {
      failures += 1;
      retry = setTimeout(tryAgain, Math.min(maxRetryMs, minRetryMs * 2 ** (failures - 1)));
      return;
    }
    refuse(mark, error);
  } finally {
    isSending = false;
  }
  failures = 0;
  change(mark.machineId, (all) => all.filter((one) => !isSame(one, mark)));
};

const sendNext = (): void => {
  const own = marks.filter(({ userId }) => userId === currentPerson());
  // One that the server cannot take yet holds up no other.
  const mark = own[failures % own.length];
  if (mark === undefined || isSending || retry !== undefined || !reachability().reachable) return;
  isSending = true;
  void attempt(mark);
};

const tryAgain = (): void => {
  clearTimeout(retry);
  retry = undefined;
  sendNext();
};

subscribeReachability(tryAgain);
subscribeCurrentPerson(tryAgain);
addEventListener('storage', ({ key }) => {
  if (key === null || key.startsWith(prefix)) publish();
});
sendNext();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
const current = (): readonly StoredMark[] => marks;

export interface PendingMarks {
  /** Of this roast, with those that wait to be removed. */
  readonly marks: readonly PendingMark[];
  /** Other people whose marks wait until they sign in here again. */
  readonly others: readonly string[];
  readonly add: (mark: HandSet) => void;
  /** Removes a mark that was added or set, also when it is being sent or has been sent. */
  readonly undo: (mark: HandSet) => void;
}

/** The waiting marks of a machine. `onSent` gets the roast with one that the server has taken. */
export const usePendingMarks = (
  machineId: string,
  roast: Roast | null,
  onSent: (roast: Roast) => void,
): PendingMarks => {
  const user = useUser();
  const userId = user.id;
  const userName = personName(user);
  const all = useSyncExternalStore(subscribe, current);
  useEffect(() => {
    const listener = (sent: Roast): void => {
      if (sent.machine_id === machineId) onSent(sent);
    };
    sentListeners.add(listener);
    return () => {
      sentListeners.delete(listener);
    };
  }, [machineId, onSent]);
  const roastId = roast?.id;
  const ofRoast = useMemo(() => all.filter((one) => one.roastId === roastId), [all, roastId]);
  const add = useCallback(
    (mark: HandSet) =>
      change(machineId, (stored) => [
        ...stored.filter((one) => one.undone || one.roastId !== mark.roastId || one.kind !== mark.kind),
        { ...mark, userId, userName },
      ]),
    [machineId, userId, userName],
  );
  const undo = useCallback(
    (mark: HandSet) =>
      change(machineId, (stored) => [
        ...stored.filter((one) => !isSame(one, mark)),
        { ...mark, userId, userName, undone: true },
      ]),
    [machineId, userId, userName],
  );
  const others = useMemo(
    () => [...new Set(ofRoast.flatMap((one) => (one.userId === userId ? [] : [one.userName])))],
    [ofRoast, userId],
  );
  return { marks: ofRoast, others, add, undo };
};
