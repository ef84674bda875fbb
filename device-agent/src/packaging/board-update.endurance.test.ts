import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it, type ExpectStatic } from 'vitest';
import { packageFor } from './board-package.ts';
import { bundleProgram, type Architecture } from './program-bundle.ts';
import { startScriptedServer } from '../testing/modbus-server.ts';
import { isBounded, onlyInFull, volume } from '@roastery/testing/endurance/volume';
import { canPlaySystemd } from '@roastery/testing/notify-socket';
import { playSystemd } from '../testing/played-systemd.ts';
import { startTestServer } from '../testing/test-server.ts';
import { readUpdateState } from '../update/update-state.ts';

const here: Partial<Record<NodeJS.Architecture, Architecture>> = { x64: 'amd64', arm64: 'arm64', arm: 'armhf' };
const architecture = here[process.arch];
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const isRoot = process.getuid?.() === 0;
const isReady = canPlaySystemd && isRoot && architecture !== undefined && has('dpkg') && has('deb-systemd-helper');
const why = 'skipped without root, dpkg, deb-systemd-helper, python3 and systemd-notify';
const unprivileged = 65_534;
/** Instead of a board's 300, 20 and 60 s. */
const usual = { healthySeconds: 4, startMs: 20_000, watchdogMs: 10_000 };

const folder = mkdtempSync(join(tmpdir(), 'board-update-'));
chmodSync(folder, 0o755);
const execute = promisify(execFile);

/** The fault of a version: a line before its program. */
const faults = {
  well: '',
  crashes: "throw new Error('broken by its release');",
  mute: "delete process.env['NOTIFY_SOCKET'];",
  hangs: "setInterval(() => { if (existsSync(process.env['RUNTIME_DIRECTORY'] + '/health')) for (;;); }, 500);",
  lost: "process.env['MQTT_URL'] = 'mqtt://127.0.0.1:9';",
} as const;
const deb = (version: string, fault: keyof typeof faults = 'well'): string => join(folder, `${version}-${fault}.deb`);

const isRoast = (entry: unknown): entry is { roast_id: string; state: string } =>
  typeof entry === 'object' && entry !== null && 'type' in entry && entry.type === 'roast';

