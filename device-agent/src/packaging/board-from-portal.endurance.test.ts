import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listRoasts } from '@roastery/contract/roasts';
import { isBounded, onlyInFull } from '@roastery/testing/endurance/volume';
import { whyNoSystemd } from '@roastery/testing/real-systemd';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changed, serveInstead, torn, withoutSignature, type Bend } from '../testing/bent-packages.ts';
import { prepareReleases } from '../testing/board-release.ts';
import type { FreshBoard } from '../testing/fresh-board.ts';
import { openPortalForBoards, type PortalForBoards } from '../testing/portal-for-boards.ts';
import type { NodeArchitecture } from './node-package.ts';
import { whyNoGpg } from './release-key.ts';

const here: Partial<Record<NodeJS.Architecture, NodeArchitecture>> = { x64: 'amd64', arm64: 'arm64' };
const architecture = here[process.arch];
const obstacle =
  whyNoSystemd ?? whyNoGpg ?? (architecture === undefined ? `no package for ${process.arch}` : undefined);

const folder = mkdtempSync(join(tmpdir(), 'board-from-portal-'));
let releases: Awaited<ReturnType<typeof prepareReleases>>;
let portal: PortalForBoards;
beforeAll(async () => {
  if (obstacle !== undefined || architecture === undefined) return;
  releases = await prepareReleases(folder, architecture);
  portal = await openPortalForBoards(await releases.make('1.0.0', 'ours', 0));
});
afterAll(async () => {
  if (obstacle === undefined) await portal.close();
  rmSync(folder, { recursive: true, force: true });
});

const install = (...words: string[]): string =>
  `curl -fsS ${portal.stack.url}/packages/install.sh | sh -s -- ${words.join(' ')}`;
/** The script as a file: an interrupted download can't deliver it. */
const saved = (words = ''): string => `sh /srv/install.sh ${words}`;
const lastLine = (said: string): string => said.split('\n').at(-1) ?? '';

/** The result of an update from this folder: apt's exit, and the version that runs afterwards. */
const updateFrom = async (board: FreshBoard, serialNumber: string, root: string, bend?: Bend): Promise<string> => {
  using server = await serveInstead(root, bend);
  board.lead(portal.stack.ports.http, server.port);
  const source = '-o Dir::Etc::sourcelist=/etc/apt/sources.list.d/roastery.sources -o Dir::Etc::sourceparts=-';
  const { code, said } = await board.run(
    `apt-get update -q ${source} -o APT::Update::Error-Mode=any && apt-get install -q -y --only-upgrade roastery-agent`,
  );
  board.lead(portal.stack.ports.http);
  const installed = await board.must("dpkg-query --show --showformat='${Version}' roastery-agent");
  await portal.isLive(serialNumber, installed).catch(async (error: unknown) => {
    throw new Error((await board.run('journalctl --no-pager --lines=60 --unit=roastery-agent')).said, { cause: error });
  });
  return `${code === 0 ? 'installed' : 'refused'}, runs ${installed}: ${said.match(/^[EW]: .*$/m)?.[0] ?? ''}`;
};

