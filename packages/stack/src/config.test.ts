import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('environment of npm start', () => {
  it('has defaults for all variables', () => {
    expect(readConfig({}, '/home/ana/roastery')).toMatchObject({
      host: '127.0.0.1',
      ports: { http: 3000, mqtt: 1883 },
      dataDir: '/home/ana/roastery/data',
      databaseUrl: undefined,
      demo: true,
    });
  });
  it('names an invalid variable, never its value', () => {
    expect(() => readConfig({ PORT: '70000' }, '/')).toThrow('PORT: must be 1 to 65535');
    expect(() => readConfig({ DEMO: 'no' }, '/')).toThrow('DEMO: must be 0 or 1');
    expect(() => readConfig({ PORT: '1883' }, '/')).toThrow('PORT and MQTT_PORT must differ');
    expect(() => readConfig({ ADMIN_PASSWORD: 'short' }, '/')).not.toThrow(/short/);
  });
});
