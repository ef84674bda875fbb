import { Menu } from 'lucide-react';
import { NavLink } from 'react-router-dom';
import { t } from '../language/t.ts';
import { classes } from '../ui/classes.ts';
import { mainDestinations } from './destinations.ts';

const shown = 5;
const itemClass = 'flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-2xs [&_svg]:size-5';

/** The main destinations on a phone; the rest is behind More. */
export const PhoneBar = ({ onMore }: { onMore: () => void }) => (
  <nav
    aria-label={t`Quick`}
    className="fixed inset-x-0 bottom-0 z-30 flex h-[calc(3.5rem+env(safe-area-inset-bottom))] border-t border-stroke bg-surface pb-[env(safe-area-inset-bottom)] lg:hidden print:hidden"
  >
    {mainDestinations.slice(0, shown).map(({ to, label, icon: Icon }) => (
      <NavLink
        key={to}
        to={to}
        className={({ isActive }) => classes(itemClass, isActive ? 'font-medium text-accent-text' : 'text-muted')}
      >
        <Icon aria-hidden />
        <span className="max-w-full truncate">{label}</span>
      </NavLink>
    ))}
    <button type="button" onClick={onMore} className={classes(itemClass, 'text-muted')}>
      <Menu aria-hidden />
      {t`More`}
    </button>
  </nav>
);
