import { listDevices } from '@roastery/contract/fleet';
import { getBoardConfig, setBoardConfig, type BoardSettings } from '@roastery/contract/machine-maps';
import { freePort } from '@roastery/stack/ports';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { hurriedClock } from '@roastery/testing/shared-data';
import { startTestStack } from '@roastery/testing/test-stack';
import { until } from '@roastery/testing/until';
import { expect, it } from 'vitest';

const serial = 'SETTINGS-2';

it('board settings: are kept or reverted by the board within two minutes, and the portal shows which', async () => {
  await using stack = await startTestStack();
  const client = await signIn(stack.url, stack.admin);
  const { id, auth_token: token } = await registerTestMachine(client, serial);
  const port = await freePort();
  const agentEnvironment = { STATUS_PORT: String(port), STATUS_HOST: '127.0.0.1' };
  // The board's trials run four times as fast.
  const agentNodeOptions = hurriedClock(4);
  const machine = await stack.startMachine({ serial, token, isAutomatic: false, agentEnvironment, agentNodeOptions });
  const device = async () =>
    (await client.call(listDevices)).devices.find(({ serial_number: found }) => found === serial);
  const isRead = () => until('readings', async () => (await device())?.machine_link === 'ok', { timeoutMs: 60_000 });
  const set = (settings: Partial<BoardSettings>) =>
    client.call(setBoardConfig, { params: { id }, body: { map_id: null, ...settings } });
  const becomes = (state: string, timeoutMs: number) =>
    until(
      `the settings to be ${state}`,
      async () => {
        const config = await client.call(getBoardConfig, { params: { id } });
        if (config.state === state) return config;
        throw new Error(`${config.state} ${config.reason}`);
      },
      { timeoutMs },
    );
  const pageAnswers = () =>
    fetch(`http://127.0.0.1:${port}/status.json`).then(
      ({ ok }) => ok,
      () => false,
    );
  await isRead();
  await until('the status page', pageAnswers);

  await set({ timeout_ms: 5000, gap_ms: 2, status_page: 'off' });
  await becomes('trial', 30_000);
  await until('the page to be off', async () => !(await pageAnswers()));
  await becomes('running', 90_000);

  await set({ timeout_ms: 5000, gap_ms: 4, status_page: 'network' });
  await becomes('trial', 30_000);
  await until('the page to be on', pageAnswers);
  machine.order({ faults: { silence: true } });
  const { reason } = await becomes('reverted', 200_000);
  expect(reason).toBe('the machine did not answer reliably with these settings');
  await until('the page to be off again', async () => !(await pageAnswers()));
  expect((await device())?.warnings).toContain('config_refused');
  machine.order({ faults: { silence: false } });
  await isRead();

  // It is the same after a restart of the agent, which receives the same settings again.
  await machine.agent.restart();
  await isRead();
  expect((await becomes('reverted', 30_000)).settings).toMatchObject({ gap_ms: 4 });
  expect(await pageAnswers()).toBe(false);
  await machine.stop();
}, 400_000);
