import { Search } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router-dom';
import { useUser } from '../api/session.tsx';
import { paths } from '../components/paths.ts';
import { personName } from '../components/person-name.ts';
import { t } from '../language/t.ts';
import { Kbd } from '../ui/Badge.tsx';
import { AlarmBell } from './AlarmBell.tsx';
import { AccountButton, ZoneNote } from './AccountButton.tsx';
import { modifierKey } from './keyboard.ts';
import { Logo } from './Logo.tsx';
import { RoastingNow } from './RoastingNow.tsx';

const loadAccountMenu = async () => ({ default: (await import('./AccountMenu.tsx')).AccountMenu });
const AccountMenu = lazy(loadAccountMenu);
const reach = () => void loadAccountMenu();

/** The menu's code is loaded on the first hover or focus, not with the first page. */
const Account = ({ name }: { name: string }) => {
  const [isAsked, setIsAsked] = useState(false);
  const button = (
    <AccountButton
      name={name}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={reach}
      onFocus={reach}
      onClick={() => setIsAsked(true)}
    />
  );
  return isAsked ? (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  ) : (
    button
  );
};

export const TopBar = ({ onSearch }: { onSearch: () => void }) => {
  const name = personName(useUser());
  return (
    <header className="sticky top-0 z-30 flex h-13.5 items-center justify-between gap-3 border-b border-stroke bg-page px-4 sm:px-6 lg:px-8 print:hidden">
      <div className="flex min-w-0 items-center gap-3 max-sm:shrink-0">
        <Link to={paths.dashboard} aria-label={t`Dashboard`} className="lg:hidden">
          <Logo className="size-7" />
        </Link>
        <button
          type="button"
          onClick={onSearch}
          aria-keyshortcuts="Control+K Meta+K"
          className="flex h-8 items-center gap-2 rounded-md border border-stroke-strong bg-surface pr-1.5 pl-2.5 text-sm text-muted hover:bg-hover hover:text-strong max-sm:size-10 max-sm:justify-center max-sm:p-0 sm:w-64"
        >
          <Search aria-hidden className="size-4" />
          <span className="flex-1 text-left max-sm:sr-only">{t`Search or jump to…`}</span>
          <span aria-hidden className="flex gap-0.5 max-sm:hidden">
            <Kbd>{modifierKey()}</Kbd>
            <Kbd>K</Kbd>
          </span>
        </button>
      </div>
      <div className="flex min-w-0 items-center gap-3">
        <ZoneNote className="truncate max-lg:hidden" />
        <RoastingNow />
        <AlarmBell />
        <Account name={name} />
      </div>
    </header>
  );
};
