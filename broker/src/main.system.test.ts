import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  brokerSecret,
  closed,
  connect,
  deviceOne,
  ownTopic,
  rawConnect,
  startApiPeer,
  waitUntil,
} from './testing/peers.ts';

const program = path.join(path.dirname(fileURLToPath(import.meta.url)), '../dist/program/main.js');
const isBuilt = existsSync(program);

interface Line {
  readonly msg?: string;
  readonly level?: string;
  readonly ports?: { mqtt: number; management: number };
}

const listening = async (lines: Line[]): Promise<{ mqtt: number; management: number }> => {
  await waitUntil(() => lines.some(({ ports }) => ports !== undefined));
  const ports = lines.find((line) => line.ports !== undefined)?.ports;
  if (!ports) throw new Error('no ports');
  return ports;
};

describe.skipIf(!isBuilt)('the program (skipped without a build: npx tsc -b broker)', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  const start = (env: Record<string, string>) => {
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const lines: Line[] = [];
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts.map((line) => JSON.parse(line) as Line));
    });
    return { child, lines };
  };
  const least = { BROKER_SECRET: brokerSecret, MQTT_PORT: '0', MANAGEMENT_PORT: '0' };

  it('starts before the api, serves, handles SIGHUP, and ends cleanly on SIGTERM with open clients', async () => {
    const api = await startApiPeer();
    const { child, lines } = start({ ...least, API_URL: api.url });
    const ports = await listening(lines);
    const one = await connect(ports.mqtt, deviceOne);
    await one.publishAsync(ownTopic('journal'), 'x', { qos: 1 });
    const halfOpen = await rawConnect(ports.mqtt);
    child.kill('SIGHUP');
    await waitUntil(() => lines.some(({ msg }) => msg === 'certificate reloaded'));
    expect(one.connected).toBe(true);
    const gone = Promise.all([closed(one), closed(halfOpen)]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await gone).toEqual([true, true]);
    await api.close();
  });

  it('exits with code 2 and one clear line on a wrong setting or a taken port', async () => {
    const { child, lines } = start({ ...least, BROKER_SECRET: 'short', TLS_CERT: '/nothing' });
    expect(await once(child, 'exit')).toEqual([2, null]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'fatal' });
    expect(lines[0]?.msg).toMatch(/BROKER_SECRET: needs at least 16 characters; .*TLS_KEY/);
    expect(lines[0]?.msg).not.toContain('short');

    const first = start(least);
    const { mqtt } = await listening(first.lines);
    const second = start({ ...least, MQTT_PORT: String(mqtt) });
    expect(await once(second.child, 'exit')).toEqual([2, null]);
    expect(second.lines.map(({ msg }) => msg)).toEqual([`MQTT: port ${mqtt} on 127.0.0.1 is already in use`]);
  });
});
