import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@roastery/runtime/env';
import { afterAll, describe, expect, it } from 'vitest';
import { credentialId, readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const env = { API_URL: 'https://roastery.example', MACHINE_SERIAL: 'RM30-7', MACHINE_TOKEN: 'the-token' };

describe('credentialId', () => {
  const board = { machineSerial: 'RM30-7', machineToken: 'the-token' };
  it('changes with the token and the machine, and contains neither', () => {
    const ids = [board, { ...board, machineToken: 'another' }, { ...board, machineSerial: 'RM30-8' }].map(credentialId);
    expect(new Set(ids).size).toBe(3);
    expect(credentialId(board)).toMatch(/^[0-9a-f]{16}$/);
    expect(ids).toContain(credentialId({ ...board }));
  });
});

describe('readConfig', () => {
  it.each(['https://roastery.example', 'https://roastery.example/', 'https://roastery.example/api/v1'])(
    'accepts %s as the address of the api',
    (url) => {
      expect(readConfig({ ...env, API_URL: url }).apiUrl).toBe('https://roastery.example/api/v1');
    },
  );

  it('reads the environment file that the portal offers; the environment itself comes first', () => {
    const path = join(folder, 'agent.env');
    writeFileSync(path, 'API_URL=https://a.example\nMACHINE_SERIAL="RM 30"\nMACHINE_TOKEN=t\nFIRMWARE_VERSION=1.0.0\n');
    expect(readConfig({ API_URL: 'https://b.example' }, path)).toMatchObject({
      apiUrl: 'https://b.example/api/v1',
      machineSerial: 'RM 30',
      firmwareVersion: '1.0.0',
    });
  });

  it.each([
    ['what is missing', { MACHINE_TOKEN: '' }, /MACHINE_TOKEN/],
    ['a broker that is none', { MQTT_URL: 'http://x' }, /MQTT_URL: use mqtt:\/\/host:port/],
    ['an authority without encryption', { MQTT_URL: 'mqtt://x', MQTT_CA: '/x' }, /MQTT_CA .* use mqtts/],
    [
      'an authority that is not there',
      { MQTT_URL: 'mqtts://x', MQTT_CA: '/nowhere.pem' },
      /MQTT_CA \/nowhere.pem .*ENOENT/,
    ],
  ])('reports %s in one line, without a secret', (_what, change, line) => {
    const attempt = () => readConfig({ ...env, ...change });
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(line);
    expect(attempt).not.toThrow(/the-token|\n/);
  });
});
