import { LogOut } from 'lucide-react';
import { NavLink, useNavigate } from 'react-router-dom';
import { logError } from '../api/error-log.ts';
import { useSession, useUser } from '../api/session.tsx';
import { paths } from '../components/paths.ts';
import { personName } from '../components/person-name.ts';
import { t } from '../language/t.ts';
import { Button } from '../ui/Button.tsx';
import { classes } from '../ui/classes.ts';
import { adminDestinations, mainDestinations, type Destination } from './destinations.ts';
import { Logo } from './Logo.tsx';

/** Signs out in this browser even when the server does not answer. */
export const useLogout = (): (() => Promise<void>) => {
  const { logout } = useSession();
  const navigate = useNavigate();
  return async () => {
    try {
      await logout();
    } catch (error) {
      logError('logout request failed', error);
    }
    await navigate(paths.login, { replace: true });
  };
};

const Links = ({ destinations }: { destinations: readonly Destination[] }) => (
  <ul className="flex flex-col gap-px">
    {destinations.map(({ to, label, icon: Icon }) => (
      <li key={to}>
        <NavLink
          to={to}
          className={({ isActive }) =>
            classes(
              'relative flex h-9 items-center gap-2.5 rounded-md px-2.5 text-base transition-colors pointer-coarse:h-11 [&_svg]:size-4',
              isActive
                ? 'bg-selected font-medium text-strong before:absolute before:inset-y-2 before:-left-3 before:w-0.5 before:rounded-full before:bg-accent [&_svg]:text-accent-text'
                : 'text-content hover:bg-hover hover:text-strong [&_svg]:text-muted',
            )
          }
        >
          <Icon aria-hidden />
          {label}
        </NavLink>
      </li>
    ))}
  </ul>
);

/** The navigation: at the left on a desktop, in a drawer on a phone. */
export const Sidebar = () => {
  const user = useUser();
  const logout = useLogout();
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-13.5 shrink-0 items-center gap-2.5 border-b border-stroke px-4">
        <Logo className="size-6 shrink-0" />
        <span className="truncate text-base font-semibold tracking-tight text-strong">{t`Roasting Management`}</span>
      </div>
      <nav aria-label={t`Main`} className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto px-3 py-3">
        <Links destinations={mainDestinations} />
        {user.is_admin && (
          <div>
            <h2 className="label-mono px-2.5 pb-1.5">{t`Admin`}</h2>
            <Links destinations={adminDestinations} />
          </div>
        )}
      </nav>
      <div className="flex items-center justify-between gap-2 border-t border-stroke py-3 pr-3 pl-4 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
        <div className="min-w-0">
          <p className="truncate text-sm font-medium text-strong" title={user.email}>
            {personName(user)}
          </p>
          <p className="text-xs text-muted">{user.is_admin ? t`Administrator` : t`User`}</p>
        </div>
        <Button kind="quiet" icon={<LogOut aria-hidden />} onClick={() => void logout()}>
          {t`Logout`}
        </Button>
      </div>
    </div>
  );
};
