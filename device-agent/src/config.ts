import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { BoardOverrides } from '@roastery/contract/mqtt';
import { ConfigError, readEnv } from '@roastery/runtime/env';
import { logLevels, type LogLevel } from '@roastery/runtime/logger';
import type { TemperatureUnit } from '@roastery/roasting/units';
import { z } from 'zod';

export interface ArtisanConfig {
  /** Its autosave folder. */
  readonly folder: string | undefined;
  /** Its WebLCDs. */
  readonly url: string | undefined;
  /** Artisan's unit; by default that of its newest file. */
  readonly unit: TemperatureUnit | undefined;
  /** Files that were last saved longer ago than this before the first start are ignored; null takes all. */
  readonly pastDays: number | null;
}

export interface AgentConfig {
  /** Base of the api with its version, without a trailing slash. */
  readonly apiUrl: string;
  readonly machineSerial: string;
  readonly machineToken: string;
  readonly firmwareVersion: string;
  /** Machine map file; without it the map the server has for this machine. */
  readonly machineMapPath: string | undefined;
  readonly dataDir: string;
  /** Requested from the api if absent. */
  readonly mqttUrl: string | undefined;
  /** PEM of the authority that signed the broker's certificate, if it is not a public one. */
  readonly mqttCa: string | undefined;
  readonly journalCapBytes: number;
  readonly logLevel: LogLevel;
  /** The source of the readings instead of a machine map: Artisan on this computer. */
  readonly artisan?: ArtisanConfig | undefined;
  /** Where the board's own status page listens; only an explicit address opens it to the network. */
  readonly statusHost: string;
  /** Undefined: no page. */
  readonly statusPort: number | undefined;
}

/** The program whose readings this board records instead of a machine's; undefined without one. */
export const programIn = ({ artisan }: AgentConfig): string | undefined =>
  artisan === undefined ? undefined : 'Artisan';

const basePath = '/api/v1';
export const usualStatusPort = 8321;

const apiUrlShape = z.url({ protocol: /^https?$/, error: 'use an address such as https://roastery.example' });
const mqttUrlShape = z.url({ protocol: /^mqtts?$/, error: 'use mqtt://host:port or mqtts://host:port' });
const required = (what: string) =>
  z
    .string({ error: `is missing: ${what}` })
    .trim()
    .min(1);

const envShape = z.object({
  API_URL: apiUrlShape,
  MACHINE_SERIAL: required('the serial number of the machine').max(120),
  MACHINE_TOKEN: required('the machine token shown at registration').max(512),
  FIRMWARE_VERSION: z.string().trim().max(40).default('1.0.0'),
  MACHINE_MAP: z.string().optional(),
  DATA_DIR: z.string().default('/var/lib/roastery-agent'),
  MQTT_URL: mqttUrlShape.optional(),
  MQTT_CA: z.string().optional(),
  JOURNAL_CAP_MIB: z.coerce.number().min(1).max(1_000_000).default(256),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  STATUS_HOST: z.string().trim().default('127.0.0.1'),
  STATUS_PORT: z
    .union([z.literal('off'), z.coerce.number().int().min(0).max(65_535)], {
      error: 'use a port such as 8321, or off for no status page',
    })
    .default(usualStatusPort),
});

/** Accepts the bare origin as well as the address with `/api/v1`. */
export const withBasePath = (url: string): string => {
  const trimmed = url.replace(/\/+$/, '');
  return trimmed.endsWith(basePath) ? trimmed : `${trimmed}${basePath}`;
};

/** Identifies the credential of a board without revealing it: another one means that the board was paired again. */
export const credentialId = ({
  machineSerial,
  machineToken,
}: Pick<AgentConfig, 'machineSerial' | 'machineToken'>): string =>
  createHash('sha256').update(`${machineSerial}\n${machineToken}`).digest('hex').slice(0, 16);

const readText = (path: string, what: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigError(`${what} ${path} can't be read (${reason})`);
  }
};

