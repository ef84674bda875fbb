import { ConfigError } from '@roastery/runtime/env';
import { createLogger } from '@roastery/runtime/logger';
import { runProgram } from '@roastery/runtime/shutdown';
import { createServiceNotifier } from '@roastery/runtime/systemd';
import { readConfig } from './config.ts';
import type { AppContext } from './context.ts';
import { mailer } from './domains/alerts/mailer.ts';
import { watchOverlaps } from './domains/devices/end-overlaps.ts';
import { domains } from './domains/domains.ts';
import { prepareFirstStart } from './domains/users/first-start.ts';
import { createHousekeeping } from './housekeeping.ts';
import { startIngest } from './ingest/ingest.ts';
import { quarantineRoutes } from './ingest/quarantine-replay.ts';
import { createLive } from './live/live.ts';
import { startApi, type Service } from './start-api.ts';

const log = createLogger('api');

/** The made-up password is for the person at the terminal, once; it does not go through the log. */
const prepare = async (context: AppContext): Promise<void> => {
  const admin = await prepareFirstStart(context);
  if (admin?.madeUpPassword === undefined) return;
  process.stdout.write(
    `\nFirst administrator: ${admin.email}\nPassword (shown this once): ${admin.madeUpPassword}\n\n`,
  );
};

const ingest: Service = async (context) =>
  startIngest(context, context.config.ingestGroup === undefined ? {} : { sharedGroup: context.config.ingestGroup });

const start = async () => {
  const config = readConfig();
  log.level = config.logLevel;
  const live = createLive();
  const api = await startApi(config, log, {
    domains: [...domains, live.routes, quarantineRoutes],
    services: [createHousekeeping(), watchOverlaps, mailer, ingest, live.service],
    prepare,
  });
  api.context.files.prepare();
  api.ready.catch((error: unknown) => {
    if (error instanceof ConfigError) log.fatal(error.message);
    else log.fatal({ err: error }, 'could not start');
    process.exit(error instanceof ConfigError ? 2 : 1);
  });
  return api;
};

runProgram(log, start, createServiceNotifier(process.env, log));
