import { networkInterfaces } from 'node:os';
import path from 'node:path';
import type { StackPorts } from './stack-ports.ts';
import type { StackSecrets } from './stack-secrets.ts';

/** Settings that all processes of one stack share. */
export interface StackPlan {
  repository: string;
  dataDir: string;
  host: string;
  ports: StackPorts;
  databaseUrl: string;
  /** The portal's address for people; by default from `host` and port. */
  publicUrl: string;
  secrets: StackSecrets;
  admin: { email: string; password: string };
  logLevel: string;
  /** Software for boards; by default that of `npm run release`, if it was built. */
  packagesDir?: string | undefined;
}

/** How processes on this computer reach each other, independent of the public address. */
export const localAddress = (host: string) => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host);

const wildcards = new Set(['0.0.0.0', '::']);

/** How other devices reach this computer: its first address in a network, where it listens on all of them. */
export const publicAddress = (host: string): string => {
  if (!wildcards.has(host)) return host;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
};

/** How a real board is paired with this roastery; undefined where no board can reach it. */
export const pairingAdvice = (host: string, publicUrl: string): string | undefined => {
  if (/^(localhost|127\.|::1$)/.test(host)) return undefined;
  const command = `device-agent pair PAIR-… --api ${publicUrl}`;
  return publicUrl.startsWith('https:')
    ? `  Pair a real board:     ${command}\n`
    : `  Pair a real board:     ${command} --trial-without-tls\n  Without TLS this is for a trial in a private network; deploy/README.md has the way with TLS.\n`;
};

export const mqttPublicUrlOf = (plan: StackPlan) => `mqtt://${new URL(plan.publicUrl).hostname}:${plan.ports.mqtt}`;
export const apiUrlOf = (plan: StackPlan) => `http://${localAddress(plan.host)}:${plan.ports.http}/api/v1`;
export const mqttUrlOf = (plan: StackPlan) => `mqtt://${localAddress(plan.host)}:${plan.ports.mqtt}`;

/** The api's environment; its seed runs in the same one. */
export function apiEnvironment(plan: StackPlan): Record<string, string> {
  return {
    DATABASE_URL: plan.databaseUrl,
    HOST: plan.host,
    PORT: String(plan.ports.http),
    PUBLIC_URL: plan.publicUrl,
    PORTAL_DIR: path.join(plan.repository, 'portal', 'dist'),
    PACKAGES_DIR: plan.packagesDir ?? path.join(plan.repository, 'dist', 'release', 'packages'),
    MQTT_URL: mqttUrlOf(plan),
    MQTT_PUBLIC_URL: mqttPublicUrlOf(plan),
    BROKER_SECRET: plan.secrets.brokerSecret,
    BROKER_MANAGEMENT_URL: `http://127.0.0.1:${plan.ports.brokerManagement}`,
    SECRET_KEY: plan.secrets.secretKey,
    // There is no load balancer in front of it.
    DRAIN_SECONDS: '0',
    ADMIN_EMAIL: plan.admin.email,
    ADMIN_PASSWORD: plan.admin.password,
    LOG_LEVEL: plan.logLevel,
  };
}

export function brokerEnvironment(plan: StackPlan): Record<string, string> {
  return {
    HOST: plan.host,
    MQTT_PORT: String(plan.ports.mqtt),
    MANAGEMENT_HOST: '127.0.0.1',
    MANAGEMENT_PORT: String(plan.ports.brokerManagement),
    API_URL: apiUrlOf(plan),
    BROKER_SECRET: plan.secrets.brokerSecret,
    LOG_LEVEL: plan.logLevel,
  };
}

/** Environment of one board. */
export interface BoardPlan {
  serial: string;
  /** The machine's token from the registration. */
  token: string;
  mapFile: string;
  firmwareVersion: string;
  journalDir: string;
}

export function agentEnvironment(plan: StackPlan, board: BoardPlan): Record<string, string> {
  return {
    API_URL: apiUrlOf(plan),
    MQTT_URL: mqttUrlOf(plan),
    MACHINE_SERIAL: board.serial,
    MACHINE_TOKEN: board.token,
    FIRMWARE_VERSION: board.firmwareVersion,
    MACHINE_MAP: board.mapFile,
    DATA_DIR: board.journalDir,
    // Several boards share this computer, and the portal shows them all.
    STATUS_PORT: 'off',
    LOG_LEVEL: plan.logLevel,
  };
}
