import { logLevels, type LogLevel } from '@roastery/runtime/logger';
import { z } from 'zod';
import type { BrokerConfig } from './broker.ts';
import { defaultLimits } from './limits.ts';

const port = z.coerce.number().int().min(0).max(65_535);
const count = (fallback: number) => z.coerce.number().int().min(1).max(10_000_000).default(fallback);

/**
 * Environment variables of the broker. Hosts default to loopback: the operator decides what is reachable from outside.
 */
export const brokerEnvShape = z
  .object({
    HOST: z.string().default('127.0.0.1'),
    MQTT_PORT: port.default(1883),
    MANAGEMENT_HOST: z.string().default('127.0.0.1'),
    MANAGEMENT_PORT: port.default(18083),
    API_URL: z.url().default('http://127.0.0.1:3000/api/v1'),
    BROKER_SECRET: z.string().min(16, 'needs at least 16 characters'),
    TLS_CERT: z.string().optional(),
    TLS_KEY: z.string().optional(),
    TLS_HOST: z.string().default('0.0.0.0'),
    TLS_PORT: port.default(8883),
    WS_HOST: z.string().default('127.0.0.1'),
    WS_PORT: port.optional(),
    MAX_CONNECTIONS: count(defaultLimits.maxConnections),
    MAX_CONNECTIONS_PER_ADDRESS: count(defaultLimits.maxConnectionsPerAddress),
    PACKETS_PER_SECOND: count(defaultLimits.packetsPerSecond),
    LOG_LEVEL: z.enum(logLevels).default('info'),
  })
  .superRefine((env, context) => {
    if ((env.TLS_CERT === undefined) !== (env.TLS_KEY === undefined)) {
      const missing = env.TLS_CERT === undefined ? 'TLS_CERT' : 'TLS_KEY';
      context.addIssue({ code: 'custom', path: [missing], message: 'TLS_CERT and TLS_KEY must be set together' });
    }
  });
export type BrokerEnv = z.infer<typeof brokerEnvShape>;

/** The options of `startBroker` except the log. */
export const configOf = (env: BrokerEnv): Omit<BrokerConfig, 'log'> & { readonly logLevel: LogLevel } => ({
  logLevel: env.LOG_LEVEL,
  mqtt: { host: env.HOST, port: env.MQTT_PORT },
  management: { host: env.MANAGEMENT_HOST, port: env.MANAGEMENT_PORT },
  apiUrl: env.API_URL.replace(/\/+$/, ''),
  brokerSecret: env.BROKER_SECRET,
  ...(env.TLS_CERT !== undefined && env.TLS_KEY !== undefined
    ? { tls: { host: env.TLS_HOST, port: env.TLS_PORT, certFile: env.TLS_CERT, keyFile: env.TLS_KEY } }
    : {}),
  ...(env.WS_PORT !== undefined ? { webSocket: { host: env.WS_HOST, port: env.WS_PORT } } : {}),
  limits: {
    maxConnections: env.MAX_CONNECTIONS,
    maxConnectionsPerAddress: env.MAX_CONNECTIONS_PER_ADDRESS,
    packetsPerSecond: env.PACKETS_PER_SECOND,
    packetBurst: env.PACKETS_PER_SECOND * 5,
  },
});
