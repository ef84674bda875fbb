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
  UserRound,
  Users,
  type LucideIcon,
} from 'lucide-react';
import { paths } from '../components/paths.ts';

export interface Destination {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Pressed after `g`: go to. */
  key: string;
}

export const mainDestinations: readonly Destination[] = [
  { to: paths.dashboard, label: 'Dashboard', icon: LayoutDashboard, key: 'd' },
  { to: paths.machines, label: 'Machines', icon: Factory, key: 'm' },
  { to: paths.roasts, label: 'Roasts', icon: Coffee, key: 'r' },
  { to: paths.recipes, label: 'Recipes', icon: BookOpenText, key: 'e' },
  { to: paths.lots, label: 'Inventory', icon: Package, key: 'i' },
  { to: paths.analytics, label: 'Analytics', icon: ChartNoAxesCombined, key: 'a' },
];

export const adminDestinations: readonly Destination[] = [
  { to: paths.users, label: 'Users', icon: Users, key: 'u' },
  { to: paths.devices, label: 'Devices', icon: CircuitBoard, key: 'v' },
  { to: paths.statistics, label: 'Statistics', icon: ChartColumn, key: 't' },
  { to: paths.settings, label: 'Settings', icon: Settings, key: 's' },
  { to: paths.audit, label: 'Audit Log', icon: ScrollText, key: 'l' },
];

/** Reached from the account menu, from other pages and from the palette. */
export const otherDestinations: readonly Destination[] = [
  { to: paths.newRoast, label: 'Add roast', icon: Plus, key: 'n' },
  { to: paths.compare([]), label: 'Compare roasts', icon: GitCompareArrows, key: 'p' },
  { to: paths.blends, label: 'Post-roast blends', icon: Blend, key: 'b' },
  { to: paths.account, label: 'Account', icon: UserRound, key: 'c' },
];

export const destinationsFor = (isAdmin: boolean): readonly Destination[] => [
  ...mainDestinations,
  ...(isAdmin ? adminDestinations : []),
  ...otherDestinations,
];
