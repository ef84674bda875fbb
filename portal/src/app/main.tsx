import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router-dom';
import { SWRConfig } from 'swr';
import { followNetwork } from '../api/reachability.ts';
import { beginSessionCheck, SessionProvider } from '../api/session.tsx';
import { followPrinting } from '../ui/printing.ts';
import { followTheme } from '../ui/theme.ts';
import { useOwnFormats } from '../format/preferences.ts';
import '../ui/theme.css';
import { swrConfig } from './swr-config.ts';
import { createRouter } from './routes.tsx';
import { logError } from '../api/error-log.ts';

const registerOfflineWorker = () =>
  navigator.serviceWorker
    .register('/sw.js')
    .catch((error: unknown) => logError('offline worker registration failed', error));

/**
 * Lets the browser store the portal and its last answers on this device (build/offline-worker.js), once the first page
 * is loaded. Browsers allow it over HTTPS and on the computer itself; without it everything works except opening the
 * portal offline.
 */
const startOfflineWorker = (): void => {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  if (document.readyState === 'complete') void registerOfflineWorker();
  else addEventListener('load', () => void registerOfflineWorker(), { once: true });
};

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
followPrinting();
followTheme();
followNetwork();
startOfflineWorker();
// The session is read first, then the data of the page.
beginSessionCheck();
const router = createRouter();

/** An error that React recovered from by rendering again is still a fault: report its cause. */
const onRecoverableError = (error: unknown): void =>
  reportError(error instanceof Error && error.cause !== undefined ? error.cause : error);

/** Before any page is rendered the formats are those of the signed-in person. */
const OwnFormats = ({ children }: { children: ReactNode }) => {
  useOwnFormats();
  return children;
};

createRoot(root, { onRecoverableError }).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <SWRConfig value={swrConfig}>
        <SessionProvider>
          <OwnFormats>
            <RouterProvider router={router} />
          </OwnFormats>
        </SessionProvider>
      </SWRConfig>
    </CSPProvider>
  </StrictMode>,
);
