import { ConfigError, readEnv } from '@roastery/runtime/env';
import { createLogger } from '@roastery/runtime/logger';
import { runProgram } from '@roastery/runtime/shutdown';
import { createServiceNotifier } from '@roastery/runtime/systemd';
import { startBroker } from './broker.ts';
import { brokerEnvShape, configOf } from './env.ts';

const readConfig = () => {
  try {
    return configOf(readEnv(brokerEnvShape));
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
};

const config = readConfig();
const log = createLogger('broker', config instanceof ConfigError ? 'info' : config.logLevel);

const start = async () => {
  if (config instanceof ConfigError) throw config;
  const broker = await startBroker({ ...config, log, acceptedPerTurn: 16 });
  process.on('SIGHUP', () => {
    broker.reloadCertificate().then(
      () => log.info('certificate reloaded'),
      (error: unknown) => log.error({ err: error }, 'certificate reload failed'),
    );
  });
  return broker;
};

runProgram(log, start, createServiceNotifier(process.env, log));
