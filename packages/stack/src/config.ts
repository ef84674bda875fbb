import path from 'node:path';
import { databaseUrlShape } from '@roastery/runtime/database-url';
import { ConfigError, readEnv } from '@roastery/runtime/env';
import { logLevels } from '@roastery/runtime/logger';
import { z } from 'zod';

const port = z.coerce.number().int().min(1, 'must be 1 to 65535').max(65_535, 'must be 1 to 65535');

const shape = z.object({
  /** The portal and the api listen here; 0.0.0.0 lets other devices of the network connect. */
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  MQTT_PORT: port.default(1883),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional(),
  DATA_DIR: z.string().default('data'),
  DATABASE_URL: databaseUrlShape.optional(),
  ADMIN_EMAIL: z.email('must be an email address').default('admin@roastery.example'),
  ADMIN_PASSWORD: z.string().min(8, 'needs at least 8 characters').optional(),
  DEMO: z.enum(['0', '1'], 'must be 0 or 1').default('1'),
  LOG_LEVEL: z.enum(logLevels).default('info'),
});

/**
 * The environment of `npm start`, read once.
 * @param workingDirectory base of a relative DATA_DIR
 * @throws ConfigError with one line that names the invalid variables
 */
export function readConfig(env: NodeJS.ProcessEnv, workingDirectory: string) {
  const given = readEnv(shape, env);
  if (given.PORT === given.MQTT_PORT) throw new ConfigError('PORT and MQTT_PORT must differ');
  return {
    host: given.HOST,
    ports: { http: given.PORT, mqtt: given.MQTT_PORT },
    publicUrl: given.PUBLIC_URL,
    dataDir: path.resolve(workingDirectory, given.DATA_DIR),
    databaseUrl: given.DATABASE_URL,
    admin: { email: given.ADMIN_EMAIL, password: given.ADMIN_PASSWORD },
    demo: given.DEMO === '1',
    logLevel: given.LOG_LEVEL,
  };
}
