import { createLogger } from '@roastery/runtime/logger';
import { runProgram } from '@roastery/runtime/shutdown';
import { startAgent } from '../agent.ts';
import { readConfig } from '../config.ts';

/** Runs the agent until a signal stops it. */
export const run = (envFile: string | undefined): void => {
  const log = createLogger('device-agent');
  runProgram(log, async () => {
    const config = readConfig(process.env, envFile);
    log.level = config.logLevel;
    return startAgent(config, log);
  });
};
