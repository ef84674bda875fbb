import type { Crumb } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';

export const lotCrumbs = (page: string): Crumb[] => [
  { label: 'Home', to: paths.dashboard },
  { label: 'Inventory', to: paths.lots },
  { label: page },
];
