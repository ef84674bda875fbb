import { listAlerts } from '@roastery/contract/alerts';
import {
  getLot,
  inventorySummary,
  listLotMovements,
  listLots,
  lotLocations,
  lotOrigins,
  type Lot,
} from '@roastery/contract/inventory';
import { getProfile, listProfiles } from '@roastery/contract/profiles';
import { refresh } from '../../api/use-api.ts';
import type { Crumb } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { formatPercent } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import type { Tone } from '../../ui/Badge.tsx';

/** After any change to a lot: the lot, the list with its totals, and the recipes that show its weight. */
export const refreshLots = (): Promise<void> =>
  refresh(
    getLot,
    inventorySummary,
    listLotMovements,
    listLots,
    lotLocations,
    lotOrigins,
    getProfile,
    listProfiles,
    listAlerts,
  );

export const lotCrumbs = (page: string): Crumb[] => [{ label: t`Inventory`, to: paths.lots }, { label: page }];

/** Below this share of the initial weight a lot's weight is shown in red (product document, section 9). */
export const lowSharePercent = 20;
export const isLow = (lot: Pick<Lot, 'percentage_remaining'>): boolean => lot.percentage_remaining < lowSharePercent;

/** Whole percent, rounded down: 19.6 % is red and must not read as 20 %. */
export const shareText = ({ percentage_remaining }: Pick<Lot, 'percentage_remaining'>): string =>
  formatPercent(Math.floor(percentage_remaining) / 100, 0);

/** `5+ weeks` from a week on, else days; `--` where nothing was used in the last 30 days. */
export const runOutText = (days: number | null): string => {
  if (days === null) return '--';
  if (days >= 7) return t`${Math.floor(days / 7)}+ weeks`;
  const whole = Math.floor(days);
  if (whole < 1) return t`< 1 day`;
  return whole === 1 ? t`1 day` : t`${whole} days`;
};

export const statusTones: Record<Lot['status'], Tone> = {
  Available: 'success',
  'In Use': 'accent',
  Reserved: 'info',
  Depleted: 'neutral',
};

export const lotName = (lot: Pick<Lot, 'lot_number' | 'coffee_name'>): string => `${lot.lot_number} ${lot.coffee_name}`;
