import type { Logger } from '@roastery/runtime/logger';
import { createAlarms } from './alarms/alarms.ts';
import { pusher } from './alarms/pusher.ts';
import type { ApiConfig } from './config.ts';
import type { AppContext } from './context.ts';
import { openDatabase } from './db/sql.ts';
import { mailer } from './domains/alerts/mailer.ts';
import { watchOverlaps } from './domains/devices/end-overlaps.ts';
import { domains } from './domains/domains.ts';
import { prepareFirstStart } from './domains/users/first-start.ts';
import { housekeeping } from './housekeeping.ts';
import { createImportThread } from './import-thread.ts';
import { startIngest } from './ingest/ingest.ts';
import { quarantineRoutes } from './ingest/quarantine.ts';
import { createLive } from './live/live.ts';
import { startApi, type Api, type Service } from './start-api.ts';

/** The generated password is for the person at the terminal, once; it is not logged. */
const prepare = async (context: AppContext): Promise<void> => {
  const admin = await prepareFirstStart(context);
  if (admin?.madeUpPassword === undefined) return;
  process.stdout.write(
    `\nFirst administrator: ${admin.email}\nPassword (shown this once): ${admin.madeUpPassword}\n\n`,
  );
};

/** The api with all its domains and services. */
export const startServer = (config: ApiConfig, log: Logger): Promise<Api> => {
  const live = createLive();
  const alarms = createAlarms();
  const imports = createImportThread();
  const ingest: Service = async (context) => {
    const { dividesJournals, databaseUrl: url } = context.config;
    const instancesDatabase = dividesJournals ? openDatabase({ url, log: context.log, connections: 1 }) : undefined;
    return startIngest(context, { onStored: alarms.onStored, instancesDatabase });
  };
  return startApi(config, log, {
    domains: [...domains, imports.routes, live.routes, quarantineRoutes],
    services: [
      housekeeping,
      watchOverlaps,
      mailer,
      alarms.service,
      pusher,
      ingest,
      live.service,
      // They are closed in this order: a slow thread leaves ingest the time to store its last messages.
      imports.service,
    ],
    prepare,
  });
};
