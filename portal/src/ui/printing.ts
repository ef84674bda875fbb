import { useSyncExternalStore } from 'react';

// Whether the page is being printed: charts are drawn again for paper, and paper-only content is shown.

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
/** Renders before the browser prints, so that changes are on the paper. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribePrinting, isPrinting);
