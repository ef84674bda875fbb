import * as alarmRules from './alarm-rules.ts';
import * as alarms from './alarms.ts';
import * as alerts from './alerts.ts';
import * as analytics from './analytics.ts';
import * as auth from './auth.ts';
import * as batchNumbers from './batch-numbers.ts';
import * as betweenBatches from './between-batches.ts';
import * as boardPackages from './board-packages.ts';
import * as boardUpdates from './board-updates.ts';
import * as blends from './blends.ts';
import * as channelExchanges from './channel-exchanges.ts';
import * as channelCheck from './channel-check.ts';
import * as dashboard from './dashboard.ts';
import * as devices from './devices.ts';
import type { Endpoint } from './endpoint.ts';
import * as exports from './exports.ts';
import * as fleet from './fleet.ts';
import * as imports from './imports.ts';
import * as inventory from './inventory.ts';
import * as live from './live.ts';
import * as machineFiles from './machine-files.ts';
import * as machineDrift from './machine-drift.ts';
import * as machineLessons from './machine-lessons.ts';
import * as machines from './machines.ts';
import * as machineMaps from './machine-maps.ts';
import * as members from './members.ts';
import * as planned from './planned.ts';
import * as probe from './probe.ts';
import * as profiles from './profiles.ts';
import * as roastPlan from './roast-plan.ts';
import * as push from './push.ts';
import * as quarantine from './quarantine.ts';
import * as roasters from './roasters.ts';
import * as lotImports from './lot-imports.ts';
import * as roastImports from './roast-imports.ts';
import * as roastTimes from './roast-times.ts';
import * as roastCurves from './roast-curves.ts';
import * as roastForecasts from './roast-forecasts.ts';
import * as roastMarks from './roast-marks.ts';
import * as roasts from './roasts.ts';
import * as settings from './settings.ts';
import * as timeline from './timeline.ts';
import * as users from './users.ts';
import * as wall from './wall.ts';

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value;

/** The files of the contract with endpoints, in the order of the description. */
export const endpointFiles: readonly Readonly<Record<string, unknown>>[] = [
  auth,
  dashboard,
  machines,
  machineDrift,
  machineLessons,
  members,
  roasters,
  machineMaps,
  channelExchanges,
  channelCheck,
  probe,
  live,
  wall,
  roasts,
  roastCurves,
  roastForecasts,
  roastMarks,
  roastPlan,
  planned,
  betweenBatches,
  batchNumbers,
  imports,
  lotImports,
  roastImports,
  roastTimes,
  exports,
  blends,
  inventory,
  profiles,
  alarms,
  alarmRules,
  push,
  alerts,
  analytics,
  settings,
  timeline,
  users,
  devices,
  machineFiles,
  boardPackages,
  boardUpdates,
  fleet,
  quarantine,
];

/** Every endpoint, in the order of the files: the api mounts them all, OpenAPI and the tests iterate over them. */
export const endpoints: readonly Endpoint[] = endpointFiles.flatMap((file) => Object.values(file).filter(isEndpoint));
