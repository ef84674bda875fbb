import { ConfigError } from '@roastery/runtime/env';
import { createLogger } from '@roastery/runtime/logger';
import { runProgram } from '@roastery/runtime/shutdown';
import { createServiceNotifier } from '@roastery/runtime/systemd';
import { readConfig } from './config.ts';
import { startServer } from './server.ts';

const log = createLogger('api');

const start = async () => {
  const config = readConfig();
  log.level = config.logLevel;
  const api = await startServer(config, log);
  api.context.files.prepare();
  api.ready.catch((error: unknown) => {
    if (error instanceof ConfigError) log.fatal(error.message);
    else log.fatal({ err: error }, 'could not start');
    process.exit(error instanceof ConfigError ? 2 : 1);
  });
  return api;
};

runProgram(log, start, createServiceNotifier(process.env, log));
