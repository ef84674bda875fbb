import { startTransition, useEffect, useState } from 'react';

/**
 * Number of parts to draw now: the first ones immediately, the rest in steps between which the page handles input. A
 * slow phone needs a second for a hundred rows, during which no touch is handled. All at once with `isReady` from the
 * start: a page from the cache keeps its length.
 */
export const useGrowing = (
  total: number,
  { first, step, isReady }: { first: number; step: number; isReady: boolean },
) => {
  const [shown, setShown] = useState(isReady ? Number.POSITIVE_INFINITY : first);
  const isAll = total === 0 || shown >= total;
  useEffect(() => {
    if (isAll) return undefined;
    const timer = setTimeout(() => startTransition(() => setShown(shown + step)));
    return () => clearTimeout(timer);
  }, [isAll, shown, step]);
  return Math.min(shown, total);
};
