import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { until, untilHttpOk, untilPortFree } from '@roastery/testing/until';
import { freePort } from './ports.ts';

/** Runs `npm start` like a terminal: as the leader of its own process group. */
const npmStart = (env: Record<string, string>) =>
  run(process.execPath, [path.join(repositoryRoot(), 'packages', 'stack', 'bin', 'start.mjs')], env);

function run(command: string, args: string[], env: Record<string, string>) {
  const child = spawn(command, args, {
    cwd: repositoryRoot(),
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', DEMO: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const untilSaid = async (text: string) => {
    let hasEnded = false;
    void exited.then(() => (hasEnded = true));
    await until(`"${text}" or the end`, () => hasEnded || said.includes(text), { timeoutMs: 90_000 });
    if (!said.includes(text)) throw new Error(`npm start ended without "${text}":\n${said}`);
  };
  return {
    exited,
    untilSaid,
    said: () => said,
    pid: child.pid ?? 0,
    /** Like Ctrl-C: the signal reaches every process of the group. */
    ctrlC: () => process.kill(-(child.pid ?? 0), 'SIGINT'),
  };
}

describe('npm start', () => {
  let folder: string;
  let env: { DATA_DIR: string; PORT: string; MQTT_PORT: string };
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'roastery npm-start '));
    env = { DATA_DIR: folder, PORT: String(await freePort()), MQTT_PORT: String(await freePort()) };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  let password = '';
  const signIn = async (): Promise<number> => {
    const origin = `http://127.0.0.1:${env.PORT}`;
    const answer = await fetch(`${origin}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ email: 'admin@roastery.example', password }),
    });
    return answer.status;
  };

  it('prints address and sign-in, and leaves no process after Ctrl-C', async () => {
    const program = npmStart(env);
    await program.untilSaid('The roastery is open');
    await untilHttpOk(`http://127.0.0.1:${env.PORT}/readyz`);
    expect(program.said()).toMatch(new RegExp(`open: +http://127\\.0\\.0\\.1:${env.PORT}\\n`));
    const [, shown = ''] = /Sign in as: +admin@roastery\.example\n +Password: +(\w{12,})\n/.exec(program.said()) ?? [];
    password = shown;
    expect(await signIn()).toBe(200);
    program.ctrlC();
    expect(await program.exited).toBe(0);
    expect(program.said()).toMatch(/Stopped\.\n$/);
    await untilPortFree(Number(env.PORT));
    await untilPortFree(Number(env.MQTT_PORT));
  });

  it('reports the port in use with an instruction in one sentence', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(env.PORT), '127.0.0.1', resolve));
    const program = npmStart(env);
    expect(await program.exited).toBe(1);
    other.close();
    expect(program.said()).toContain(
      `Port ${env.PORT} is in use. Stop the other program or choose another with PORT=${Number(env.PORT) + 1} npm start.\n`,
    );
    expect(program.said()).not.toContain('    at ');
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'opens the same roastery again, with the same admin, shows no password, and ends with npm when only npm gets %s',
    async (signal) => {
      const program = run('npm', ['start'], env);
      await program.untilSaid('The roastery is open');
      expect(program.said()).toMatch(/Password: +the one of the first start, in .*first-sign-in\.txt/);
      expect(await signIn()).toBe(200);
      process.kill(program.pid, signal);
      await untilPortFree(Number(env.PORT));
      await untilPortFree(Number(env.MQTT_PORT));
      await until('its last word', () => program.said().includes('Stopped.'));
      expect(program.said()).toContain(`Stopping (${signal === 'SIGKILL' ? 'npm has ended' : signal})`);
    },
  );

  it('stops cleanly when it is interrupted during the start', async () => {
    const program = npmStart(env);
    await program.untilSaid('Starting the roastery');
    program.ctrlC();
    expect(await program.exited).toBe(0);
    await untilPortFree(Number(env.PORT));
  });
});
