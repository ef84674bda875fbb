import { listAlerts } from '@roastery/contract/alerts';
import {
  getLot,
  inventorySummary,
  listLotMovements,
  listLots,
  lotLocations,
  lotOrigins,
} from '@roastery/contract/inventory';
import { getProfile, listProfiles } from '@roastery/contract/profiles';
import { refresh } from '../../api/use-api.ts';

/** After any change to a lot: its own page, the list with its totals, and the recipes that show its weight. */
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
