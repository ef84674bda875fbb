import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orderBoardUpdates, withdrawBoardUpdates } from '@roastery/contract/board-updates';
import { isBounded, onlyInFull } from '@roastery/testing/endurance/volume';
import { whyNoSystemd } from '@roastery/testing/real-systemd';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveInstead, torn, withoutSignature, type Bend } from '../testing/bent-packages.ts';
import { prepareReleases } from '../testing/board-release.ts';
import type { FreshBoard } from '../testing/fresh-board.ts';
import { openPortalForBoards, type PortalForBoards } from '../testing/portal-for-boards.ts';
import type { NodeArchitecture } from './node-package.ts';
import { whyNoGpg } from './release-key.ts';

const here: Partial<Record<NodeJS.Architecture, NodeArchitecture>> = { x64: 'amd64', arm64: 'arm64' };
const architecture = here[process.arch];
const obstacle =
  whyNoSystemd ?? whyNoGpg ?? (architecture === undefined ? `no package for ${process.arch}` : undefined);
const version = '2.0.0';
const request = '/run/roastery-agent/update-request';

const folder = mkdtempSync(join(tmpdir(), 'ordered-update-'));
let releases: Awaited<ReturnType<typeof prepareReleases>>;
let portal: PortalForBoards;
let good: string;
beforeAll(async () => {
  if (obstacle !== undefined || architecture === undefined) return;
  releases = await prepareReleases(folder, architecture);
  good = await releases.make(version, 'ours', 60);
  portal = await openPortalForBoards(good);
});
afterAll(async () => {
  if (obstacle === undefined) await portal.close();
  rmSync(folder, { recursive: true, force: true });
});

const keyring = '/etc/apt/keyrings/roastery.asc';
/** As install.sh writes the source, and as it is written by hand. */
const sources = {
  'roastery.sources': (portalUrl: string) =>
    `Types: deb\nURIs: ${portalUrl}/packages\nSuites: stable\nComponents: main\nSigned-By: ${keyring}`,
  'roastery.list': (portalUrl: string) => `deb [signed-by=${keyring}] ${portalUrl}/packages stable main`,
} as const;

