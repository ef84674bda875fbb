import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canPlaySystemd, openNotifySocket } from './notify-socket.ts';
import { cpuSeconds } from './process-cost.ts';
import { repositoryRoot } from './shared-data.ts';
import { until } from './until.ts';

const secret = 'a secret of the tests, 32 letters and more';
/** Nothing listens on the discard port: neither program needs its neighbours to be alive. */
const programs = {
  api: { PORT: '0', DATABASE_URL: 'postgres://unused@127.0.0.1:9/none', BROKER_SECRET: secret, SECRET_KEY: secret },
  broker: { MQTT_PORT: '0', MANAGEMENT_PORT: '0', API_URL: 'http://127.0.0.1:9/api/v1', BROKER_SECRET: secret },
};
const mainOf = (name: string): string => path.join(repositoryRoot(), name, 'dist', 'program', 'main.js');
const isBuilt = Object.keys(programs).every((name) => existsSync(mainOf(name)));
const watchdogMs = 200;
/** Makes the event loop hang on SIGUSR2, as an endless loop in a request would. */
const loopOnSignal = 'data:text/javascript,process.on("SIGUSR2",()=>{for(;;);})';

describe.skipIf(!canPlaySystemd || !isBuilt)(
  'programs as Type=notify services (skipped without python3, systemd-notify and a build)',
  () => {
    const children: ChildProcess[] = [];
    afterEach(() => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
    });

    it.each(['api', 'broker'] as const)(
      '%s: reports READY, feeds the watchdog, and stops when it hangs',
      async (name) => {
        await using socket = await openNotifySocket();
        const child = spawn(process.execPath, ['--import', loopOnSignal, mainOf(name)], {
          env: {
            PATH: process.env['PATH'],
            ...programs[name],
            NOTIFY_SOCKET: socket.path,
            WATCHDOG_USEC: String(watchdogMs * 1000),
          },
          stdio: 'ignore',
        });
        children.push(child);
        const fed = () => socket.messages.filter((message) => message.includes('WATCHDOG=1')).length;
        await until('READY', () => socket.messages.some((message) => message.includes('READY=1')));
        await until('the watchdog to be fed', () => fed() >= 3);
        child.kill('SIGUSR2');
        // The loop runs for some periods of the watchdog, by the time that the process itself was given.
        const loops = async (periods: number): Promise<void> => {
          const end = (await cpuSeconds(child.pid ?? 0)) + (periods * watchdogMs) / 1000;
          await until('the loop to run', async () => (await cpuSeconds(child.pid ?? 0)) >= end, { timeoutMs: 120_000 });
        };
        // Messages in transit arrive.
        await loops(1);
        const before = fed();
        await loops(2);
        expect(fed()).toBe(before);
        expect(child.exitCode).toBeNull();
      },
    );

    it.each(['api', 'broker'] as const)('%s: reports STOPPING after SIGTERM', async (name) => {
      await using socket = await openNotifySocket();
      const child = spawn(process.execPath, [mainOf(name)], {
        env: { PATH: process.env['PATH'], ...programs[name], NOTIFY_SOCKET: socket.path },
        stdio: 'ignore',
      });
      children.push(child);
      await until('READY', () => socket.messages.some((message) => message.includes('READY=1')));
      child.kill('SIGTERM');
      await expect.poll(() => socket.messages.join()).toContain('STOPPING=1');
    });
  },
);
