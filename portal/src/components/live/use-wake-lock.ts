import { useEffect, useState } from 'react';
import { logError } from '../../api/error-log.ts';

/**
 * Keeps the screen of this device on while the page is visible; true while the browser grants it. Browsers offer it over HTTPS and
 * on localhost, and refuse it with a low battery.
 */
export const useWakeLock = (): boolean => {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (!('wakeLock' in navigator)) return undefined;
    let lock: WakeLockSentinel | undefined;
    let hasLeft = false;
    const request = async (): Promise<void> => {
      if (document.visibilityState !== 'visible' || lock?.released === false) return;
      try {
        const granted = await navigator.wakeLock.request('screen');
        if (hasLeft) return await granted.release();
        lock = granted;
        setHeld(true);
        granted.addEventListener('release', () => setHeld(false));
      } catch (error) {
        // The browser refused; the header shows that the screen may turn off.
        if (!(error instanceof DOMException)) logError('screen wake lock failed', error);
        setHeld(false);
      }
    };
    const requestAgain = () => void request();
    void request();
    // The browser releases the lock whenever the page is hidden.
    document.addEventListener('visibilitychange', requestAgain);
    return () => {
      hasLeft = true;
      document.removeEventListener('visibilitychange', requestAgain);
      void lock?.release();
    };
  }, []);
  return isHeld;
};
