import { useSyncExternalStore } from 'react';

// Whether the page is being printed right now: charts then draw anew for paper, and what belongs on paper only appears.

let printing = false;
const listeners = new Set<() => void>();

const change = (next: boolean) => () => {
  printing = next;
  for (const listener of listeners) listener();
};

/** Call once at start. */
export const followPrinting = (): void => {
  addEventListener('beforeprint', change(true));
  addEventListener('afterprint', change(false));
};

export const subscribePrinting = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export const isPrinting = (): boolean => printing;
/** Drawn before the browser takes the page to paper: what changes with it is there in time. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribePrinting, isPrinting);
