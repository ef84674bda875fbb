import { parseDatabaseUrl } from '@roastery/runtime/database-url';
import { ConfigError } from '@roastery/runtime/env';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const least = {
  DATABASE_URL: 'postgres://127.0.0.1/roastery',
  BROKER_SECRET: 'sixteen letters and more',
  SECRET_KEY: 'thirty-two letters and more, as it must be',
};

describe('readConfig', () => {
  it('requires a database and two secrets, and has defaults for the rest', () => {
    expect(readConfig(least)).toMatchObject({
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      isHttps: false,
      trustedProxies: 0,
      mqttPublicUrls: ['mqtt://127.0.0.1:1883'],
    });
  });
  it('derives the kind of cookie from the public address, and removes its trailing slash', () => {
    const config = readConfig({ ...least, PUBLIC_URL: 'https://roast.example/' });
    expect(config).toMatchObject({ publicUrl: 'https://roast.example', isHttps: true });
  });
  it('accepts a database on several hosts for read-write access only', () => {
    const hosts = 'postgres://roastery:p%40ss@db-1:5433,db-2,[fd00::3]:5434/roastery';
    const wishes = '?sslmode=require&target_session_attrs=';
    expect(readConfig({ ...least, DATABASE_URL: `${hosts}${wishes}read-write` }).databaseUrl).toContain('db-2');
    expect(parseDatabaseUrl(`${hosts}${wishes}primary`)).toEqual({
      places: [
        { host: 'db-1', port: 5433 },
        { host: 'db-2', port: 5432 },
        { host: 'fd00::3', port: 5434 },
      ],
      firstUrl: 'postgres://roastery:p%40ss@db-1:5433/roastery?sslmode=require',
    });
    expect(() => readConfig({ ...least, DATABASE_URL: `${hosts}${wishes}standby` })).toThrow('DATABASE_URL');
    expect(() => readConfig({ ...least, DATABASE_URL: 'postgres://db-1,db-2:port/roastery' })).toThrow('DATABASE_URL');
  });
  it('reads one broker or several, each with the address at which it ends connections', () => {
    const several = {
      MQTT_URLS: 'mqtt://broker-1, mqtt://broker-2:1884',
      MQTT_PUBLIC_URLS: 'mqtts://one.roast.example,mqtts://two.roast.example',
      BROKER_MANAGEMENT_URLS: 'http://broker-1:18083/,http://broker-2:18083',
    };
    expect(readConfig({ ...least, MQTT_URL: 'mqtt://only' })).toMatchObject({
      mqttUrls: ['mqtt://only'],
      mqttPublicUrls: ['mqtt://only'],
      brokerManagementUrls: ['http://127.0.0.1:18083'],
    });
    expect(readConfig({ ...least, ...several })).toMatchObject({
      mqttUrls: ['mqtt://broker-1', 'mqtt://broker-2:1884'],
      mqttPublicUrls: ['mqtts://one.roast.example', 'mqtts://two.roast.example'],
      brokerManagementUrls: ['http://broker-1:18083', 'http://broker-2:18083'],
    });
    const { BROKER_MANAGEMENT_URLS: _addresses, ...without } = several;
    expect(() => readConfig({ ...least, ...without })).toThrow('BROKER_MANAGEMENT_URLS');
  });
  it.each([
    ['MQTT_URLS', { MQTT_URLS: 'mqtt://one,two' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://x' }],
    ['BROKER_SECRET', { BROKER_SECRET: 'short' }],
    ['SECRET_KEY', { SECRET_KEY: 'short' }],
    ['ADMIN_EMAIL', { ADMIN_PASSWORD: 'a password without its email' }],
    ['PORT', { PORT: '70000' }],
  ])('fails with one line that names %s and contains no value', (name, wrong) => {
    const start = () => readConfig({ ...least, ...wrong });
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(name);
    expect(start).not.toThrow(Object.values(wrong)[0]);
  });
});