const artisanShape = z.object({
  ARTISAN_FOLDER: z.string().trim().optional(),
  ARTISAN_URL: z.url({ protocol: /^wss?$/, error: 'use an address such as ws://127.0.0.1:8080/websocket' }).optional(),
  ARTISAN_UNIT: z.enum(['C', 'F'], { error: 'use C or F, the unit that Artisan shows' }).optional(),
  ARTISAN_PAST_DAYS: z
    .union([z.literal('all'), z.coerce.number().min(0).max(36_500)], { error: 'use a number of days, or all' })
    .default(1),
});

const artisanOf = (values: NodeJS.ProcessEnv): ArtisanConfig | undefined => {
  const read = readEnv(artisanShape, values);
  const { ARTISAN_FOLDER: folder, ARTISAN_URL: url, ARTISAN_UNIT: unit, ARTISAN_PAST_DAYS: days } = read;
  if (folder === undefined && url === undefined) return undefined;
  if (values['MACHINE_MAP'] !== undefined && values['MACHINE_MAP'] !== '') {
    throw new ConfigError('MACHINE_MAP and ARTISAN_… are both set: set only one of them');
  }
  return { folder, url, unit, pastDays: days === 'all' ? null : days };
};

const placeShape = envShape.pick({ DATA_DIR: true, STATUS_HOST: true, STATUS_PORT: true });
const portOf = (port: 'off' | number): number | undefined => (port === 'off' ? undefined : port);

/** The address of the status page: the server's setting, else the board's own configuration. */
export const pageAsSet = <T extends Pick<AgentConfig, 'statusHost' | 'statusPort'>>(
  configured: T,
  mode: BoardOverrides['status_page'],
): T => {
  if (mode === undefined) return configured;
  if (mode === 'off') return { ...configured, statusPort: undefined };
  const statusPort = configured.statusPort ?? usualStatusPort;
  return { ...configured, statusHost: mode === 'network' ? '0.0.0.0' : '127.0.0.1', statusPort };
};

/** The part of the configuration that locates a running agent. Throws `ConfigError`. */
export const agentPlace = (env: NodeJS.ProcessEnv): Pick<AgentConfig, 'dataDir' | 'statusHost' | 'statusPort'> => {
  const values = readEnv(placeShape, env);
  return { dataDir: values.DATA_DIR, statusHost: values.STATUS_HOST, statusPort: portOf(values.STATUS_PORT) };
};

/**
 * Reads the configuration from the environment and, below it, from an environment file (`NAME=value` lines). Throws
 * `ConfigError` with one line that names every invalid variable, never a value.
 */
export const readConfig = (env: NodeJS.ProcessEnv = process.env, envFile?: string): AgentConfig => {
  const fromFile = envFile === undefined ? {} : parseEnv(readText(envFile, 'environment file'));
  const values = readEnv(envShape, { ...fromFile, ...env });
  if (values.MQTT_CA !== undefined && values.MQTT_URL?.startsWith('mqtt:')) {
    throw new ConfigError('MQTT_CA is set but MQTT_URL is mqtt:// without encryption: use mqtts://');
  }
  return {
    apiUrl: withBasePath(values.API_URL),
    machineSerial: values.MACHINE_SERIAL,
    machineToken: values.MACHINE_TOKEN,
    firmwareVersion: values.FIRMWARE_VERSION,
    machineMapPath: values.MACHINE_MAP,
    dataDir: values.DATA_DIR,
    mqttUrl: values.MQTT_URL,
    mqttCa: values.MQTT_CA === undefined ? undefined : readText(values.MQTT_CA, 'MQTT_CA'),
    journalCapBytes: Math.round(values.JOURNAL_CAP_MIB * 1_048_576),
    logLevel: values.LOG_LEVEL,
    artisan: artisanOf({ ...fromFile, ...env }),
    statusHost: values.STATUS_HOST,
    statusPort: portOf(values.STATUS_PORT),
  };
};
