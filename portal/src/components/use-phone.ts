import { useSyncExternalStore } from 'react';

/** Tailwind's `sm` begins at 640 px. */
const phoneWidth = '(max-width: 639.98px)';

const subscribe = (listener: () => void) => {
  const query = matchMedia(phoneWidth);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/** True on a phone's width, where tables become cards. */
export const usePhone = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(phoneWidth).matches);
