import { RefreshCw, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useNavigate } from 'react-router-dom';
import { ApiError } from '../api/api-error.ts';
import { useShownError } from '../api/failed-reads.ts';
import { logError } from '../api/error-log.ts';
import { t } from '../language/t.ts';
import { Button } from '../ui/Button.tsx';
import { Skeleton } from '../ui/Card.tsx';
import { toast } from '../ui/toast.ts';

interface ErrorStateProps {
  /** The failed read: `Roasts could not be loaded`. */
  title: string;
  error: unknown;
  onRetry?: () => void;
}

/** An error inside its card, with Retry and the request id for support. */
export const ErrorState = ({ title, error, onRetry }: ErrorStateProps) => (
  <div role="alert" className="flex flex-col items-center justify-center gap-1 px-6 py-14 text-center">
    <TriangleAlert aria-hidden className="mb-2 size-6 text-danger" />
    <p className="text-lg font-semibold text-strong">{title}</p>
    <p className="max-w-md text-base text-muted">
      {error instanceof ApiError ? error.message : t`Something went wrong on this page.`}
    </p>
    <RequestId error={error} />
    {onRetry !== undefined && (
      <Button icon={<RefreshCw aria-hidden />} onClick={onRetry} className="mt-4">
        {t`Retry`}
      </Button>
    )}
  </div>
);

/** The same as one line, above a list that shows its empty state; nothing without an error. */
export const ErrorLine = ({ title, error, onRetry }: ErrorStateProps) =>
  error !== undefined &&
  error !== null && (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-danger/40 bg-danger-soft px-4 py-2.5 text-sm text-strong"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger" />
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">{title}.</strong>{' '}
        {error instanceof ApiError ? error.message : t`Something went wrong on this page.`}
        <RequestId error={error} />
      </p>
      {onRetry !== undefined && (
        <Button icon={<RefreshCw aria-hidden />} onClick={onRetry}>
          {t`Retry`}
        </Button>
      )}
    </div>
  );

interface UnreadProps extends ErrorStateProps {
  /** Classes of the skeleton: the place of the answer. */
  skeleton: string;
  isLine?: boolean;
}

/** In place of an answer: its skeleton, or why it could not be read. */
export const Unread = ({ skeleton, isLine = false, ...failed }: UnreadProps) => {
  if (failed.error === undefined) return <Skeleton className={skeleton} />;
  return isLine ? <ErrorLine {...failed} /> : <ErrorState {...failed} />;
};

/** Stands below every error that is shown. */
const RequestId = ({ error }: { error: unknown }) => {
  useShownError(error);
  return error instanceof ApiError && error.requestId !== undefined ? (
    <span className="block font-mono text-xs text-muted">{t`Request ${error.requestId}`}</span>
  ) : null;
};

/** Leaves the page of a record that could not be loaded: shows a toast and goes to the list. Pass undefined without an error. */
export const useReturnOnError = (error: unknown, text: string, to: string): void => {
  const navigate = useNavigate();
  useEffect(() => {
    if (error === undefined) return;
    logError(text, error);
    toast(text, { tone: 'danger' });
    void navigate(to, { replace: true });
  }, [error, text, to, navigate]);
};
