import { CloudOff, Compass, RefreshCw, TriangleAlert } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { useRouteError } from 'react-router-dom';
import { logError } from '../api/error-log.ts';
import { reportSilence } from '../api/reachability.ts';
import { paths } from '../components/paths.ts';
import { t } from '../language/t.ts';
import { Button, ButtonLink, buttonClass } from '../ui/Button.tsx';
import { Page, PageHeader } from '../components/PageHeader.tsx';
import { EmptyState } from '../components/EmptyState.tsx';
import { Card } from '../ui/Card.tsx';

/** How Chromium, Firefox and Safari report that a page's code failed to load. */
const missingCode = /dynamically imported module|importing a module script failed/i;

/** A page that threw while rendering, or whose code did not load: no server, or the portal was updated. */
export const RouteError = () => {
  const error = useRouteError();
  const isMissing = error instanceof Error && missingCode.test(error.message);
  useEffect(() => {
    logError(isMissing ? 'page code failed to load' : 'page failed to render', error);
    // The offline banner then polls the server until it is back.
    if (isMissing) reportSilence();
  }, [error, isMissing]);
  if (isMissing) {
    return (
      <Notice
        icon={<CloudOff aria-hidden className="mb-2 size-7 text-warning" />}
        title={t`This page could not be loaded`}
      >
        {t`The server can’t be reached, or the portal was updated. No data is lost: the boards keep recording.`}
      </Notice>
    );
  }
  return (
    <Notice
      icon={<TriangleAlert aria-hidden className="mb-2 size-7 text-danger" />}
      title={t`This page stopped working`}
      error={error}
    >
      {t`Your data is safe. Reload the page. If it happens again, tell your administrator what you were doing.`}
    </Notice>
  );
};

interface NoticeProps {
  icon: ReactNode;
  title: string;
  error?: unknown;
  children: ReactNode;
}

const Notice = ({ icon, title, error, children }: NoticeProps) => (
  <div role="alert" className="flex min-h-[70dvh] flex-col items-center justify-center gap-1 px-6 text-center">
    <title>{t`${title} · Roasting Management`}</title>
    {icon}
    <h1 className="text-lg font-semibold text-strong">{title}</h1>
    <p className="max-w-md text-muted">{children}</p>
    {error instanceof Error && <p className="mt-2 max-w-md font-mono text-xs break-all text-muted">{error.message}</p>}
    <div className="mt-5 flex flex-wrap justify-center gap-2">
      <a href={paths.dashboard} className={buttonClass('secondary', 'md')}>
        {t`Dashboard`}
      </a>
      <Button kind="primary" size="md" icon={<RefreshCw aria-hidden />} onClick={() => location.reload()}>
        {t`Reload Page`}
      </Button>
    </div>
  </div>
);

export const NotFound = () => (
  <Page>
    <PageHeader title={t`Page not found`} />
    <Card>
      <EmptyState
        icon={<Compass />}
        title={t`There is no page at this address`}
        action={
          <ButtonLink to={paths.dashboard} kind="primary" size="md">
            {t`Go to the dashboard`}
          </ButtonLink>
        }
      >
        {t`The link may be outdated, or its target was deleted.`}
      </EmptyState>
    </Card>
  </Page>
);
