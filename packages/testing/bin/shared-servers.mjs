// Runs the built api and broker for the stacks of a test worker, one after another: loading and warming up the programs
// for each test file costs more than most of the tests. Started by src/shared-servers.ts with an IPC channel; ends with
// its parent.
import { readConfig } from '@roastery/api/config';
import { hashCheaply } from '@roastery/api/identity/passwords';
import { startServer } from '@roastery/api/server';
import { startBroker } from '@roastery/broker/broker';
import { brokerEnvShape, configOf } from '@roastery/broker/env';
import { readEnv } from '@roastery/runtime/env';
import { createLogger } from '@roastery/runtime/logger';

hashCheaply();

/** @type {{ close(): Promise<void> }[]} */
let running = [];

async function stop() {
  for (const server of running.splice(0)) await server.close();
}

/** @param {{ api: Record<string, string>, broker: Record<string, string> }} environments */
async function start({ api, broker }) {
  await stop();
  const settings = readConfig(api);
  const server = await startServer(settings, createLogger('api', settings.logLevel));
  running.push(server);
  // The broker authenticates clients with the api.
  await server.ready;
  const { logLevel, ...config } = configOf(readEnv(brokerEnvShape, broker));
  running.push(await startBroker({ ...config, log: createLogger('broker', logLevel) }));
}

process.on('message', ({ id, start: environments }) => {
  (environments === undefined ? stop() : start(environments)).then(
    () => process.send({ id }),
    (error) => process.send({ id, failure: error instanceof Error ? error.stack : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
