import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../api/src/config.ts';
import { brokerEnvShape } from '../broker/src/env.ts';
import { readCopy, readStages } from './dockerfile.ts';
import { exposureOf, isInstalled, valuesOf } from './systemd-units.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const read = (...names: string[]): string => readFileSync(path.join(here, ...names), 'utf8');

/** All sources of a program without its tests. */
const sourcesOf = (workspace: string): string =>
  readdirSync(path.join(root, workspace, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(path.join(root, workspace, 'src', name), 'utf8'))
    .join('\n');
/** Names a program's sources don't know; what Node itself reads is left out. */
const unknownTo = (workspace: string, names: string[]): string[] => {
  const sources = sourcesOf(workspace);
  const ofNode = new Set(['NODE_ENV', 'NODE_EXTRA_CA_CERTS']);
  return names.filter((name) => !ofNode.has(name) && !new RegExp(`\\b${name}\\b`).test(sources));
};

const envFile = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

const composeShape = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      build: z.object({ context: z.string(), dockerfile: z.string(), target: z.string() }).optional(),
      environment: z.record(z.string(), z.string()).default({}),
      volumes: z.array(z.string()).default([]),
      ports: z.array(z.string()).default([]),
      networks: z.array(z.string()).default([]),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
      read_only: z.boolean().default(false),
      cap_drop: z.array(z.string()).default([]),
      profiles: z.array(z.string()).default([]),
    }),
  ),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  volumes: z.record(z.string(), z.object({})),
});
const compose = composeShape.parse(parse(read('compose.yaml'), { merge: true }));
const service = (name: string) => {
  const found = compose.services[name];
  if (!found) throw new Error(`compose.yaml has no service ${name}`);
  return found;
};
/** Puts values in where compose would. */
const filledIn = (environment: Record<string, string>, values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, key: string, kind?: string, fallback?: string) => {
        const given = values[key];
        return given === undefined || given === '' ? (kind === '-' ? (fallback ?? '') : '') : given;
      }),
    ]),
  );

const freshEnv = (): Record<string, string> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roastery-deploy-'));
  const file = path.join(folder, '.env');
  const run = () =>
    spawnSync('sh', [path.join(here, 'new-env.sh'), 'roastery.test', 'owner@roastery.test'], {
      env: { ...process.env, ENV_FILE: file },
      encoding: 'utf8',
    });
  expect(run().stderr).toBe('');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const written = readFileSync(file, 'utf8');
  expect(run().status, 'existing secrets are not overwritten').toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(written);
  rmSync(folder, { recursive: true });
  return envFile(written);
};

