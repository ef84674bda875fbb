import { useCallback, useState } from 'react';

/**
 * How many of a long list are on the page: a step more whenever the element with the ref `more` comes near the screen.
 * Hundreds of cards at once would make every key press of a search slow.
 */
export const useGrowingCount = (step: number): { count: number; more: (element: HTMLElement | null) => void } => {
  const [count, setCount] = useState(step);
  const more = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const observer = new IntersectionObserver(
        (entries) => {
          if (entries.some((entry) => entry.isIntersecting)) setCount((current) => current + step);
        },
        { rootMargin: '1000px' },
      );
      observer.observe(element);
      return () => observer.disconnect();
    },
    [step],
  );
  return { count, more };
};
