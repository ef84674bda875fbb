import { useSyncExternalStore } from 'react';

// Whether this browser reaches the server: every call reports here, the offline banner reads it.

export interface Reachability {
  reachable: boolean;
  /** Epoch milliseconds of the last answer: the age of the data on screen. */
  lastAnswerAt: number | null;
}

const probeEveryMs = 5000;
let state: Reachability = { reachable: true, lastAnswerAt: null };
let probing: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const publish = (next: Reachability) => {
  state = next;
  for (const listener of listeners) listener();
};

/** Checks the server now. It may be reachable although the browser reports no network: it may run on this computer. */
export const checkReachability = async (): Promise<void> => {
  try {
    const response = await fetch('/api/v1/auth/me', { signal: AbortSignal.timeout(4000), cache: 'no-store' });
    reportStatus(response.status);
  } catch (error) {
    // No server: the interval retries. Any other error is a bug and must be visible.
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
    reportSilence();
  }
};

/** A proxy answered because its server did not. */
export const isGatewayTrouble = (status: number): boolean => status === 502 || status === 504;

/** A starting server answers 503 before it can serve anything: its first other answer means that it is back. */
export const reportStatus = (status: number): void => {
  if (isGatewayTrouble(status) || (status === 503 && !state.reachable)) reportSilence();
  else reportAnswer();
};

const reportAnswer = (): void => {
  if (probing !== undefined) {
    clearInterval(probing);
    probing = undefined;
  }
  const now = Date.now();
  // Components show minutes: notifying them of every call would render the shell needlessly.
  if (state.reachable && state.lastAnswerAt !== null) state.lastAnswerAt = now;
  else publish({ reachable: true, lastAnswerAt: now });
};

export const reportSilence = (): void => {
  if (state.reachable) publish({ ...state, reachable: false });
  probing ??= setInterval(() => void checkReachability(), probeEveryMs);
};

const check = () => void checkReachability();

/** Checks the server when the browser has lost or found its network; call once at start. */
export const followNetwork = (): void => {
  addEventListener('offline', check);
  addEventListener('online', check);
};

export const subscribeReachability = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export const reachability = (): Reachability => state;
export const useReachability = (): Reachability => useSyncExternalStore(subscribeReachability, reachability);
