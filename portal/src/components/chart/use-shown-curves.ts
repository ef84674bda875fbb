import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { curveStyles } from './curves.ts';

const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
};

const read = (): string =>
  curveStyles
    .map((style) => {
      const stored = localStorage.getItem(style.storageKey);
      return stored === null ? style.shownAtFirst : stored === 'true';
    })
    .map((shown) => (shown ? '1' : '0'))
    .join('');

/** Which curves are on, kept in local storage under the document's keys (`showBeanTemp` …) and shared by open tabs. */
export const useShownCurves = (): [Readonly<Record<string, boolean>>, (key: string) => void] => {
  const flags = useSyncExternalStore(subscribe, read);
  const shown = useMemo(
    () => Object.fromEntries(curveStyles.map((style, index) => [style.key, flags[index] === '1'])),
    [flags],
  );
  const toggle = useCallback((key: string) => {
    const index = curveStyles.findIndex((style) => style.key === key);
    const style = curveStyles[index];
    if (!style) return;
    localStorage.setItem(style.storageKey, String(read()[index] !== '1'));
    for (const listener of listeners) listener();
  }, []);
  return [shown, toggle];
};
