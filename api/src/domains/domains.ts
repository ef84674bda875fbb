import type { Domain } from '../app.ts';
import { authRoutes } from './auth/routes.ts';
import { deviceRoutes } from './devices/routes.ts';
import { machineRoutes } from './machines/routes.ts';
import { mqttRoutes } from './mqtt/routes.ts';

/** Everything the api serves beside live streams. */
export const domains: readonly Domain[] = [authRoutes, machineRoutes, deviceRoutes, mqttRoutes];