describe('compose.yaml', () => {
  it('names only things it has: networks, volumes, services, files, build targets', () => {
    const targets = readStages(read('Dockerfile')).map(({ name }) => name);
    for (const [name, { networks, volumes, depends_on: needs, build }] of Object.entries(compose.services)) {
      for (const network of networks) expect(Object.keys(compose.networks), name).toContain(network);
      for (const need of Object.keys(needs)) expect(Object.keys(compose.services), name).toContain(need);
      for (const volume of volumes) {
        const source = volume.split(':')[0] ?? '';
        if (source.startsWith('.')) {
          const made = ['./tls', './backups', './well-known'].includes(source);
          expect(made || existsSync(path.join(here, source)), `${name}: ${source}`).toBe(true);
        } else expect(Object.keys(compose.volumes), name).toContain(source);
      }
      if (build) {
        expect(targets).toContain(build.target);
        expect(path.resolve(here, build.context)).toBe(root);
        expect(existsSync(path.join(root, build.dockerfile))).toBe(true);
      }
    }
  });

  it('gives api and broker an environment they accept, and no variable they do not know', () => {
    const values = freshEnv();
    expect(Object.keys(values).sort()).toEqual(Object.keys(envFile(read('env.example'))).sort());
    const broker = filledIn(service('broker').environment, values);
    const api = filledIn(service('api').environment, values);
    expect(unknownTo('broker', Object.keys(broker))).toEqual([]);
    expect(unknownTo('api', Object.keys(api))).toEqual([]);
    expect(Object.keys(broker).filter((name) => !(name in brokerEnvShape.shape))).toEqual([]);
    expect(brokerEnvShape.parse(broker)).toMatchObject({ TLS_PORT: 8883, BROKER_SECRET: values['BROKER_SECRET'] });
    expect(readConfig({ ...api, PORTAL_DIR: '/app/portal/dist' })).toMatchObject({
      publicUrl: 'https://roastery.test',
      mqttUrl: 'mqtt://broker:1883',
      mqttPublicUrl: 'mqtts://roastery.test:8883',
      brokerManagementUrl: 'http://broker:18083',
      trustedProxies: 1,
      adminEmail: 'owner@roastery.test',
    });
    expect(api['BROKER_SECRET']).toBe(broker['BROKER_SECRET']);
  });

  it('stops with a sentence when the secrets are missing', () => {
    for (const name of ['POSTGRES_PASSWORD', 'BROKER_SECRET', 'SECRET_KEY', 'SITE_HOST']) {
      expect(read('compose.yaml')).toContain(`\${${name}:?run new-env.sh first}`);
    }
  });

  it('opens only the web ports and MQTT over TLS, and keeps Postgres inside', () => {
    const ports = Object.values(compose.services).flatMap((each) => each.ports);
    expect(ports).toEqual(['8883:8883', '80:80', '443:443', '443:443/udp']);
    expect(service('postgres').networks.map((name) => compose.networks[name]?.internal)).toEqual([true]);
    for (const name of ['api', 'broker']) {
      expect(service(name)).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
  });
});

describe('Dockerfile', () => {
  const stages = readStages(read('Dockerfile'));
  const scriptsOf = (workspace: string): Record<string, string> =>
    (
      JSON.parse(readFileSync(path.join(root, workspace, 'package.json'), 'utf8')) as {
        scripts?: Record<string, string>;
      }
    ).scripts ?? {};

  it('copies only what exists, and the manifest of every workspace', () => {
    const copied: string[] = [];
    for (const { instructions } of stages) {
      for (const { line, name, rest } of instructions) {
        if (name !== 'COPY') continue;
        const { from, sources } = readCopy(rest);
        if (from !== undefined) {
          expect(
            stages.map((stage) => stage.name),
            `line ${line}`,
          ).toContain(from);
          continue;
        }
        for (const source of sources) expect(existsSync(path.join(root, source)), `line ${line}: ${source}`).toBe(true);
        copied.push(...sources);
      }
    }
    const workspaces = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`);
    for (const workspace of [...workspaces, 'api', 'broker', 'device-agent', 'portal']) {
      expect(copied).toContain(`${workspace}/package.json`);
    }
  });

  it('builds by scripts that exist and starts programs that are built', () => {
    const text = read('Dockerfile');
    for (const [, workspace = ''] of text.matchAll(/--filter=@roastery\/(\S+)/g)) {
      expect(scriptsOf(workspace)['build'], workspace).toBeDefined();
    }
    const started = [...text.matchAll(/(\S+)\/dist\/main\.js/g)].map(([, workspace = '']) =>
      workspace.replaceAll('"', ''),
    );
    expect(started.sort()).toEqual(['api', 'broker']);
    for (const workspace of started)
      expect(existsSync(path.join(root, workspace, 'src/main.ts')), workspace).toBe(true);
    expect(existsSync(path.join(root, 'api/src/db/migrations'))).toBe(true);
  });

  it('runs nothing as root and lets no install script run', () => {
    for (const { name, instructions } of stages) {
      if (instructions.some((each) => each.name === 'CMD')) {
        expect(instructions.find((each) => each.name === 'USER')?.rest, name).toBe('node');
        expect(
          instructions.some((each) => each.name === 'HEALTHCHECK'),
          name,
        ).toBe(true);
      }
      for (const { rest } of instructions.filter((each) => /\bnpm ci\b/.test(each.rest)))
        expect(rest).toContain('--ignore-scripts');
    }
  });
});

describe('systemd units', () => {
  const units = readdirSync(path.join(here, 'systemd')).filter((name) => /\.(service|timer)$/.test(name));
  const programs = {
    'roastery-api.service': 'api',
    'roastery-broker.service': 'broker',
    'roastery-agent.service': 'device-agent',
  };
  const withTools = isInstalled('systemd-analyze');

  it('start programs of this repository with environments those programs accept', () => {
    for (const [unit, workspace] of Object.entries(programs)) {
      const text = read('systemd', unit);
      expect(valuesOf(text, 'ExecStart')[0], unit).toMatch(new RegExp(`/opt/roastery/${workspace}/dist/main\\.js`));
      expect(valuesOf(text, 'Restart'), unit).toEqual(['always']);
    }
    const example = (name: string) => envFile(read('systemd', `${name}.env.example`));
    const secrets = { BROKER_SECRET: 'x'.repeat(16), SECRET_KEY: 'x'.repeat(32) };
    expect(unknownTo('api', Object.keys(example('api')))).toEqual([]);
    expect(readConfig({ ...example('api'), ...secrets }).publicUrl).toBe('https://roastery.example.org');
    expect(Object.keys(example('broker')).filter((name) => !(name in brokerEnvShape.shape))).toEqual([]);
    expect(brokerEnvShape.safeParse({ ...example('broker'), ...secrets }).error).toBeUndefined();
    expect(unknownTo('device-agent', [...Object.keys(example('agent')), 'DATA_DIR'])).toEqual([]);
  });

  it('the agent waits for no network, feeds a watchdog, and its journal outlives it', () => {
    const unit = read('systemd', 'roastery-agent.service');
    expect(valuesOf(unit, 'Type')).toEqual(['notify']);
    expect(valuesOf(unit, 'WatchdogSec')).toEqual(['60']);
    expect(valuesOf(unit, 'StateDirectory')).toEqual(['roastery-agent']);
    expect(unit).not.toMatch(/network-online|time-sync/);
  });

  it.skipIf(!withTools)('pass systemd-analyze verify (skipped where it is not installed)', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'roastery-units-'));
    // Node may live elsewhere on this machine; verify looks whether the program exists.
    for (const unit of units) {
      writeFileSync(path.join(folder, unit), read('systemd', unit).replaceAll('/usr/bin/node', process.execPath));
    }
    const result = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', ...units.map((unit) => path.join(folder, unit))],
      {
        encoding: 'utf8',
      },
    );
    const about = result.stderr.split('\n').filter((line) => units.some((unit) => line.includes(unit)));
    rmSync(folder, { recursive: true });
    expect(about).toEqual([]);
    expect(result.status).toBe(0);
  });

  it.skipIf(!withTools)('are sandboxed to 2.0 or better (skipped where systemd-analyze is not installed)', () => {
    for (const unit of units.filter((name) => name.endsWith('.service'))) {
      expect(exposureOf(path.join(here, 'systemd', unit)), unit).toBeLessThanOrEqual(2);
    }
  });
});

describe('scripts and examples', () => {
  it('shell scripts parse', () => {
    for (const script of readdirSync(here).filter((name) => name.endsWith('.sh'))) {
      expect(spawnSync('sh', ['-n', path.join(here, script)]).status, script).toBe(0);
    }
  });

  it('the proxy passes server-sent events on at once and keeps inner pages inside', () => {
    const text = read('Caddyfile');
    expect(text).toMatch(/flush_interval -1/);
    expect(text).toMatch(/@inner path \/api\/v1\/mqtt\/\* \/metrics/);
  });

  it('the outside brokers ask the same questions and have the same topic rules as ours', () => {
    const emqx = read('brokers', 'emqx.conf');
    for (const part of ['/mqtt/auth', '/mqtt/acl', 'no_match = deny', 'x-broker-secret', 'action = "${action}"']) {
      expect(emqx).toContain(part);
    }
    const acl = read('brokers', 'mosquitto.acl');
    for (const kind of ['journal', 'live', 'status']) expect(acl).toContain(`pattern write roastery/v1/%u/${kind}`);
    for (const kind of ['ack', 'config', 'plan']) expect(acl).toContain(`pattern read roastery/v1/%u/${kind}`);
  });
});
