import { useSyncExternalStore } from 'react';

/** Shared by all charts of a roast page: the visible time window and the time under the pointer. */
export interface TimeView {
  readonly from: number;
  readonly to: number;
  /** Seconds since charge under the pointer, null when it is elsewhere. */
  readonly cursor: number | null;
}

export interface TimeViewStore {
  readonly get: () => TimeView;
  readonly subscribe: (listener: () => void) => () => void;
  /** Sets the whole range; a live curve moves its end. A window that shows everything continues to. */
  setExtent(from: number, to: number): void;
  setWindow(from: number, to: number): void;
  setCursor(seconds: number | null): void;
  reset(): void;
  isZoomed(): boolean;
  extent(): { from: number; to: number };
}

/** Shortest window, seconds. */
const shortest = 10;

export const createTimeView = (from = 0, to = 60): TimeViewStore => {
  let extent = { from, to: Math.max(to, from + shortest) };
  let view: TimeView = { ...extent, cursor: null };
  let zoomed = false;
  const listeners = new Set<() => void>();
  const change = (next: TimeView): void => {
    if (next.from === view.from && next.to === view.to && next.cursor === view.cursor) return;
    view = next;
    for (const listener of listeners) listener();
  };
  const store: TimeViewStore = {
    get: () => view,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setExtent(from, to) {
      extent = { from, to: Math.max(to, from + shortest) };
      if (!zoomed) change({ ...view, ...extent });
    },
    setWindow(from, to) {
      const length = Math.min(Math.max(to - from, shortest), extent.to - extent.from);
      const start = Math.min(Math.max(from, extent.from), extent.to - length);
      zoomed = length < extent.to - extent.from - 0.5;
      change({ ...view, from: start, to: start + length });
    },
    setCursor(seconds) {
      change({ ...view, cursor: seconds });
    },
    reset() {
      zoomed = false;
      change({ ...view, ...extent });
    },
    isZoomed: () => zoomed,
    extent: () => extent,
  };
  return store;
};

export const useTimeView = (store: TimeViewStore): TimeView => useSyncExternalStore(store.subscribe, store.get);

/** The cursor without the window, so that a moving window does not render components that only show values at the cursor. */
export const useCursor = (store: TimeViewStore): number | null =>
  useSyncExternalStore(store.subscribe, () => store.get().cursor);

export const useIsZoomed = (store: TimeViewStore): boolean =>
  useSyncExternalStore(store.subscribe, () => store.isZoomed());

/** The window without the cursor, so that a moving pointer does not render components that only show the window. */
export const useTimeWindow = (store: TimeViewStore): string =>
  useSyncExternalStore(store.subscribe, () => `${store.get().from}:${store.get().to}`);
