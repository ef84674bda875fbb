import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import { isBounded, onlyInFull } from '@roastery/testing/endurance/volume';
import { bootSystemd, whyNoSystemd, type RealSystemd } from '@roastery/testing/real-systemd';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFor } from './board-package.ts';
import { bundleProgram, type Architecture } from './program-bundle.ts';

const here: Partial<Record<NodeJS.Architecture, Architecture>> = { x64: 'amd64', arm64: 'arm64', arm: 'armhf' };
const architecture = here[process.arch];
const obstacle = whyNoSystemd ?? (architecture === undefined ? `no package for ${process.arch}` : undefined);

const folder = mkdtempSync(join(tmpdir(), 'under-systemd-'));
const versions = ['1.0.0', '2.0.0'] as const;
type Version = (typeof versions)[number];

/** The real package under another version number. */
const release = (real: string, version: Version): void => {
  const tree = join(folder, version);
  execFileSync('dpkg-deb', ['--raw-extract', real, tree]);
  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(join(tree, path), change(readFileSync(join(tree, path), 'utf8')));
  edit('DEBIAN/control', (text) => text.replace(/^Version: .*$/m, `Version: ${version}`));
  edit('usr/lib/roastery-agent/package.json', (text) => text.replace(/"version":"[^"]*"/, `"version":"${version}"`));
  execFileSync('dpkg-deb', ['-Zgzip', '-z1', '--root-owner-group', '--build', tree, join(folder, `${version}.deb`)]);
};

/** All sequences of three steps take four minutes, so they run on demand. */
const inOrder = process.env['PACKAGE_ORDERS'] === '3' ? 3 : 2;

/**
 * A shortest sequence that contains every sequence of this many steps (de Bruijn): greedy, the last step of the list
 * first.
 */
function everyOrder<T extends string>(of: readonly T[], length: number): T[] {
  const last = of.at(-1);
  if (last === undefined) return [];
  const before = length - 1;
  const sequence: T[] = Array.from({ length: before }, () => last);
  const seen = new Set<string>();
  for (;;) {
    const next = of.find((step) => !seen.has([...sequence.slice(-before), step].join()));
    if (next === undefined) return sequence;
    seen.add([...sequence.slice(-before), next].join());
    sequence.push(next);
  }
}

/** A board that is paired with an unreachable roastery, beside a machine that answers. */
const startBoard = async (): Promise<RealSystemd> => {
  const board = await bootSystemd();
  for (const version of versions) {
    writeFileSync(board.pathTo(`/root/${version}.deb`), readFileSync(join(folder, `${version}.deb`)));
  }
  await board.must(
    'systemd-run --quiet --unit=drum --setenv=SIM_START=cold --setenv=SIM_AUTO=false node /opt/roastery/packages/simulator/dist/program/main.js',
  );
  return board;
};
const install = (version: Version): string => `dpkg --force-depends --install /root/${version}.deb`;
const pair = async (board: RealSystemd): Promise<void> => {
  const config = '/etc/roastery-agent';
  writeFileSync(board.pathTo(`${config}/map.json`), JSON.stringify(demoRoasterMap()));
  const identity = 'API_URL=http://127.0.0.1:9\nMACHINE_SERIAL=RM30-7\nMACHINE_TOKEN=token\n';
  writeFileSync(board.pathTo(`${config}/agent.env`), `${identity}MACHINE_MAP=${config}/map.json\n`, { mode: 0o600 });
};

type Step = 'install 1.0.0' | 'install 2.0.0' | 'remove' | 'purge';
const steps: readonly Step[] = ['install 1.0.0', 'install 2.0.0', 'remove', 'purge'];
const commandOf = (step: Step): string =>
  step === 'remove' || step === 'purge' ? `dpkg --${step} roastery-agent` : install(step.slice(8) as Version);

interface State {
  readonly installed: Version | null;
  readonly runs: Version | 'unknown' | null;
  readonly enabled: boolean;
  /** Credential and journal. */
  readonly data: boolean;
}
const paired: State = { installed: '1.0.0', runs: '1.0.0', enabled: true, data: true };
const after = (step: Step, { data }: State): State => {
  if (step === 'purge') return { installed: null, runs: null, enabled: false, data: false };
  if (step === 'remove') return { installed: null, runs: null, enabled: false, data };
  const version = step.slice(8) as Version;
  return { installed: version, runs: data ? version : null, enabled: true, data };
};
/**
 * The running version by its own status; exit code 1 with a problem, such as an unreachable roastery, still prints a
 * status.
 */
const versionIn = (status: string | undefined): State['runs'] => {
  if (status === undefined || status === '') return null;
  return status.startsWith('{') ? (JSON.parse(status) as { agent_version: Version }).agent_version : 'unknown';
};

const stateOf = async (board: RealSystemd): Promise<State> => {
  const { said } = await board.run(`
    dpkg-query --show --showformat='\${db:Status-Status} \${Version}\n' roastery-agent 2>/dev/null || echo none
    echo "$(systemctl is-enabled roastery-agent 2>/dev/null)"
    test -e /etc/roastery-agent/agent.env -a -d /var/lib/roastery-agent && echo data || echo
    systemctl is-active --quiet roastery-agent && { device-agent status --json 2>/dev/null || echo unknown; }`);
  const [installed = '', enabled, data, status] = said.split('\n');
  return {
    installed: installed.startsWith('installed ') ? (installed.slice(10) as Version) : null,
    runs: versionIn(status),
    enabled: enabled === 'enabled',
    data: data === 'data',
  };
};
const becomes = (board: RealSystemd, state: State) =>
  until(
    `the board to be ${JSON.stringify(state)}`,
    async () => {
      const now = await stateOf(board);
      if (JSON.stringify(now) === JSON.stringify(state)) return true;
      throw new Error(`it is ${JSON.stringify(now)}`);
    },
    { timeoutMs: 30_000, everyMs: 200 },
  );
const startPairedBoard = async (): Promise<RealSystemd> => {
  const board = await startBoard();
  await board.must(install('1.0.0'));
  await pair(board);
  await board.must('systemctl restart roastery-agent');
  await becomes(board, paired);
  return board;
};

beforeAll(async () => {
  if (obstacle !== undefined || architecture === undefined) return;
  const real = join(folder, 'real.deb');
  writeFileSync(real, packageFor(architecture, await bundleProgram()).content);
  for (const version of versions) release(real, version);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(obstacle !== undefined)(
  `the board’s package under a real systemd (${obstacle ?? 'as shipped'})`,
  () => {
    it('agent service: reads the machine, serves its page, and is visible to status and doctor, in its unit’s sandbox', async () => {
      await using board = await startBoard();
      await board.must(install('1.0.0'));
      await pair(board);
      await board.must('systemctl restart roastery-agent');
      const status = await until(
        'the status with a reading',
        async () => {
          const ran = await board.run('device-agent status');
          if (ran.code === 0 && /bean_temp \d/.test(ran.said)) return ran.said;
          throw new Error(`${ran.said}\n${(await board.run('journalctl -u roastery-agent -n 5 --no-pager')).said}`);
        },
        { timeoutMs: 60_000, everyMs: 500 },
      );
      expect(status).toMatch(/machine +RM30-7, ok at tcp/);
      const { checks } = JSON.parse((await board.run('device-agent doctor --json')).said) as {
        checks: { check: string; outcome: string; says: string }[];
      };
      const outcomes = Object.fromEntries(checks.map(({ check, outcome }) => [check, outcome]));
      expect(outcomes).toMatchObject({ configuration: 'good', agent: 'good', machine: 'good', values: 'good' });
      const logged = await board.must('journalctl -u roastery-agent --no-pager --output=cat -p warning');
      expect(logged).not.toMatch(/EAFNOSUPPORT|EPERM|EACCES|systemd-notify failed|uv_interface_addresses/);
      expect(await board.must('systemctl show -p NRestarts --value roastery-agent')).toBe('0');
    });

    it.skipIf(isBounded)(
      `package: every order of ${inOrder} of install, reinstall, upgrade, downgrade, remove and purge ends as expected (of 3 with PACKAGE_ORDERS=3)${onlyInFull}`,
      async () => {
        await using board = await startPairedBoard();
        let state = paired;
        const done: Step[] = [];
        const left: string[] = [];
        // It contains every sequence; reinstall, upgrade and downgrade are an installation in another state.
        for (const step of everyOrder(steps, inOrder)) {
          done.push(step);
          await board.must(commandOf(step));
          state = after(step, state);
          await becomes(board, state).catch((error: unknown) => {
            throw new Error(`after ${done.slice(-4).join(', ')}: ${String(error)}`);
          });
          if (step === 'purge') {
            const places = '/etc/roastery-agent /var/lib/roastery-agent /var/lib/roastery-agent-update';
            left.push((await board.run(`ls -d ${places} 2>/dev/null`)).said);
          }
          if (state.installed !== null && !state.data) {
            await pair(board);
            await board.must('systemctl restart roastery-agent');
            state = { ...state, runs: state.installed, data: true };
            await becomes(board, state);
          }
        }
        expect(done).toHaveLength(steps.length ** inOrder + inOrder - 1);
        expect(left.filter((path) => path !== '')).toEqual([]);
      },
      1_800_000,
    );

    it('package: after two upgrades and a removal in quick succession the last one applies', async () => {
      await using board = await startPairedBoard();
      await board.must(install('2.0.0'));
      await board.must(install('1.0.0'));
      await board.must(install('2.0.0'));
      await becomes(board, { ...paired, installed: '2.0.0', runs: '2.0.0' });
      await board.must(install('1.0.0'));
      await board.must('dpkg --purge roastery-agent');
      // Enough time for a pending action, which waits for the end of a roast, to appear.
      await board.must('sleep 3');
      expect(await stateOf(board)).toEqual(after('purge', paired));
      expect((await board.run('ls -d /var/lib/roastery-agent-update')).code).not.toBe(0);
    }, 120_000);

    it('package: a service disabled by a person stays disabled and stopped through upgrade, removal and installation', async () => {
      await using board = await startPairedBoard();
      await board.must('systemctl disable --now roastery-agent');
      const stopped = { ...paired, runs: null, enabled: false };
      await board.must(install('2.0.0'));
      await becomes(board, { ...stopped, installed: '2.0.0' });
      await board.must('dpkg --remove roastery-agent');
      await board.must(install('1.0.0'));
      // Enough time for a wrong start to appear.
      await board.must('sleep 3');
      expect(await stateOf(board)).toEqual(stopped);
    }, 120_000);
  },
);
