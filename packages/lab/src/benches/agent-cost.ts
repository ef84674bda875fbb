import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listMachines } from '@roastery/contract/machines';
import { startStack } from '@roastery/stack/stack';
import type { Bench } from '@roastery/testing/bench';
import { cpuSeconds, residentMegabytes } from '@roastery/testing/process-cost';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { until } from '@roastery/testing/until';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 600);
/** The cost of starting is not part of the running cost. */
const settleMs = 5_000;

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-agent-cost-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  const ending = new AbortController();
  try {
    const client = await signIn(stack.url, stack.admin);
    const [machine, bareMachine] = await Promise.all([
      registerTestMachine(client, 'COST-1'),
      registerTestMachine(client, 'BARE-1'),
    ]);
    // The demo machine has eight channels; the thermal model roasts batch after batch.
    const running = await stack.startMachine({ serial: 'COST-1', token: machine.auth_token, hz: 4 });
    await until('the agent to be heard', async () => {
      const machines = await client.call(listMachines);
      return machines.some(({ id, connection }) => id === machine.id && connection === 'online');
    });
    const script = join(repositoryRoot(), 'packages', 'lab', 'bin', 'bare-poller.mjs');
    const bare = spawn(
      process.execPath,
      [script, String(running.modbusPort), stack.mqttUrl, 'BARE-1', bareMachine.auth_token],
      { stdio: ['ignore', 'ignore', 'inherit'], signal: ending.signal },
    );
    const bareGone = new Promise<string>((resolve) => {
      bare.once('error', (error) => resolve(error.message));
      bare.once('exit', (code) => resolve(`exit code ${code}`));
    });
    await sleep(settleMs);
    const { pid: agentPid } = running.agent;
    if (agentPid === undefined || bare.pid === undefined) throw new Error('agent or bare poller are not running');
    const pids = { agent: agentPid, bare: bare.pid };
    say(`${seconds} s at 4 Hz with 8 channels`);
    const cpuBefore = { agent: await cpuSeconds(pids.agent), bare: await cpuSeconds(pids.bare) };
    const began = performance.now();
    const ended = await Promise.race([sleep(seconds * 1000, undefined, { signal: ending.signal }), bareGone]);
    if (ended !== undefined) throw new Error(`the bare poller ended: ${ended}`);
    const lasted = (performance.now() - began) / 1000;
    const share = async (of: 'agent' | 'bare') => ((await cpuSeconds(pids[of])) - cpuBefore[of]) / lasted;
    const [memory, bareMemory] = [await residentMegabytes(pids.agent), await residentMegabytes(pids.bare)];
    const what = 'bare poller';
    return [
      {
        what: 'resident memory at most',
        value: memory.most,
        unit: 'MB',
        against: { what, value: bareMemory.most },
        aim: { of: 'value', atMost: 90 },
      },
      { what: 'resident memory at the end', value: memory.now, unit: 'MB', against: { what, value: bareMemory.now } },
      {
        what: 'CPU',
        value: (await share('agent')) * 100,
        unit: '% of a core',
        against: { what, value: (await share('bare')) * 100 },
        aim: { of: 'value', atMost: 5 },
      },
    ];
  } finally {
    ending.abort();
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default { title: `The agent on its board: 4 Hz, 8 channels, ${seconds} s`, run } satisfies Bench;