describe.skipIf(obstacle !== undefined)(
  `a board from the portal’s packages (${obstacle ?? 'Debian, as it is'})`,
  () => {
    it('install.sh: installs agent and Node.js on a system without either, pairs, and shows the machine live', async () => {
      await using board = await portal.boot('fresh');
      const ticket = await portal.register('FRESH');
      const { code, said } = await board.run(`{ ${install(ticket)}; } 2>&1`);
      expect([code, lastLine(said)], said).toEqual([0, 'Installed and paired. What it sees: sudo device-agent doctor']);
      await portal.isLive('FRESH', '1.0.0');
      const pid = await board.must('systemctl show --property=MainPID --value roastery-agent');
      expect(await board.must(`readlink /proc/${pid}/exe`)).toBe('/usr/lib/roastery-node/bin/node');
      expect(await board.must('systemctl is-enabled roastery-agent')).toBe('enabled');
      portal.shown.charge = true;
      portal.shown.beans = 1800;
      await expect
        .poll(async () => (await portal.admin.call(listRoasts)).roasts[0]?.status, { timeout: 30_000 })
        .toBe('in_progress');
      portal.shown.charge = false;
      // Repeating is safe, also without a ticket.
      expect((await board.run(install())).code).toBe(0);
      await portal.isLive('FRESH', '1.0.0');
      await board.must('apt-get purge -y -q roastery-agent roastery-node');
      expect((await board.run('ls -d /usr/lib/roastery-agent /usr/lib/roastery-node')).code).not.toBe(0);
    }, 240_000);

    it.skipIf(isBounded)(
      `install.sh: ends with one message where it can’t continue, and leaves nothing installed${onlyInFull}`,
      async () => {
        await using board = await portal.boot('wrong');
        const script = await (await fetch(`${portal.stack.url}/packages/install.sh`)).text();
        writeFileSync(board.pathTo('/srv/install.sh'), script);
        const ends = async (command: string): Promise<[number, string]> => {
          const { code, said } = await board.run(`{ ${command}; } 2>&1`);
          return [code, lastLine(said)];
        };
        expect(await ends(install('PAIR-123'))).toEqual([
          2,
          '"PAIR-123" is not a pairing ticket: a ticket looks like PAIR-BCDF-GHJK-LMNP.',
        ]);
        expect(await ends(`setpriv --reuid=65534 --clear-groups ${saved()}`)).toEqual([
          2,
          'This needs root: put sudo before sh.',
        ]);
        await board.must(
          'mkdir /root/other && printf "#!/bin/sh\\necho riscv64\\n" >/root/other/dpkg && chmod +x /root/other/dpkg',
        );
        expect(await ends(`PATH=/root/other:$PATH ${saved()}`)).toEqual([
          2,
          'There is no package for riscv64: the agent runs on arm64, amd64 and armhf.',
        ]);
        await board.must('printf "#!/bin/sh\\necho armhf\\n" >/root/other/dpkg');
        expect((await ends(`PATH=/root/other:$PATH ${saved()}`))[1]).toMatch(
          /^The 32-bit version 12 of this system has Node\.js 18/,
        );
        await board.must(
          'cp /etc/os-release /root/os-release && rm /etc/os-release && printf "ID=debian\\nVERSION_ID=\\"11\\"\\n" >/etc/os-release',
        );
        expect(await ends(saved())).toEqual([
          2,
          'This is debian 11, which is too old: the agent needs Debian or Raspberry Pi OS, 12 or later.',
        ]);
        await board.must('cp /root/os-release /etc/os-release');
        board.cut(portal.stack.ports.http);
        expect(await ends(saved())).toEqual([
          1,
          `The packages at ${portal.stack.url} could not be read: check this board's network, clock and DNS, then run this again.`,
        ]);
        using stranger = await serveInstead(await releases.make('1.0.0', 'stranger', 10));
        board.lead(portal.stack.ports.http, stranger.port);
        const [code, sentence] = await ends(saved());
        expect([code, sentence]).toEqual([
          2,
          expect.stringMatching(
            /^The packages at http:\S+ are not signed with the key [0-9A-F]{40}: nothing was installed\.$/,
          ),
        ]);
        expect((await board.run('ls /etc/apt/sources.list.d/roastery.sources')).code).not.toBe(0);
        // A script that was cut off in the middle does nothing.
        writeFileSync(board.pathTo('/root/half.sh'), script.slice(0, script.length * 0.9));
        await board.run('sh /root/half.sh');
        expect((await board.run('dpkg-query --show roastery-agent roastery-node')).code).not.toBe(0);
        board.lead(portal.stack.ports.http);
        expect(await ends(saved('PAIR-BCDF-GHJK-LMNP'))).toEqual([
          2,
          'The agent is installed and not paired: see the sentence above.',
        ]);
      },
      240_000,
    );

    it.skipIf(isBounded)(
      `install.sh: continues after a power cut during unpacking${onlyInFull}`,
      async () => {
        await using board = await portal.boot('dark');
        const ticket = await portal.register('DARK');
        const unpacked = '/usr/lib/roastery-node/bin/node.dpkg-new';
        await board.must(`curl -fsS -o /srv/install.sh ${portal.stack.url}/packages/install.sh`);
        await board.must(`systemd-run --quiet --unit=first-try sh /srv/install.sh ${ticket}`);
        // Half of Node.js is on the disk: the processes end abruptly, as in a power cut.
        await board.must(
          `until [ -e ${unpacked} ]; do sleep 0.02; done; systemctl kill --signal=KILL --kill-who=all first-try`,
        );
        expect(await board.must('dpkg --audit')).toMatch(/roastery-node/);
        const { code, said } = await board.run(`sh /srv/install.sh ${ticket} 2>&1`);
        expect([code, lastLine(said)], said).toEqual([
          0,
          'Installed and paired. What it sees: sudo device-agent doctor',
        ]);
        await portal.isLive('DARK', '1.0.0');
      },
      240_000,
    );

    it('update: a signed package is installed on trial; unsigned, wrongly signed and truncated ones change nothing', async () => {
      await using board = await portal.boot('drill');
      const ticket = await portal.register('DRILL');
      await board.must(install(ticket));
      await board.must('echo TRIAL_SECONDS=6 >>/etc/roastery-agent/settings.env; systemctl restart roastery-agent');
      await portal.isLive('DRILL', '1.0.0');
      const next = await releases.make('2.0.0', 'ours', 20);
      const tries = (root: string, bend?: Bend) => updateFrom(board, 'DRILL', root, bend);
      const outcomes = {
        unsigned: await tries(next, withoutSignature),
        'wrongly signed': await tries(await releases.make('2.0.0', 'stranger', 30)),
        'one byte changed': await tries(next, changed),
        torn: await tries(next, torn),
      };
      expect(outcomes).toEqual({
        unsigned: expect.stringMatching(/^refused, runs 1\.0\.0: E: .* is no longer signed/) as string,
        'wrongly signed': expect.stringMatching(/^refused, runs 1\.0\.0: W: .* signature verification/) as string,
        'one byte changed': expect.stringMatching(/^refused, runs 1\.0\.0: E: .* Hash Sum mismatch/) as string,
        torn: expect.stringMatching(/^refused, runs 1\.0\.0: E: Failed to fetch .*\.deb/) as string,
      });
      expect(await tries(next)).toMatch(/^installed, runs 2\.0\.0/);
      await until(
        'the trial to end well',
        async () => {
          const { said } = await board.run('device-agent doctor');
          if (/2\.0\.0 is confirmed/.test(said)) return true;
          throw new Error(said);
        },
        { timeoutMs: 60_000, everyMs: 500 },
      );
    }, 300_000);

    it.skipIf(isBounded)(
      `key: a release signed with both installs the next key, which then suffices; the earlier one is refused${onlyInFull}`,
      async () => {
        await using board = await portal.boot('key');
        await board.must(install(await portal.register('KEY')));
        await board.must('echo TRIAL_SECONDS=6 >>/etc/roastery-agent/settings.env; systemctl restart roastery-agent');
        await portal.isLive('KEY', '1.0.0');
        releases.copyKeys('ours', 'next');
        releases.addKey('next');
        expect(await updateFrom(board, 'KEY', await releases.make('2.0.0', 'next', 20))).toMatch(
          /^installed, runs 2\.0\.0/,
        );
        releases.retireFirstKey('next');
        expect(await updateFrom(board, 'KEY', await releases.make('3.0.0', 'next', 30))).toMatch(
          /^installed, runs 3\.0\.0/,
        );
        expect(await updateFrom(board, 'KEY', await releases.make('4.0.0', 'ours', 40))).toMatch(
          /^refused, runs 3\.0\.0/,
        );
      },
      300_000,
    );
  },
);
