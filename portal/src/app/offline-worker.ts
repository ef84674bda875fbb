import { logError } from '../api/error-log.ts';

const start = () =>
  navigator.serviceWorker
    .register('/sw.js')
    .catch((error: unknown) => logError('offline worker registration failed', error));

/**
 * Lets the browser keep the portal and its last answers on this device (build/offline-worker.js), once the first page is
 * there. Browsers allow it over HTTPS and on the computer itself; without it everything but opening the portal offline works.
 */
export const startOfflineWorker = (): void => {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  if (document.readyState === 'complete') void start();
  else addEventListener('load', () => void start(), { once: true });
};
