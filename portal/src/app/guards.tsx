import { useEffect } from 'react';
import { Navigate, Outlet, useLocation, useSearchParams } from 'react-router-dom';
import { useSession } from '../api/session.tsx';
import { paths } from '../components/paths.ts';
import { pendingMarksPrefix } from '../features/cockpit/hand-marks.ts';
import { Logo } from './Logo.tsx';
import { t } from '../language/t.ts';

/** Shown while the session is being checked. */
export const Loading = () => (
  <output className="flex min-h-dvh flex-col items-center justify-center gap-4 text-base text-muted">
    <Logo className="size-10 animate-[breathe_1.6s_ease-in-out_infinite]" />
    {t`Loading`}
  </output>
);

/** Marks of this device that still wait for the server are sent from any page. */
const SignedIn = () => {
  useEffect(() => {
    if (Object.keys(localStorage).some((key) => key.startsWith(pendingMarksPrefix)))
      void import('../features/cockpit/pending-marks.ts');
  }, []);
  return <Outlet />;
};

/** Redirects signed-out users to /login, and keeps the requested address. */
export const RequireSession = () => {
  const { user, isChecking } = useSession();
  const { pathname, search, hash } = useLocation();
  if (isChecking) return <Loading />;
  // Another user remounts the page: a form may hold text of the previous one.
  if (user !== null) return <SignedIn key={user.id} />;
  const asked = `${pathname}${search}${hash}`;
  const query = asked === paths.dashboard || asked === '/' ? '' : `?${new URLSearchParams({ next: asked }).toString()}`;
  return <Navigate to={`${paths.login}${query}`} replace />;
};

/** Non-admins go to the dashboard; the server refuses them on its own. */
export const RequireAdmin = () => (useSession().isAdmin ? <Outlet /> : <Navigate to={paths.dashboard} replace />);

/** State of the address to which a sign-in leads. */
export const signedInState = 'signed in';

/** /login for signed-out users; signed-in users continue to the requested address, else to the dashboard. */
export const SignedOutOnly = () => {
  const { isAuthenticated, isChecking } = useSession();
  const [search] = useSearchParams();
  if (isChecking) return <Loading />;
  return isAuthenticated ? <Navigate to={safeNext(search.get('next'))} replace state={signedInState} /> : <Outlet />;
};

/** Only a path of this portal: never `//elsewhere` or a scheme, which a crafted link could contain. */
export const safeNext = (next: string | null): string => {
  if (next === null || !next.startsWith('/')) return paths.dashboard;
  const base = 'https://portal.invalid';
  const url = URL.canParse(next, base) ? new URL(next, base) : undefined;
  return url?.origin === base && url.pathname !== paths.login
    ? `${url.pathname}${url.search}${url.hash}`
    : paths.dashboard;
};
