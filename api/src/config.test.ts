import { ConfigError } from '@roastery/runtime/env';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const least = {
  DATABASE_URL: 'postgres://127.0.0.1/roastery',
  BROKER_SECRET: 'sixteen letters and more',
  SECRET_KEY: 'thirty-two letters and more, as it must be',
};

describe('readConfig', () => {
  it('needs a database and two secrets, and knows the rest', () => {
    expect(readConfig(least)).toMatchObject({
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      isHttps: false,
      trustedProxies: 0,
      mqttPublicUrl: 'mqtt://127.0.0.1:1883',
    });
  });
  it('takes the kind of cookie from the public address, and its end slash away', () => {
    const config = readConfig({ ...least, PUBLIC_URL: 'https://roast.example/' });
    expect(config).toMatchObject({ publicUrl: 'https://roast.example', isHttps: true });
  });
  it.each([
    ['DATABASE_URL', { DATABASE_URL: 'mysql://x' }],
    ['BROKER_SECRET', { BROKER_SECRET: 'short' }],
    ['SECRET_KEY', { SECRET_KEY: 'short' }],
    ['ADMIN_EMAIL', { ADMIN_PASSWORD: 'a password without its email' }],
    ['PORT', { PORT: '70000' }],
  ])('stops the start with a line that names %s and shows no value', (name, wrong) => {
    const start = () => readConfig({ ...least, ...wrong });
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(name);
    expect(start).not.toThrow(Object.values(wrong)[0]);
  });
});
