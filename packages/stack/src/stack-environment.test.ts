import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { apiEnvironment, pairingAdvice, publicAddress, type StackPlan } from './stack-environment.ts';

const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
const inNetwork = addresses
  .filter(({ internal, family }) => !internal && family === 'IPv4')
  .map(({ address }) => address);

describe('npm start with HOST', () => {
  it.each(['127.0.0.1', 'localhost', '::1'])(
    '%s: prints no pairing advice, since no real board can reach it',
    (host) => {
      expect(pairingAdvice(host, `http://${host}:3000`)).toBeUndefined();
    },
  );

  it('0.0.0.0: prints how a real board is paired, with the exception without TLS', () => {
    const advice = pairingAdvice('0.0.0.0', 'http://192.168.1.20:3000') ?? '';
    expect(advice).toContain('device-agent pair PAIR-… --api http://192.168.1.20:3000 --trial-without-tls');
    expect(advice).toMatch(/trial in a private network; deploy\/README\.md/);
  });

  it('0.0.0.0 behind https: prints the command without the exception', () => {
    const advice = pairingAdvice('0.0.0.0', 'https://roastery.example') ?? '';
    expect(advice).toContain('--api https://roastery.example');
    expect(advice).not.toContain('trial');
  });

  it.each(['0.0.0.0', '::'])('%s: boards get an address of this computer in the network', (host) => {
    expect(inNetwork.length === 0 ? ['127.0.0.1'] : inNetwork).toContain(publicAddress(host));
    expect(publicAddress('192.168.1.20')).toBe('192.168.1.20');
  });

  it('gives boards the broker’s address from the public URL', () => {
    const plan: StackPlan = {
      repository: '/',
      dataDir: '/',
      host: '0.0.0.0',
      ports: { http: 3000, mqtt: 1883, brokerManagement: 18_083 },
      databaseUrl: 'postgres://x',
      publicUrl: 'http://192.168.1.20:3000',
      secrets: { brokerSecret: 'x', secretKey: 'x', adminPassword: 'x' },
      admin: { email: 'a@b', password: 'x' },
      logLevel: 'info',
    };
    expect(apiEnvironment(plan)).toMatchObject({
      MQTT_PUBLIC_URL: 'mqtt://192.168.1.20:1883',
      MQTT_URL: 'mqtt://127.0.0.1:1883',
    });
  });
});
