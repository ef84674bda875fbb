import {
  Blend,
  BookOpenText,
  ChartColumn,
  ChartNoAxesCombined,
  CircuitBoard,
  Coffee,
  Factory,
  GitCompareArrows,
  LayoutDashboard,
  Package,
  Plus,
  ScrollText,
  Settings,
  Tv,
  UserRound,
  Users,
  type LucideIcon,
} from 'lucide-react';
import { paths } from '../components/paths.ts';
import { t } from '../language/t.ts';

export interface Destination {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Pressed after `g`: go to. */
  key: string;
}

export const mainDestinations: readonly Destination[] = [
  { to: paths.dashboard, label: t`Dashboard`, icon: LayoutDashboard, key: 'd' },
  { to: paths.machines, label: t`Machines`, icon: Factory, key: 'm' },
  { to: paths.roasts, label: t`Roasts`, icon: Coffee, key: 'r' },
  { to: paths.recipes, label: t`Recipes`, icon: BookOpenText, key: 'e' },
  { to: paths.lots, label: t`Inventory`, icon: Package, key: 'i' },
  { to: paths.analytics, label: t`Analytics`, icon: ChartNoAxesCombined, key: 'a' },
];

export const adminDestinations: readonly Destination[] = [
  { to: paths.users, label: t`Users`, icon: Users, key: 'u' },
  { to: paths.devices, label: t`Devices`, icon: CircuitBoard, key: 'v' },
  { to: paths.statistics, label: t`Statistics`, icon: ChartColumn, key: 't' },
  { to: paths.settings, label: t`Settings`, icon: Settings, key: 's' },
  { to: paths.audit, label: t`Audit Log`, icon: ScrollText, key: 'l' },
];

/** Reached from the account menu, from other pages and from the palette. */
export const otherDestinations: readonly Destination[] = [
  { to: paths.newRoast, label: t`Add roast`, icon: Plus, key: 'n' },
  { to: paths.compare([]), label: t`Compare roasts`, icon: GitCompareArrows, key: 'p' },
  { to: paths.blends, label: t`Post-roast blends`, icon: Blend, key: 'b' },
  { to: paths.wall, label: t`Wall`, icon: Tv, key: 'w' },
  { to: paths.account, label: t`Account`, icon: UserRound, key: 'c' },
];

export const destinationsFor = (isAdmin: boolean): readonly Destination[] => [
  ...mainDestinations,
  ...(isAdmin ? adminDestinations : []),
  ...otherDestinations,
];
