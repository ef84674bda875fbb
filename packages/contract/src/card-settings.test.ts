import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { installCommand } from './board-packages.ts';
import { cardNetworkConfig, cardUserData, hostNameOf } from './card-settings.ts';

const facts = { serialNumber: 'RM30 7', portalUrl: 'https://roastery.example', ticket: 'PAIR-BCDF-GHJK-LMNP' };

/** The text of a file that `user-data` writes. */
const writtenFile = (userData: string, path: string): string => {
  const [, text = ''] =
    new RegExp(`- path: ${path}\\n.*\\n    content: \\|\\n((?:      .*\\n|\\n)*)`).exec(userData) ?? [];
  return text.replaceAll(/^ {6}/gm, '');
};

describe('card settings', () => {
  it.each([
    ['RM30 7', 'roaster-rm30-7'],
    ['PRB/P25 #42', 'roaster-prb-p25-42'],
    ['焙煎機', 'roaster'],
    ['-x-', 'roaster-x'],
    ['A'.repeat(80), `roaster-${'a'.repeat(40)}`],
  ])('host name of %s is %s', (serialNumber, name) => {
    expect(hostNameOf(serialNumber)).toBe(name);
  });

  it('user-data: installs from the portal and pairs with the ticket, by a valid shell script', () => {
    const text = cardUserData(facts);
    expect(text).toMatch(/^#cloud-config\nhostname: roaster-rm30-7\n/);
    const script = writtenFile(text, '/usr/local/sbin/roastery-first-boot');
    expect(script).toContain("'https://roastery.example/packages/install.sh'");
    expect(script).toMatch(/exec sh "\$RUNTIME_DIRECTORY\/install\.sh" 'PAIR-BCDF-GHJK-LMNP'\n$/);
    expect(spawnSync('sh', ['-n'], { input: script }).status).toBe(0);
    expect(writtenFile(text, '/etc/systemd/system/roastery-first-boot.service')).toMatch(
      /^\[Unit\]\n[^]*\nWantedBy=multi-user\.target\n$/,
    );
  });

  it('user-data: an address with a quote stays one argument of the script', () => {
    const script = writtenFile(
      cardUserData({ ...facts, portalUrl: "https://x.example/a'; touch $(id)" }),
      '/usr/local/sbin/roastery-first-boot',
    );
    const [line = ''] = /^curl .*$/m.exec(script) ?? [];
    const { stdout } = spawnSync('sh', ['-c', line.replace(/^curl/, 'printf "%s\\n"').replace(/ \|\| exit 1$/, '')], {
      encoding: 'utf8',
    });
    expect(stdout.split('\n')).toContain("https://x.example/a'; touch $(id)/packages/install.sh");
  });

  it('network-config: quotes user input, and has only the cable without a wireless network', () => {
    const config = cardNetworkConfig({ name: 'Café: "5"', password: 'p\\w #1', country: 'fi' });
    expect(config).toContain(String.raw`        "Café: \"5\"":
          password: "p\\w #1"`);
    expect(config).toContain('regulatory-domain: "FI"');
    expect(cardNetworkConfig()).not.toContain('wifis');
    expect(cardNetworkConfig({ name: 'open', password: '', country: 'FI' })).toContain('"open": {}');
  });

  it('install command: names the exception for a portal without TLS, but not on the same computer', () => {
    expect(installCommand('https://roastery.example', facts.ticket)).toBe(
      'curl -fsS https://roastery.example/packages/install.sh | sudo sh -s -- PAIR-BCDF-GHJK-LMNP',
    );
    expect(installCommand('http://192.168.1.20:3000', facts.ticket)).toMatch(
      / PAIR-BCDF-GHJK-LMNP --trial-without-tls$/,
    );
    expect(installCommand('http://127.0.0.1:3000', facts.ticket)).toMatch(/ PAIR-BCDF-GHJK-LMNP$/);
  });
});
