import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router-dom';
import { SWRConfig } from 'swr';
import { followNetwork } from '../api/reachability.ts';
import { SessionProvider } from '../api/session.tsx';
import { followPrinting } from '../ui/printing.ts';
import { followTheme } from '../ui/theme.ts';
import '../ui/theme.css';
import { startOfflineWorker } from './offline-worker.ts';
import { reading } from './reading.ts';
import { router } from './routes.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
followPrinting();
followTheme();
followNetwork();
startOfflineWorker();

/** What React could mend by drawing once more is still a fault: the console names it, not only that it was mended. */
const onRecoverableError = (error: unknown): void =>
  reportError(error instanceof Error && error.cause !== undefined ? error.cause : error);

createRoot(root, { onRecoverableError }).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <SWRConfig value={reading}>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </SWRConfig>
    </CSPProvider>
  </StrictMode>,
);
