import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'react-router-dom';

/**
 * State of a page that belongs in its address: filters, tab, sorting, search. `undefined` removes a key, so defaults
 * are not in the address. Any change except of the page returns to the first page.
 */
export const useUrlState = (): {
  read: (key: string) => string | undefined;
  change: (change: Record<string, string | undefined>) => void;
} => {
  const [search, setSearch] = useSearchParams();
  const { state } = useLocation();
  const read = useCallback((key: string) => search.get(key) ?? undefined, [search]);
  const change = useCallback(
    (change: Record<string, string | undefined>) => {
      setSearch(
        () => {
          // The router passes the address of the last render, and a delayed change would undo a later one.
          const next = new URLSearchParams(window.location.search);
          if (!('page' in change)) next.delete('page');
          for (const [key, value] of Object.entries(change)) {
            if (value === undefined || value === '') next.delete(key);
            else next.set(key, value);
          }
          return next;
        },
        { replace: true, state },
      );
    },
    [setSearch, state],
  );
  return { read, change };
};

/** A value of a closed list from the address; anything else gives the fallback. */
export const oneOf = <Value extends string>(
  choices: readonly Value[],
  text: string | undefined,
  fallback: Value,
): Value => choices.find((choice) => choice === text) ?? fallback;
