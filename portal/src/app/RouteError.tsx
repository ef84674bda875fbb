import { RefreshCw, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useRouteError } from 'react-router-dom';
import { logError } from '../api/error-log.ts';
import { paths } from '../components/paths.ts';
import { Button, buttonClass } from '../ui/Button.tsx';

/** A page that broke while it was drawn, or whose code is gone because the portal was updated meanwhile. */
export const RouteError = () => {
  const error = useRouteError();
  useEffect(() => logError('A page broke', error), [error]);
  return (
    <div role="alert" className="flex min-h-[70dvh] flex-col items-center justify-center gap-1 px-6 text-center">
      <title>Something went wrong · Roasting Management</title>
      <TriangleAlert aria-hidden className="mb-2 size-7 text-danger" />
      <h1 className="text-lg font-semibold text-strong">This page broke</h1>
      <p className="max-w-md text-muted">
        Your data is safe. Reload the page; if it happens again, tell your administrator what you were doing.
      </p>
      {error instanceof Error && (
        <p className="mt-2 max-w-md font-mono text-xs break-all text-muted">{error.message}</p>
      )}
      <div className="mt-5 flex flex-wrap justify-center gap-2">
        <a href={paths.dashboard} className={buttonClass('secondary', 'md')}>
          Dashboard
        </a>
        <Button kind="primary" size="md" icon={<RefreshCw aria-hidden />} onClick={() => location.reload()}>
          Reload Page
        </Button>
      </div>
    </div>
  );
};
