import { ChartColumn, ChartNoAxesCombined, Coffee, Factory, Package, Users } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useSession } from '../../api/session.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';

const everyone = [
  { to: paths.roasts, label: t`Roasts`, text: t`All roasts`, icon: Coffee },
  { to: paths.machines, label: t`Machines`, text: t`Status and setup`, icon: Factory },
];
const admins = [
  { to: paths.users, label: t`Users`, text: t`Accounts`, icon: Users },
  { to: paths.statistics, label: t`Statistics`, text: t`The whole roastery`, icon: ChartColumn },
];
const others = [
  { to: paths.lots, label: t`Inventory`, text: t`Green coffee lots`, icon: Package },
  { to: paths.analytics, label: t`Analytics`, text: t`Trends and consistency`, icon: ChartNoAxesCombined },
];

export const Shortcuts = () => {
  const { isAdmin } = useSession();
  return (
    <nav aria-label={t`Shortcuts`} className="grid grid-cols-2 content-start gap-2 lg:grid-cols-1">
      {[...everyone, ...(isAdmin ? admins : others)].map(({ to, label, text, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className="flex min-h-11 items-center gap-2.5 rounded-lg border border-stroke bg-surface px-3 py-2 hover:border-stroke-strong hover:bg-hover"
        >
          <Icon aria-hidden className="size-4 shrink-0 text-accent-text" />
          <span className="min-w-0 flex-1 truncate">
            <span className="font-medium text-strong">{label}</span>{' '}
            <span className="text-sm text-muted max-sm:sr-only">{text}</span>
          </span>
        </Link>
      ))}
    </nav>
  );
};
