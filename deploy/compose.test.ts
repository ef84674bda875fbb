import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../api/src/config.ts';
import { brokerEnvShape } from '../broker/src/env.ts';
import { filledIn, readCompose } from './compose-file.ts';
import { readStages } from './dockerfile.ts';
import { envFile, here, read, root, unknownTo } from './program-files.ts';

const compose = readCompose(read('compose.yaml'));
const services = Object.entries(compose.services);
const service = (name: string) => {
  const found = compose.services[name];
  if (!found) throw new Error(`compose.yaml has no service ${name}`);
  return found;
};

/** Runs new-env.sh twice and returns the output of the first run. */
const freshEnv = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roastery-deploy-'));
  const file = path.join(folder, '.env');
  const run = () =>
    spawnSync('sh', [path.join(here, 'new-env.sh'), 'roastery.test', 'owner@roastery.test'], {
      env: { ...process.env, ENV_FILE: file },
    }).status;
  const first = run();
  const text = readFileSync(file, 'utf8');
  const mode = statSync(file).mode & 0o777;
  const second = run();
  const kept = readFileSync(file, 'utf8') === text;
  rmSync(folder, { recursive: true });
  return { first, second, kept, mode, values: envFile(text) };
};

describe('compose.yaml', () => {
  it('names only networks, volumes, services and files that exist', () => {
    /** Created by the operator or by the scripts. */
    const made = new Set(['./tls', './backups', './packages', './well-known']);
    const has = (source: string): boolean =>
      source.startsWith('.') ? made.has(source) || existsSync(path.join(here, source)) : source in compose.volumes;
    const missing = services.flatMap(([name, { networks, volumes, depends_on: needs }]) => [
      ...networks.filter((network) => !(network in compose.networks)).map((network) => `${name}: network ${network}`),
      ...Object.keys(needs)
        .filter((need) => !(need in compose.services))
        .map((need) => `${name}: service ${need}`),
      ...volumes.filter((volume) => !has(volume.split(':')[0] ?? '')).map((volume) => `${name}: volume ${volume}`),
    ]);
    expect(missing).toEqual([]);
  });

  it('builds its images from this repository', () => {
    const stages = readStages(read('Dockerfile')).map(({ name }) => name);
    const builds = services.flatMap(([, { build }]) => (build ? [build] : []));
    expect(builds.map(({ target }) => target).sort()).toEqual(['api', 'broker']);
    for (const { context, dockerfile, target } of builds) {
      expect(stages).toContain(target);
      expect(path.resolve(here, context)).toBe(root);
      expect(existsSync(path.join(root, dockerfile))).toBe(true);
    }
  });

  it('gives api and broker a valid environment without unknown variables', () => {
    const { values } = freshEnv();
    const broker = filledIn(service('broker').environment, values);
    const api = filledIn(service('api').environment, values);
    expect(unknownTo('api', Object.keys(api))).toEqual([]);
    expect(Object.keys(broker).filter((name) => !(name in brokerEnvShape.shape))).toEqual([]);
    expect(brokerEnvShape.parse(broker)).toMatchObject({ TLS_PORT: 8883, BROKER_SECRET: values['BROKER_SECRET'] });
    expect(readConfig({ ...api, PORTAL_DIR: '/app/portal/dist' })).toMatchObject({
      publicUrl: 'https://roastery.test',
      mqttUrls: ['mqtt://broker:1883'],
      mqttPublicUrls: ['mqtts://roastery.test:8883'],
      brokerManagementUrls: ['http://broker:18083'],
      trustedProxies: 1,
      adminEmail: 'owner@roastery.test',
    });
    expect(api['BROKER_SECRET']).toBe(broker['BROKER_SECRET']);
  });

  it('runs the configured number of apis, without a setting that prevents several', () => {
    const { scale, ports, container_name: name, volumes } = service('api');
    const writable = volumes.filter((volume) => !volume.endsWith(':ro'));
    expect({ ports, name, writable }).toEqual({ ports: [], name: undefined, writable: [] });
    expect(filledIn({ scale: scale ?? '' }, {})).toEqual({ scale: '1' });
    expect(filledIn({ scale: scale ?? '' }, { API_INSTANCES: '2' })).toEqual({ scale: '2' });
  });

  it('limits the memory of every service and restarts running ones', () => {
    expect(services.filter(([, { mem_limit: limit }]) => limit === undefined).map(([name]) => name)).toEqual([]);
    const running = services.filter(([name]) => !['backup', 'restore'].includes(name));
    expect(running.filter(([, { restart }]) => restart !== 'unless-stopped').map(([name]) => name)).toEqual([]);
  });

  it('stops with a message when the secrets are missing', () => {
    for (const name of ['postgres', 'broker', 'api']) {
      expect(() => filledIn(service(name).environment, {}), name).toThrow(/run new-env.sh first/);
    }
  });

  it('opens only the web ports and MQTT over TLS, and keeps Postgres inside', () => {
    expect(services.flatMap(([, { ports }]) => ports)).toEqual(['8883:8883', '80:80', '443:443', '443:443/udp']);
    expect(service('postgres').networks.map((name) => compose.networks[name]?.internal)).toEqual([true]);
    for (const name of ['api', 'broker']) {
      expect(service(name), name).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
  });
});

describe('images', () => {
  it('of others are named by version and digest', () => {
    const ours = new Set(['roastery-api', 'roastery-broker']);
    const images = services.map(([, { image }]) => image).filter((image) => !ours.has(image));
    const bases = [...read('Dockerfile').matchAll(/^ARG \w*IMAGE=(\S+)$/gm)].map(([, image = '']) => image);
    expect(new Set(images).size).toBeGreaterThanOrEqual(2);
    expect(bases).toHaveLength(1);
    expect(
      [...images, ...bases].filter((image) => !/^\w+:\d+\.\d+(\.\d+)?(-\w+)*@sha256:[0-9a-f]{64}$/.test(image)),
    ).toEqual([]);
    const stages = readStages(read('Dockerfile'));
    const names = new Set(stages.map(({ name }) => name));
    expect(stages.filter(({ base }) => !names.has(base) && base !== '${NODE_IMAGE}')).toEqual([]);
  });
});

describe('new-env.sh', () => {
  it('writes the variables of env.example, for its owner only, and never overwrites secrets', () => {
    const { first, second, kept, mode, values } = freshEnv();
    expect({ first, second, kept, mode }).toEqual({ first: 0, second: 1, kept: true, mode: 0o600 });
    expect(Object.keys(values).sort()).toEqual(Object.keys(envFile(read('env.example'))).sort());
    const secrets = ['POSTGRES_PASSWORD', 'BROKER_SECRET', 'SECRET_KEY'].map((name) => values[name]);
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('Caddyfile', () => {
  it('the proxy forwards server-sent events immediately and does not expose internal pages', () => {
    const text = read('Caddyfile');
    expect(text).toMatch(/flush_interval -1/);
    expect(text).toMatch(/@inner path \/api\/v1\/mqtt\/\* \/metrics/);
  });
});