/** A board of this roastery with version 1.0.0, paired. */
const bootWithOld = async (
  serialNumber: string,
  source: keyof typeof sources = 'roastery.sources',
): Promise<FreshBoard> => {
  const board = await portal.boot(serialNumber.toLowerCase());
  try {
    const pool = join(await releases.make('1.0.0', 'ours', 0), 'pool', 'main');
    for (const name of readdirSync(pool, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.deb')))
      cpSync(join(pool, name), board.pathTo(`/root/${name.replaceAll('/', '-')}`));
    await board.must('apt-get install -y -q /root/*.deb');
    await board.must(`mkdir -p /etc/apt/keyrings && curl -fsS -o ${keyring} ${portal.stack.url}/packages/roastery.asc`);
    writeFileSync(board.pathTo(`/etc/apt/sources.list.d/${source}`), `${sources[source](portal.stack.url)}\n`);
    await board.must('echo TRIAL_SECONDS=6 >>/etc/roastery-agent/settings.env');
    await board.must(`device-agent pair ${await portal.register(serialNumber)} --api ${portal.stack.url}`);
    await board.must('systemctl restart roastery-agent');
    await portal.isLive(serialNumber, '1.0.0');
    return board;
  } catch (error) {
    await board.close();
    throw error;
  }
};

/** dpkg gets the first half of each package's files immediately, and the rest later: time for a power cut. */
const unpackSlowly = `mv /usr/bin/dpkg-deb /usr/bin/dpkg-deb.own
cat >/usr/bin/dpkg-deb <<'EOF'
#!/bin/sh
case "$*" in
*--fsys-tarfile*) dpkg-deb.own "$@" | { head -c 200000; sleep 30; cat; } ;;
*) exec dpkg-deb.own "$@" ;;
esac
EOF
chmod 755 /usr/bin/dpkg-deb`;

const orderOf = async (serialNumber: string) => (await portal.deviceOf(serialNumber))?.order ?? null;
const idOf = async (serialNumber: string): Promise<string> =>
  (await portal.deviceOf(serialNumber))?.machine_id ?? 'none';
const order = async (serialNumber: string): Promise<void> => {
  await until(`${serialNumber} to take orders`, async () => (await portal.deviceOf(serialNumber))?.takes_orders);
  await portal.admin.call(orderBoardUpdates, { body: { version, boards: [await idOf(serialNumber)] } });
};
const becomes = (serialNumber: string, ...states: string[]) =>
  until(
    `the order of ${serialNumber} to be ${states.join(' or ')}`,
    async () => {
      const now = await orderOf(serialNumber);
      if (now !== null && states.includes(now.state)) return now;
      throw new Error(JSON.stringify(now));
    },
    { timeoutMs: 180_000, everyMs: 300 },
  );
/** The state of an order with these packages. */
const outcome = async (board: FreshBoard, serialNumber: string, root: string, bend?: Bend): Promise<string> => {
  using server = await serveInstead(root, bend);
  board.lead(portal.stack.ports.http, server.port);
  await order(serialNumber);
  const { state, reason } = await becomes(serialNumber, 'done', 'failed', 'turned_back');
  board.lead(portal.stack.ports.http);
  const runs = (await portal.deviceOf(serialNumber))?.agent_version;
  return `${state}, runs ${runs}${reason === null ? '' : `: ${reason}`}`;
};

describe.skipIf(obstacle !== undefined)(`an update ordered in the portal (${obstacle ?? 'Debian, as it is'})`, () => {
  it.skipIf(isBounded)(
    `is refused by the board without a signature of its key, and fails with the reason if it is not available${onlyInFull}`,
    async () => {
      await using board = await bootWithOld('ORDERED');
      const tries = (root: string, bend?: Bend) => outcome(board, 'ORDERED', root, bend);
      const notSigned = 'failed, runs 1.0.0: the packages of the server are not signed with the key of this board';
      expect({
        missing: await tries(await releases.make('1.0.0', 'ours', 0)),
        unsigned: await tries(good, withoutSignature),
        foreign: await tries(await releases.make(version, 'stranger', 70)),
        torn: await tries(good, torn),
      }).toEqual({
        missing: 'failed, runs 1.0.0: the server has no version 2.0.0 for this board',
        unsigned: notSigned,
        foreign: notSigned,
        torn: expect.stringMatching(/^failed, runs 1\.0\.0: the packages could not be fetched: Failed to fetch/),
      });
      // A signed one that doesn't run, then a fixed one with the same number.
      const broken = await releases.make(version, 'ours', 75, "throw new Error('broken by its release');");
      expect(await tries(broken)).toMatch(/^turned_back, runs 1\.0\.0: it failed with exit code 1, 3 times/);
      expect((await portal.deviceOf('ORDERED'))?.warnings).toContain('update_turned_back');
      const repaired = await releases.make(version, 'ours', 80);
      // apt accepts a package from its cache by its size only.
      const cached = `roastery-agent_${version}_${architecture}.deb`;
      const { size } = statSync(join(repaired, 'pool', 'main', cached));
      await board.must(`truncate --size=${size} /var/cache/apt/archives/${cached}`);
      expect(await tries(repaired)).toBe('done, runs 2.0.0');
      await board.must('dpkg --audit');
    },
    600_000,
  );

  it('waits for the end of a roast, can be withdrawn until then, and continues after a power cut', async () => {
    await using board = await bootWithOld('ROASTING', 'roastery.list');
    const installed = () => board.must("dpkg-query --show --showformat='${Version}' roastery-agent");
    portal.shown.charge = true;
    await until('a roast', async () => /^ROAST=[\da-f]{8}-/m.test(await board.must('cat /run/roastery-agent/health')));
    await order('ROASTING');
    await becomes('ROASTING', 'waiting');
    await portal.admin.call(withdrawBoardUpdates, { body: { boards: [await idOf('ROASTING')] } });
    await until('the request to be gone', async () => (await board.run(`[ ! -e ${request} ]`)).code === 0);
    expect([await orderOf('ROASTING'), await installed()]).toEqual([null, '1.0.0']);

    await order('ROASTING');
    await becomes('ROASTING', 'waiting');
    expect(await installed()).toBe('1.0.0');
    await board.must(unpackSlowly);
    Object.assign(portal.shown, { charge: false, drop: true });
    // Half of it is on the disk: everything ends abruptly, and data in memory is lost.
    await board.must('until ls /usr/lib/roastery-agent/dist/*.dpkg-new; do sleep 0.02; done 2>/dev/null');
    await board.run('systemctl stop roastery-agent-order.path; systemctl kill --signal=KILL roastery-agent-order');
    await board.run('mv /usr/bin/dpkg-deb.own /usr/bin/dpkg-deb');
    await board.run(`systemctl kill --signal=KILL roastery-agent; systemctl stop roastery-agent; rm -rf ${request}`);
    expect(await board.must('dpkg --audit')).toMatch(/roastery-agent/);
    portal.shown.drop = false;
    await board.must('systemctl start roastery-agent');
    await becomes('ROASTING', 'done');
    await portal.isLive('ROASTING', version);
    expect(await board.must('dpkg --audit')).toBe('');
  }, 600_000);

  it.skipIf(isBounded)(
    `accepts only a version from the agent, and no older one${onlyInFull}`,
    async () => {
      await using board = await bootWithOld('HOSTILE');
      const id = '0198c0de-0000-7000-8000-0000000000aa';
      const asAgent = (command: string) =>
        board.must(`setpriv --reuid=roastery-agent --regid=roastery-agent --clear-groups sh -c '${command}'`);
      for (const command of [
        `printf "x" >${request}`,
        `printf "${id} 2.0.0; touch /srv/taken" >${request}`,
        `printf "${id} 2.0.0\nroastery-node-" >${request}`,
        `printf "${id} 2.0.0-" >${request}`,
        `printf "${id} -oDebug=1" >${request}`,
        `printf "${id} ../../srv/other.deb" >${request}`,
        `ln -s /etc/shadow ${request}`,
        `mkfifo ${request}`,
        `mkdir ${request}`,
      ]) {
        await asAgent(command);
        await until(
          `${command} to be removed`,
          async () => (await board.run(`[ ! -e ${request} ] && [ ! -L ${request} ]`)).code === 0,
          { timeoutMs: 60_000, everyMs: 200 },
        );
        expect((await board.run('ls /var/lib/roastery-agent-update/order /srv/taken')).code, command).not.toBe(0);
      }
      await asAgent(`printf "${id} 0.9.0" >${request}`);
      await until('an answer', async () =>
        /^STATE=failed$/m.test((await board.run('cat /var/lib/roastery-agent-update/order')).said),
      );
      expect(await board.must('cat /var/lib/roastery-agent-update/order')).toMatch(
        /version 1\.0\.0 is installed, which is newer/,
      );
      expect(await board.must("dpkg-query --show --showformat='${Version}' roastery-agent")).toBe('1.0.0');
    },
    300_000,
  );
});
