import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until, untilHttpOk, untilPortFree, untilProcessGone } from '@roastery/testing/until';
import { startStack, type Stack } from './stack.ts';

const silentFor = (lines: string[]) => (name: string, line: string) => lines.push(`${name}: ${line}`);

async function signIn(stack: Stack): Promise<Response> {
  return fetch(`${stack.apiUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: stack.url },
    body: JSON.stringify(stack.admin),
  });
}

describe('stack', () => {
  let folder: string;
  let stack: Stack;
  const lines: string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'roastery stack '));
    stack = await startStack({ dataDir: folder, onLine: silentFor(lines) });
  });
  afterAll(async () => {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('lets its first admin sign in', async () => {
    const answer = await signIn(stack);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ user: { email: stack.admin.email, is_admin: true } });
  });

  it('serves the portal', async () => {
    const page = await untilHttpOk(stack.url);
    expect(await page.text()).toContain('<div id="root">');
  });

  it.each(['broker', 'api', 'postgres'])('recovers after a kill of its %s', async (name) => {
    const part = stack.part(name);
    const { pid, restarts } = part;
    part.kill('SIGKILL');
    await until(`a new ${name}`, () => part.restarts > restarts && part.pid !== pid && part.pid !== undefined);
    await stack.untilReady(30_000);
    expect((await signIn(stack)).status).toBe(200);
  });

  it('stores secrets readable by the owner only and never prints them', async () => {
    const secrets = JSON.parse(await readFile(path.join(folder, 'secrets.json'), 'utf8')) as Record<string, string>;
    expect((await stat(path.join(folder, 'secrets.json'))).mode & 0o077).toBe(0);
    const printed = lines.join('\n');
    for (const [name, secret] of Object.entries(secrets)) expect(printed.includes(secret), name).toBe(false);
  });

  it('refuses a second start in the same folder', async () => {
    await expect(startStack({ dataDir: folder, ports: { http: stack.ports.http } })).rejects.toThrow(
      `Port ${stack.ports.http} is in use. Stop the other program or choose another with PORT=${stack.ports.http + 1} npm start.`,
    );
  });

  it('ends every process and frees its ports', async () => {
    const pids = stack.pids();
    expect(pids.length).toBe(3);
    await stack.close();
    for (const pid of pids) await untilProcessGone(pid);
    for (const port of Object.values(stack.ports)) await untilPortFree(port);
    expect(await readdir(folder)).not.toContain('in-use-by.json');
  });
});
