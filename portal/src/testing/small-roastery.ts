import { listMachineAlarmRules, listRecipeAlarmRules } from '@roastery/contract/alarm-rules';
import { getMailStatus, listAlerts } from '@roastery/contract/alerts';
import { listRecentAlarms, listRoastAlarms } from '@roastery/contract/alarms';
import { getPin } from '@roastery/contract/roasters';
import { me, type SessionUser } from '@roastery/contract/auth';
import { getBoardPackages } from '@roastery/contract/board-packages';
import { systemStats } from '@roastery/contract/dashboard';
import {
  getLot,
  inventorySummary,
  listLotMovements,
  listLots,
  lotLocations,
  lotOrigins,
  lotStatuses,
  lotStatusList,
} from '@roastery/contract/inventory';
import { listMachineMaps } from '@roastery/contract/machine-maps';
import { listMachines, machineTotals } from '@roastery/contract/machines';
import { listPlannedRoasts } from '@roastery/contract/planned';
import { getProfile, listProfiles } from '@roastery/contract/profiles';
import { getRoastPlan } from '@roastery/contract/roast-plan';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { getRoasterySettings, listOptions } from '@roastery/contract/settings';
import { adminStats, listUsers } from '@roastery/contract/users';
import { getWall } from '@roastery/contract/wall';
import { ana, lot, machine, option, recipe, roast, settings } from './records.ts';
import { answer, refused, type Answer } from './table-server.ts';

const machineTypes = ['RM30', 'RM15', 'RM7'];

/** The answers to the reads of a roastery with one record of each kind. A test replaces those that it is about. */
export const smallRoastery = (as: SessionUser | null): Answer[] => [
  answer(me, as ?? refused('Sign in first.', 'not_signed_in')),
  answer(listAlerts, { alerts: [] }),
  answer(listRecentAlarms, { alarms: [] }),
  answer(getPin, { is_set: false, locked: null }),
  answer(listRoastAlarms, { alarms: [] }),
  answer(systemStats, {
    activeMachines: 1,
    totalMachines: 1,
    todayRoasts: 0,
    thisMonthRoasts: 1,
    totalRoasted: 12,
    unweighedRoasts: 0,
    hasRoasts: true,
    hasLots: true,
    hasRecipes: true,
  }),
  answer(listMachines, [machine()]),
  answer(getWall, { machines: [], total: 0, reads_as: ana.preferences }),
  answer(machineTotals, { machines: 1, roasts: 0, kg_roasted: 0 }),
  answer(listMachineMaps, { maps: [], total: 0 }),
  answer(getBoardPackages, { portal_url: 'http://127.0.0.1:3000', repository: null }),
  answer(listRoasts, ({ query }) =>
    query.without === 'weight' ? { roasts: [], total: 0 } : { roasts: [roast()], total: 1 },
  ),
  answer(getRoast, roast()),
  answer(getRoastCurveColumns, { time_seconds: [], channels: {}, ror: [], gaps: [] }),
  answer(getRoastPlan, { plan: null }),
  answer(listPlannedRoasts, { planned: [], days: [], today: '2026-11-21' }),
  answer(listLots, { lots: [lot()], total: 1 }),
  answer(getLot, lot()),
  answer(listLotMovements, { movements: [], total: 0 }),
  answer(inventorySummary, { total_lots: 1, available_lots: 1, total_weight_kg: 12, total_value: 0 }),
  answer(lotStatusList, [...lotStatuses]),
  answer(lotOrigins, ['Kenya']),
  answer(lotLocations, []),
  answer(listProfiles, { profiles: [recipe()], total: 1 }),
  answer(getProfile, recipe()),
  answer(listMachineAlarmRules, { rules: [] }),
  answer(listRecipeAlarmRules, { rules: [] }),
  answer(listOptions, ({ params: { category } }) =>
    category === 'machine_type'
      ? machineTypes.map((type, place) => option(category, type, place))
      : category === 'variety'
        ? [option(category, 'Bourbon')]
        : [],
  ),
  answer(getRoasterySettings, settings()),
  answer(getMailStatus, {
    is_configured: false,
    from: null,
    recipients: [],
    waiting: 0,
    last_sent_at: null,
    problem: null,
  }),
  ...(as?.is_admin ? [answer(listUsers, { users: [as], total: 1 }), answer(adminStats, noFigures)] : []),
];

const noFigures = {
  total_users: 1,
  active_users: 1,
  total_machines: 1,
  active_machines: 1,
  total_roasts: 1,
  roasts_this_month: 1,
};
