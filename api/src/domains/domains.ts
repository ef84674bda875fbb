import type { Domain } from '../app.ts';
import { accountRoutes } from './account/routes.ts';
import { adminRoutes } from './admin/routes.ts';
import { alarmRoutes } from './alarms/routes.ts';
import { alertRoutes } from './alerts/routes.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { blendRoutes } from './blends/routes.ts';
import { channelExchangeRoutes } from './channel-exchanges/routes.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { deviceRoutes } from './devices/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { importRoutes } from './imports/routes.ts';
import { inventoryRoutes } from './inventory/routes.ts';
import { machineMapRoutes } from './machine-maps/routes.ts';
import { machineRoutes } from './machines/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { mqttRoutes } from './mqtt/routes.ts';
import { plannedRoutes } from './planned/routes.ts';
import { probeRoutes } from './probe/routes.ts';
import { profileRoutes } from './profiles/routes.ts';
import { roastRoutes } from './roasts/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { summaryRoutes } from './summaries/routes.ts';
import { timelineRoutes } from './timeline/routes.ts';
import { userRoutes } from './users/routes.ts';
import { wallRoutes } from './wall/routes.ts';

/** Everything the api serves besides live streams. */
export const domains: readonly Domain[] = [
  authRoutes,
  accountRoutes,
  dashboardRoutes,
  machineRoutes,
  memberRoutes,
  machineMapRoutes,
  channelExchangeRoutes,
  plannedRoutes,
  probeRoutes,
  importRoutes,
  exportRoutes,
  roastRoutes,
  timelineRoutes,
  blendRoutes,
  inventoryRoutes,
  profileRoutes,
  alarmRoutes,
  alertRoutes,
  analyticsRoutes,
  summaryRoutes,
  settingsRoutes,
  userRoutes,
  adminRoutes,
  deviceRoutes,
  mqttRoutes,
  wallRoutes,
];
