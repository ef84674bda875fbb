import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { summary } from '../cli/doctor.ts';
import { startStatusServer, type StatusServer } from '../status-page/status-server.ts';
import { healthyBoard } from '../testing/board-status.ts';
import { inspectBoard } from './board-under-check.ts';
import { checkAgent } from './check-agent.ts';
import { checkMachine } from './check-machine.ts';
import { examineBoard, type Examination } from './examination.ts';

let folder: string;
let env: Record<string, string>;
const time = createVirtualClock();
const children: ChildProcess[] = [];
const pages: StatusServer[] = [];

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};
/** As an agent with this process id leaves its data folder. */
const lockedBy = (pid: number | undefined): Promise<void> =>
  writeFile(join(folder, 'data', 'agent.lock'), `${pid ?? 0} -\n`);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'doctor-'));
  await mkdir(join(folder, 'data'));
  const map = {
    v: 1,
    id: 'm',
    maker: 'Test',
    model: 'Drum',
    link: { kind: 'tcp', host: '127.0.0.1', port: 9 },
    channels: { bean_temp: { at: 'i:0', as: 'i16', scale: 0.1 } },
  };
  await writeFile(join(folder, 'map.json'), JSON.stringify(map));
  await writeFile(join(folder, 'agent.env'), 'MACHINE_TOKEN=token\n', { mode: 0o600 });
  env = {
    API_URL: 'http://127.0.0.1:9',
    MQTT_URL: 'mqtt://127.0.0.1:9',
    MACHINE_SERIAL: 'RM30-7',
    MACHINE_TOKEN: 'token',
    MACHINE_MAP: join(folder, 'map.json'),
    DATA_DIR: join(folder, 'data'),
    STATUS_PORT: String(await freePort()),
  };
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const page of pages.splice(0)) await page.close();
  await rm(folder, { recursive: true, force: true });
});

const found = ({ checks }: Examination, check: string) => checks.find((one) => one.check === check);

describe('doctor on an agent that it cannot see', () => {
  it('reports a page that does not answer and skips the checks that need the agent', async () => {
    // The first process of this computer is older than any page that is still starting.
    await lockedBy(1);
    const examination = await time.run(examineBoard(folder, env, undefined, time));
    expect(found(examination, 'agent')).toMatchObject({
      outcome: 'trouble',
      says: expect.stringMatching(/is running \(process 1\), but its status page does not answer/) as string,
      todo: expect.stringMatching(/journalctl .*ss -ltnp/) as string,
    });
    expect(['machine', 'values'].map((check) => found(examination, check)?.outcome)).toEqual(['skipped', 'skipped']);
    expect(examination.healthy).toBe(false);
  });

  it('is not healthy and lists the skipped checks while the page is switched off', async () => {
    await lockedBy(1);
    const examination = await time.run(examineBoard(folder, { ...env, STATUS_PORT: 'off' }, undefined, time));
    expect(found(examination, 'agent')).toMatchObject({ outcome: 'good' });
    expect(found(examination, 'machine')).toMatchObject({ outcome: 'skipped' });
    expect(examination.healthy).toBe(false);
    const checks = examination.checks.filter(({ outcome }) => outcome !== 'trouble');
    expect(summary({ checks })).toMatch(/^No problems found, but these checks could not run \(–\): machine, values/);
  });

  it.each([
    [['good', 'good'], /^All checks passed\.$/],
    [['good', 'warning'], /^No problems\. Warnings \(!\): 1\./],
    [['good', 'warning', 'skipped'], /^No problems found, but these checks could not run/],
    [['trouble', 'skipped'], /^Problems \(✗\): 1\./],
  ] as const)('summarises %j', (outcomes, words) => {
    const checks = outcomes.map((outcome) => ({ check: 'one', outcome, says: '', todo: '' }));
    expect(summary({ checks })).toMatch(words);
  });

  it('waits for the page of an agent that has just started', async () => {
    const starting = spawn('sleep', ['infinity']);
    children.push(starting);
    await lockedBy(starting.pid);
    const status = { ...healthyBoard, pid: starting.pid ?? 0 };
    time.after(1000, () => {
      const parts = { host: '127.0.0.1', port: Number(env['STATUS_PORT']), log: createLogger('test', 'silent') };
      void startStatusServer({ ...parts, status: () => Promise.resolve(status) }).then((page) => pages.push(page));
    });
    const verdict = await time.run(checkAgent.run(inspectBoard(folder, env, time)));
    expect(verdict).toMatchObject({ outcome: 'good' });
  });

  it('reports a machine whose answers arrive too late', async () => {
    const agent = spawn('sleep', ['infinity']);
    children.push(agent);
    await lockedBy(agent.pid);
    const detail = 'no answer within 300 ms; one came after 950 ms';
    const machine = { ...healthyBoard.machine, state: 'failing' as const, detail };
    const parts = { host: '127.0.0.1', port: Number(env['STATUS_PORT']), log: createLogger('test', 'silent') };
    pages.push(
      await startStatusServer({
        ...parts,
        status: () => Promise.resolve({ ...healthyBoard, pid: agent.pid ?? 0, machine }),
      }),
    );
    expect(await time.run(checkMachine.run(inspectBoard(folder, env, time)))).toMatchObject({
      outcome: 'trouble',
      says: expect.stringMatching(
        /^The machine answers too late at tcp .*: after 950 ms\. Late answers are not used\.$/,
      ) as string,
      todo: expect.stringMatching(/timeoutMs in the machine map above 950/) as string,
    });
  });

  it('reports an agent that has just started when its page is not open yet', async () => {
    const starting = spawn('sleep', ['infinity']);
    children.push(starting);
    await lockedBy(starting.pid);
    const verdict = await time.run(checkAgent.run(inspectBoard(folder, env, time)));
    expect(verdict).toMatchObject({ outcome: 'skipped', says: expect.stringMatching(/just started/) as string });
  });
});
