import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../api/src/config.ts';
import { brokerEnvShape } from '../broker/src/env.ts';
import { usualStatusPort } from '../device-agent/src/config.ts';
import { packagedUnit } from '../device-agent/src/packaging/board-package.ts';
import { envFile, here, read, unknownTo } from './program-files.ts';
import { exposureOf, isInstalled, valuesOf, withProgram } from './systemd-units.ts';

const units = readdirSync(path.join(here, 'systemd')).filter((name) => /\.(service|timer)$/.test(name));
const services = units.filter((name) => name.endsWith('.service'));
const example = (name: string): Record<string, string> => envFile(read('systemd', `${name}.env.example`));
const secrets = { BROKER_SECRET: 'x'.repeat(16), SECRET_KEY: 'x'.repeat(32) };
const withTools = isInstalled('systemd-analyze');

describe('systemd units', () => {
  it.each([
    ['roastery-api.service', 'api'],
    ['roastery-broker.service', 'broker'],
    ['roastery-agent.service', 'device-agent'],
  ])('%s starts %s and restarts it when it ends', (unit, workspace) => {
    const text = read('systemd', unit);
    expect(valuesOf(text, 'ExecStart')[0]).toContain(` /opt/roastery/${workspace}/dist/program/main.js`);
    expect(valuesOf(text, 'Restart')).toEqual(['always']);
  });

  it('have example environments that the programs accept', () => {
    expect(unknownTo('api', Object.keys(example('api')))).toEqual([]);
    expect(readConfig({ ...example('api'), ...secrets }).publicUrl).toBe('https://roastery.example.org');
    expect(Object.keys(example('broker')).filter((name) => !(name in brokerEnvShape.shape))).toEqual([]);
    expect(brokerEnvShape.safeParse({ ...example('broker'), ...secrets }).error).toBeUndefined();
    expect(unknownTo('device-agent', [...Object.keys(example('agent')), 'DATA_DIR'])).toEqual([]);
  });

  it.each(['api', 'broker'])('%s: is restarted when it hangs', (name) => {
    const unit = read('systemd', `roastery-${name}.service`);
    expect(valuesOf(unit, 'Type')).toEqual(['notify']);
    expect(valuesOf(unit, 'NotifyAccess')).toEqual(['all']);
    expect(valuesOf(unit, 'WatchdogSec')).toEqual(['30']);
  });

  it.each(services)('%s: has limits of memory and tasks', (name) => {
    const unit = read('systemd', name);
    expect([...valuesOf(unit, 'MemoryMax'), ...valuesOf(unit, 'TasksMax')]).toHaveLength(2);
  });

  it('the agent waits for no network, feeds a watchdog, and keeps its journal in a state directory', () => {
    const unit = read('systemd', 'roastery-agent.service');
    expect(valuesOf(unit, 'Type')).toEqual(['notify']);
    expect(valuesOf(unit, 'WatchdogSec')).toEqual(['60']);
    expect(valuesOf(unit, 'StateDirectory')).toEqual(['roastery-agent']);
    expect(unit).not.toMatch(/network-online|time-sync/);
    // Its own page, and nothing else, may listen.
    expect(valuesOf(unit, 'SocketBindDeny')).toEqual(['any']);
    expect(valuesOf(unit, 'SocketBindAllow')).toEqual([4, 6].map((ip) => `ipv${ip}:tcp:${usualStatusPort}`));
  });

  it.skipIf(!withTools)('pass systemd-analyze verify (skipped where it is not installed)', () => {
    // Programs may be elsewhere on this computer, also in a folder with a space in its name; verify checks that they
    // exist.
    const folder = mkdtempSync(path.join(tmpdir(), 'roastery units-'));
    const launch = path.join(folder, 'launch');
    copyFileSync(path.join(here, 'board', 'launch'), launch);
    for (const unit of units) {
      writeFileSync(path.join(folder, unit), withProgram(read('systemd', unit), '/usr/bin/node', process.execPath));
    }
    writeFileSync(
      path.join(folder, 'packaged-agent.service'),
      withProgram(packagedUnit(), '/usr/lib/roastery-agent/launch', launch),
    );
    const all = [...units, 'packaged-agent.service'];
    const files = all.map((unit) => path.join(folder, unit));
    const result = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(result.stderr.split('\n').filter((line) => all.some((unit) => line.includes(unit)))).toEqual([]);
    expect(result.status).toBe(0);
  });

  it.skipIf(!withTools)('are sandboxed to 2.0 or better (skipped where systemd-analyze is not installed)', () => {
    const exposures = services.map((unit) => ({ unit, exposure: exposureOf(path.join(here, 'systemd', unit)) }));
    const folder = mkdtempSync(path.join(tmpdir(), 'roastery-units-'));
    writeFileSync(path.join(folder, 'roastery-agent.service'), packagedUnit());
    const packaged = exposureOf(path.join(folder, 'roastery-agent.service'));
    rmSync(folder, { recursive: true });
    exposures.push({ unit: 'roastery-agent.service of the package', exposure: packaged });
    expect(exposures.filter(({ exposure }) => !(exposure <= 2))).toEqual([]);
  });
});
