import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listDevices } from '@roastery/contract/fleet';
import { createLogger } from '@roastery/runtime/logger';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { serversOfWorker } from '@roastery/testing/shared-servers';
import { startTestStack } from '@roastery/testing/test-stack';
import { until } from '@roastery/testing/until';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { startAgent, type Agent } from './agent.ts';

const serial = 'CLONED-1';
it('fleet view: names two boards with one credential, and not a board that was restarted', async () => {
  const stack = await startTestStack({ servers: serversOfWorker() });
  const { folder } = stack;
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  let second: Agent | undefined;
  try {
    const client = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(client, serial);
    const machine = await stack.startMachine({ serial, token, isAutomatic: false });
    const warnings = async () =>
      (await client.call(listDevices)).devices.find((one) => one.serial_number === serial)?.warnings ?? [];
    const session = async () =>
      (await sql<{ status_session: string | null }[]>`SELECT status_session FROM machines`)[0]?.status_session;
    await until('the first board to be heard', session);
    // A restart of the agent does not count as a second board.
    await machine.agent.restart();
    const before = await session();
    await until('the restarted agent', async () => (await session()) !== before);
    expect(await warnings()).not.toContain('credential_shared');

    const map = demoRoasterMap({ port: machine.modbusPort });
    const dataDir = join(folder, 'second');
    await mkdir(dataDir);
    await writeFile(join(folder, 'map.json'), JSON.stringify(map));
    second = await startAgent(
      {
        apiUrl: `${stack.url}/api/v1`,
        machineSerial: serial,
        machineToken: token,
        firmwareVersion: '1.0.0',
        machineMapPath: join(folder, 'map.json'),
        dataDir,
        mqttUrl: stack.mqttUrl,
        mqttCa: undefined,
        journalCapBytes: 1e8,
        logLevel: 'silent',
        statusHost: '127.0.0.1',
        statusPort: undefined,
      },
      createLogger('second', 'silent'),
    );
    await until('the fleet view to name the shared credential', async () =>
      (await warnings()).includes('credential_shared'),
    );
    await machine.stop();
  } finally {
    await second?.close();
    await sql.end({ timeout: 1 });
    await stack.close();
  }
}, 240_000);
