import { maxBrokers } from '@roastery/contract/mqtt';
import { databaseUrlShape } from '@roastery/runtime/database-url';
import { readEnv } from '@roastery/runtime/env';
import { logLevels } from '@roastery/runtime/logger';
import { z } from 'zod';
import { usualBodyLimits } from './http/body-budget.ts';
import { usualAnswerLimits } from './http/unread-answers.ts';

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' });
const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
const mqttUrl = z.url({ protocol: /^mqtts?$/, error: 'must be an mqtt:// or mqtts:// address' });
const boardUrl = z.url({ protocol: /^(mqtts?|wss?)$/, error: 'must be an mqtt:// or mqtts:// address' });
/** Addresses separated by commas. */
const listOf = (shape: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(shape).min(1).max(maxBrokers));

const envShape = z
  .object({
    /** Several hosts, separated by commas, are a primary and its standbys. */
    DATABASE_URL: databaseUrlShape,
    DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(200).default(10),
    HOST: z.string().default('127.0.0.1'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
    PUBLIC_URL: httpUrl.optional(),
    /** Reverse proxies in front that append to X-Forwarded-For; 0: the socket's peer is the client. */
    TRUSTED_PROXIES: z.coerce.number().int().min(0).max(8).default(0),
    PORTAL_DIR: z.string().optional(),
    /** The folder `packages` of a release: software for boards. */
    PACKAGES_DIR: z.string().optional(),
    MQTT_URL: mqttUrl.default('mqtt://127.0.0.1:1883'),
    /** Several brokers side by side, instead of `MQTT_URL`. */
    MQTT_URLS: listOf(mqttUrl).optional(),
    MQTT_PUBLIC_URL: boardUrl.optional(),
    MQTT_PUBLIC_URLS: listOf(mqttUrl).optional(),
    /** The instances of the api divide the machines: each stores the journals of its own ones. */
    MQTT_SHARED_INGEST: z.enum(['true', 'false']).default('false'),
    /**
     * Mosquitto's dynamic security plugin gets the boards from the api; other brokers verify each login with the api.
     */
    MOSQUITTO_DYNAMIC_SECURITY: z.enum(['true', 'false']).default('false'),
    BROKER_SECRET: z.string().min(16, 'needs at least 16 characters'),
    BROKER_MANAGEMENT_URL: httpUrl.default('http://127.0.0.1:18083'),
    BROKER_MANAGEMENT_URLS: listOf(httpUrl).optional(),
    SECRET_KEY: z.string().min(32, 'needs at least 32 characters; it keys the hashes of pairing codes'),
    ADMIN_EMAIL: z.email().optional(),
    ADMIN_PASSWORD: z.string().min(8, 'needs at least 8 characters').optional(),
    SUPPORT_EMAIL: z.email().optional(),
    SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' }).optional(),
    MAIL_FROM: z
      .string()
      .regex(/^[^\r\n]*\S@\S[^\r\n]*$/, 'must be an address such as Roastery <roastery@example.com>')
      .optional(),
    /** Hosts (with ports) of further push services, separated by commas; also over plain HTTP. */
    PUSH_HOSTS: z.string().default(''),
    METRICS_TOKEN: z.string().min(16, 'needs at least 16 characters').optional(),
    DRAIN_SECONDS: z.coerce.number().int().min(0).max(3).default(2),
    LOG_LEVEL: z.enum(logLevels).default('info'),
  })
  .refine((env) => env.ADMIN_PASSWORD === undefined || env.ADMIN_EMAIL !== undefined, {
    path: ['ADMIN_EMAIL'],
    message: 'is missing although ADMIN_PASSWORD is given',
  })
  .refine(
    (env) =>
      env.MOSQUITTO_DYNAMIC_SECURITY === 'true' ||
      (env.MQTT_URLS?.length ?? 1) === (env.BROKER_MANAGEMENT_URLS?.length ?? 1),
    {
      path: ['BROKER_MANAGEMENT_URLS'],
      message: 'needs an address for each broker of MQTT_URLS: a revoked board is disconnected at all of them',
    },
  )
  .refine((env) => env.SMTP_URL === undefined || env.MAIL_FROM !== undefined, {
    path: ['MAIL_FROM'],
    message: 'is missing although SMTP_URL is given',
  });

/**
 * Settings from the api's environment, read once. Throws `ConfigError` with one line that names the invalid variables.
 */
export const readConfig = (env: NodeJS.ProcessEnv = process.env) => {
  const given = readEnv(envShape, env);
  const publicUrl = withoutSlash(given.PUBLIC_URL ?? `http://${given.HOST}:${given.PORT}`);
  const mqttUrls = given.MQTT_URLS ?? [given.MQTT_URL];
  const publicUrls = given.MQTT_PUBLIC_URL === undefined ? mqttUrls : [given.MQTT_PUBLIC_URL];
  const mqttPublicUrls = given.MQTT_PUBLIC_URLS ?? publicUrls;
  return {
    databaseUrl: given.DATABASE_URL,
    databaseConnections: given.DATABASE_CONNECTIONS,
    host: given.HOST,
    port: given.PORT,
    publicUrl,
    isHttps: publicUrl.startsWith('https:'),
    trustedProxies: given.TRUSTED_PROXIES,
    portalDir: given.PORTAL_DIR,
    packagesDir: given.PACKAGES_DIR,
    mqttUrls,
    /** The addresses of the brokers for boards. */
    mqttPublicUrls,
    dividesJournals: given.MQTT_SHARED_INGEST === 'true',
    mosquittoUsers: given.MOSQUITTO_DYNAMIC_SECURITY === 'true',
    brokerSecret: given.BROKER_SECRET,
    brokerManagementUrls: (given.BROKER_MANAGEMENT_URLS ?? [given.BROKER_MANAGEMENT_URL]).map(withoutSlash),
    secretKey: given.SECRET_KEY,
    adminEmail: given.ADMIN_EMAIL?.toLowerCase(),
    adminPassword: given.ADMIN_PASSWORD,
    supportEmail: given.SUPPORT_EMAIL,
    /** Without one no mail is sent. */
    smtpUrl: given.SMTP_URL,
    mailFrom: given.MAIL_FROM,
    pushHosts: given.PUSH_HOSTS.split(',')
      .map((host) => host.trim())
      .filter((host) => host !== ''),
    bodyLimits: usualBodyLimits,
    answerLimits: usualAnswerLimits,
    metricsToken: given.METRICS_TOKEN,
    /** After SIGTERM `/readyz` answers 503 for this long, while everything else is still served. */
    drainMs: given.DRAIN_SECONDS * 1000,
    logLevel: given.LOG_LEVEL,
    /** Tests parse every response against the contract; an invalid one becomes `internal`. */
    checkAnswers: false,
  };
};
export type ApiConfig = ReturnType<typeof readConfig>;