/** The real package under another version number, with a fault in its program. */
const release = (version: string, fault: keyof typeof faults = 'well'): void => {
  const tree = join(folder, `tree-${version}-${fault}`);
  execFileSync('dpkg-deb', ['--raw-extract', join(folder, 'real.deb'), tree]);
  const edit = (path: string, change: (text: string) => string): void => {
    writeFileSync(join(tree, path), change(readFileSync(join(tree, path), 'utf8')));
  };
  edit('DEBIAN/control', (text) => text.replace(/^Version: .*$/m, `Version: ${version}`));
  edit('usr/lib/roastery-agent/package.json', (text) => text.replace(/"version":"[^"]*"/, `"version":"${version}"`));
  edit('usr/lib/roastery-agent/dist/main.js', (text) =>
    text.replace(
      '\n',
      `\nimport { existsSync } from 'node:fs';\nif (process.argv[2] === 'run') { ${faults[fault]} }\n`,
    ),
  );
  execFileSync('dpkg-deb', ['-Zgzip', '-z1', '--root-owner-group', '--build', tree, deb(version, fault)]);
};

beforeAll(async () => {
  if (!isReady) return;
  writeFileSync(join(folder, 'real.deb'), packageFor(architecture, await bundleProgram()).content);
  release('1.0.0');
  for (const fault of Object.keys(faults) as (keyof typeof faults)[]) release('2.0.0', fault);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

/** A board with version 1.0.0, which records and is connected. */
const startBoard = async (name: string, expect: ExpectStatic, over: Partial<typeof usual> = {}) => {
  const { healthySeconds, ...patience } = { ...usual, ...over };
  const root = join(folder, name);
  for (const part of ['var/lib/dpkg/updates', 'var/lib/dpkg/info', 'usr/bin', 'etc'])
    mkdirSync(join(root, part), { recursive: true });
  writeFileSync(join(root, 'var/lib/dpkg/status'), '');
  symlinkSync(process.execPath, join(root, 'usr/bin/node'));
  const server = await startTestServer(name);
  const drum = { charge: false, drop: false };
  const machine = await startScriptedServer(
    'tcp',
    () => ({}),
    (address, { code }) => (code === 2 ? Number([drum.charge, drum.drop][address]) : 2000),
  );
  const dpkg = (...words: string[]) =>
    execute('dpkg', [`--root=${root}`, '--force-script-chrootless', '--force-depends', '--log=/dev/null', ...words]);
  const install = (path: string) => dpkg('--install', path);
  await install(deb('1.0.0'));
  const config = join(root, 'etc/roastery-agent');
  // The package's group of the service, which this machine doesn't have.
  chownSync(config, 0, unprivileged);
  const map = {
    v: 1,
    id: 'scripted',
    maker: 'Test',
    model: 'Test',
    hz: 4,
    link: { kind: 'tcp', host: '127.0.0.1', port: machine.port },
    channels: { bean_temp: { at: 'i:0', scale: 0.1 } },
    events: { charge: { when: 'd:0' }, drop: { when: 'd:1' } },
  };
  writeFileSync(join(config, 'map.json'), JSON.stringify(map));
  writeFileSync(join(config, 'agent.env'), `API_URL=http://127.0.0.1:9\nMACHINE_SERIAL=${name}\nMACHINE_TOKEN=token\n`);
  const settings = {
    MACHINE_MAP: join(config, 'map.json'),
    DATA_DIR: join(root, 'var/lib/roastery-agent'),
    MQTT_URL: server.url,
    STATUS_PORT: 'off',
    TRIAL_SECONDS: healthySeconds,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(join(config, 'settings.env'), lines.join(''));
  const service = await playSystemd({ root, user: unprivileged, restartMs: 200, ...patience });
  const updateState = () =>
    readUpdateState({
      ROASTERY_UPDATE_RECORD: join(root, 'var/lib/roastery-agent-update/record'),
      ROASTERY_UPDATE_PASSED: join(root, 'var/lib/roastery-agent/update-passed'),
    });
  const board = {
    root,
    drum,
    server,
    /** As in the board's own record. */
    updateState,
    service,
    dpkg,
    install,
    /** A command typed at the board. */
    async type(...words: string[]): Promise<string> {
      const done = await execute(join(root, 'usr/bin/device-agent'), [...words, '--config-dir', config], {
        env: { PATH: process.env['PATH'], RUNTIME_DIRECTORY: join(root, 'run/roastery-agent') },
      }).catch((error: { stdout: string }) => error);
      return done.stdout;
    },
    /** What `apt install` does under systemd: dpkg, then a restart once no roast runs. */
    async update(path: string): Promise<void> {
      await install(path);
      await service.stop();
      service.start();
    },
    /** As the fleet view receives it. */
    status: () => server.statuses.at(-1),
    async proves(installed: string): Promise<void> {
      await expect.poll(updateState, { timeout: 60_000 }).toMatchObject({ state: 'good', installed });
    },
    async becomes(state: object): Promise<void> {
      try {
        await expect.poll(() => server.statuses.at(-1), { timeout: 60_000, interval: 100 }).toMatchObject(state);
      } catch (error) {
        throw new Error(`${String(error)}\n${service.log()}`, { cause: error });
      }
    },
    launcher: (...words: string[]): string =>
      execFileSync(join(root, 'usr/lib/roastery-agent/launch'), words, { encoding: 'utf8', stdio: 'pipe' }),
    /** Every number of one stream exists, whichever version wrote it. */
    async expectWholeJournal(): Promise<void> {
      await service.stop();
      const keys = [...server.committed.keys()].map((key) => key.split('/'));
      expect(new Set(keys.map(([epoch]) => epoch)).size).toBe(1);
      const seqs = keys.map(([, seq]) => Number(seq)).toSorted((a, b) => a - b);
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, seq) => seq));
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await machine.hangUp();
      await server.kill();
    },
  };
  service.start();
  await expect.poll(() => server.live.length, { timeout: 90_000 }).toBeGreaterThan(2);
  // An update must reach the server and the machine that this version has reached; it reports them once a second.
  await expect
    .poll(() => readFileSync(join(root, 'run/roastery-agent/health'), 'utf8'), { timeout: 30_000 })
    .toMatch(/^BROKER=now$[^]*^MACHINE=now$/m);
  return board;
};
describe.skipIf(!isReady)(`an update of a board (${why})`, { concurrent: true }, () => {
  it('is kept after its healthy time, and so are a reinstallation and the previous version', async ({ expect }) => {
    // The trial lasts longer than a doctor on a busy computer.
    await using board = await startBoard('GOOD', expect, { healthySeconds: 15 });
    expect(board.status()).not.toHaveProperty('update');
    await board.update(deb('2.0.0'));
    const [installed, earlier] = ['2.0.0', '1.0.0'];
    await board.becomes({ online: true, agent_version: '2.0.0', update: { state: 'on_trial', installed, earlier } });
    expect(await board.type('doctor')).toMatch(
      /✓ update +version 2\.0\.0 is on trial; the board rolls back to 1\.0\.0/,
    );
    await board.proves('2.0.0');
    expect(await board.type('doctor')).toMatch(/✓ update +version 2\.0\.0 is confirmed/);
    expect(board.service.results).toEqual(['success']);
    await board.update(deb('2.0.0'));
    await board.becomes({ online: true, update: { state: 'on_trial', installed, earlier: '2.0.0' } });
    // The trial isn't over: of the versions on the board the older one is still the proven one.
    await board.update(deb('1.0.0'));
    await board.becomes({ agent_version: '1.0.0', update: { state: 'on_trial', installed: '1.0.0' } });
    await board.proves('1.0.0');
    await board.expectWholeJournal();
    await board.dpkg('--purge', 'roastery-agent');
    for (const place of [
      'usr/lib/roastery-agent',
      'var/lib/roastery-agent',
      'var/lib/roastery-agent-update',
      'etc/roastery-agent',
    ])
      expect(() => accessSync(join(board.root, place), constants.F_OK), place).toThrow(/ENOENT/);
  });

  const failing = [
    ['crashes', /exit code 1, 3 times/],
    ['mute', /was not ready in time, 3 times/],
    ['hangs', /it hung, 3 times/],
  ] as const;
  it.for(failing.slice(0, volume(failing.length, 1)))(
    'that %s is rolled back, on the same journal, as reported by doctor, page and fleet view',
    async ([fault, reason], { expect }) => {
      // Healthy for longer than systemd waits for READY and WATCHDOG, as on a board.
      const patience = { crashes: {}, mute: { startMs: 5000 }, hangs: { watchdogMs: 5000 } }[fault];
      await using board = await startBoard(fault.toUpperCase(), expect, {
        healthySeconds: fault === 'crashes' ? usual.healthySeconds : 15,
        ...patience,
      });
      await board.update(deb('2.0.0', fault));
      const because = expect.stringMatching(reason);
      await board.becomes({
        online: true,
        agent_version: '1.0.0',
        update: { state: 'turned_back', installed: '2.0.0', earlier: '1.0.0', reason: because },
      });
      expect(await board.type('doctor')).toMatch(
        /! update +Version 2\.0\.0 was installed and rolled back to 1\.0\.0: /,
      );
      const shown = board.server.live.length;
      await expect.poll(() => board.server.live.length).toBeGreaterThan(shown);
      if (fault === 'crashes') {
        // The fixed release of the same number.
        await board.update(deb('2.0.0'));
        await board.proves('2.0.0');
      }
      await board.expectWholeJournal();
    },
  );

  it.skipIf(isBounded)(
    `that lost the broker is rolled back, but not while it records a roast${onlyInFull}`,
    async ({ expect }) => {
      await using board = await startBoard('LOST', expect);
      await board.update(deb('2.0.0', 'lost'));
      const health = () => readFileSync(join(board.root, 'run/roastery-agent/health'), 'utf8');
      await expect.poll(health, { timeout: 30_000 }).toMatch(/^MACHINE=now$/m);
      board.drum.charge = true;
      await expect.poll(health, { timeout: 30_000 }).toMatch(/^ROAST=[\da-f]{8}-/m);
      // Another update would have to wait too.
      const idle = { at: Infinity };
      const waiting = board.type('await-idle').then(() => (idle.at = performance.now()));
      const chargedAt = performance.now();
      const isLate = () => performance.now() - chargedAt > 5000 * usual.healthySeconds;
      await expect.poll(isLate, { timeout: 60_000 }).toBe(true);
      expect([board.service.results, idle.at]).toEqual([['success'], Infinity]);
      board.drum.drop = true;
      await waiting;
      const reason = expect.stringMatching(/did not reach the broker, which the earlier version did/);
      await board.becomes({ online: true, agent_version: '1.0.0', update: { state: 'turned_back', reason } });
      await board.expectWholeJournal();
      const states = [...board.server.committed.values()].flatMap((entry) =>
        isRoast(entry) ? [[entry.roast_id, entry.state]] : [],
      );
      expect(states.map(([, state]) => state)).toEqual(['in_progress', 'completed']);
    },
  );

  it('is not rolled back because the network is away, and stays when it is back', async ({ expect }) => {
    await using board = await startBoard('AWAY', expect);
    await board.install(deb('2.0.0'));
    await board.server.kill();
    await board.service.stop();
    board.service.start();
    const startOf = performance.now();
    const past = () => performance.now() - startOf > 4000 * usual.healthySeconds;
    await expect.poll(past, { timeout: 30_000 }).toBe(true);
    expect(await board.type('doctor')).toMatch(/✓ update +version 2\.0\.0 is on trial/);
    await board.server.listen();
    await board.proves('2.0.0');
    expect(board.service.results).toEqual(['success']);
    await board.expectWholeJournal();
  });

  it('always starts again after a power cut at any step', async ({ expect }) => {
    await using board = await startBoard('DARK', expect, { healthySeconds: 10 });
    const comesBackAs = async (version: string): Promise<void> => {
      const before = board.server.live.length;
      board.service.start();
      await expect.poll(() => board.server.live.length, { timeout: 30_000 }).toBeGreaterThan(before + 1);
      await board.becomes({ online: true, agent_version: version });
    };
    // While dpkg replaces the program: half of it is missing.
    board.launcher('keep', '2.0.0');
    await board.service.cutPower();
    const dist = join(board.root, 'usr/lib/roastery-agent/dist');
    rmSync(join(dist, 'main.js'));
    await comesBackAs('1.0.0');
    expect(await board.type('doctor')).toMatch(
      /! update +An update was not completed; version 1\.0\.0 continues to run/,
    );
    // Installed, and the roast of the earlier version isn't over yet.
    await board.install(deb('2.0.0'));
    const record = join(board.root, 'var/lib/roastery-agent-update/record');
    const waiting = readFileSync(record, 'utf8')
      .replace('STATE=trial', 'STATE=waiting')
      .replace('RUNS=installed', 'RUNS=earlier')
      .replace(/^BOOT=.*$/m, 'BOOT=the-one-before');
    board.drum.charge = true;
    const states = () =>
      [...board.server.committed.values()].flatMap((entry) => (isRoast(entry) ? [[entry.roast_id, entry.state]] : []));
    await expect.poll(() => states().length, { timeout: 30_000 }).toBe(1);
    await board.service.cutPower();
    writeFileSync(record, waiting);
    await comesBackAs('1.0.0');
    expect(await board.type('doctor')).toMatch(
      /✓ update +version 2\.0\.0 is installed and starts when no roast is running/,
    );
    const shown = board.server.live.length;
    await expect.poll(() => board.server.live.length, { timeout: 30_000 }).toBeGreaterThan(shown + 32);
    expect([board.status()?.agent_version, board.service.results]).toEqual(['1.0.0', []]);
    board.drum.drop = true;
    await board.becomes({ online: true, agent_version: '2.0.0', update: { state: 'on_trial' } });
    // One roast, recorded to its end by the version that began it.
    expect(new Set(states().map(([id]) => id)).size).toBe(1);
    expect(states().map(([, state]) => state)).toEqual(['in_progress', 'completed']);
    board.drum.charge = board.drum.drop = false;
    // Early and late in the trial; it does not count against the version.
    for (let round = 0; round < 2; round++) {
      await board.service.cutPower();
      await comesBackAs('2.0.0');
      expect(await board.updateState()).toMatchObject({ state: 'on_trial', installed: '2.0.0' });
    }
    // While the record is written.
    writeFileSync(`${record}.new`, 'RUNS=ear');
    await board.proves('2.0.0');
    await board.service.cutPower();
    await comesBackAs('2.0.0');
    expect(await board.type('doctor')).toMatch(/2\.0\.0 is confirmed/);
    // An empty record loses its information, but does not prevent the start.
    await board.service.cutPower();
    writeFileSync(record, Buffer.alloc(4096));
    await comesBackAs('2.0.0');
    await board.expectWholeJournal();
  });
});
