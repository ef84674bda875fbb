import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getBoardConfig, setBoardConfig } from '@roastery/contract/machine-maps';
import { isBounded } from '@roastery/testing/endurance/volume';
import { whyNoSystemd } from '@roastery/testing/real-systemd';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareReleases } from '../testing/board-release.ts';
import { hurryAgent, type FreshBoard } from '../testing/fresh-board.ts';
import { openPortalForBoards, type PortalForBoards } from '../testing/portal-for-boards.ts';
import type { NodeArchitecture } from './node-package.ts';
import { whyNoGpg } from './release-key.ts';

const here: Partial<Record<NodeJS.Architecture, NodeArchitecture>> = { x64: 'amd64', arm64: 'arm64' };
const architecture = here[process.arch];
const obstacle =
  whyNoSystemd ??
  whyNoGpg ??
  (architecture === undefined ? `no package for ${process.arch}` : undefined) ??
  (isBounded ? 'only in npm run endurance' : undefined);
const serial = 'TIME';
const request = '/run/roastery-agent/time-request';
const setting = '/etc/systemd/timesyncd.conf.d/50-roastery-agent.conf';
const result = '/var/lib/roastery-agent-update/time-servers';

/**
 * Replaces systemd-timesyncd, which would set this computer's clock. It handles the settings and reports an answer of
 * a server in the same way. Only names that begin with `time` answer.
 */
const timesyncd = `[Service]
Type=simple
RuntimeDirectory=systemd/timesync
ExecStart=/bin/sh -c 'grep -hs "^NTP=time" /etc/systemd/timesyncd.conf.d/*.conf && touch /run/systemd/timesync/synchronized; exec sleep infinity'
`;

const folder = mkdtempSync(join(tmpdir(), 'time-servers-'));
let portal: PortalForBoards;
let board: FreshBoard;
let id: string;
beforeAll(async () => {
  if (obstacle !== undefined || architecture === undefined) return;
  const releases = await prepareReleases(folder, architecture);
  portal = await openPortalForBoards(await releases.make('1.0.0', 'ours', 0));
  board = await portal.boot('time');
  await board.must('rm /etc/systemd/system/systemd-timesyncd.service');
  writeFileSync(board.pathTo('/etc/systemd/system/systemd-timesyncd.service'), timesyncd);
  await board.must('systemctl daemon-reload && systemctl start systemd-timesyncd');
  // The two minutes of a trial in a quarter of the time.
  await board.must(hurryAgent(4));
  const ticket = await portal.register(serial);
  await board.must(`curl -fsS ${portal.stack.url}/packages/install.sh | sh -s -- ${ticket}`);
  await portal.isLive(serial, '1.0.0');
  id = (await portal.deviceOf(serial))?.machine_id ?? '';
}, 240_000);
afterAll(async () => {
  if (obstacle === undefined) {
    await board.close();
    await portal.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

const set = async (servers: string[] | null): Promise<void> => {
  const { map, settings } = await portal.admin.call(getBoardConfig, { params: { id } });
  const body = { map_id: map?.id ?? null, ...settings, time_servers: servers };
  await portal.admin.call(setBoardConfig, { params: { id }, body });
};
const becomes = (state: string) =>
  until(
    `the settings to be ${state}`,
    async () => {
      const config = await portal.admin.call(getBoardConfig, { params: { id } });
      if (config.state === state) return config;
      throw new Error(`${config.state} ${config.reason} ${(await board.run('journalctl -n 20 --no-pager')).said}`);
    },
    { timeoutMs: 240_000, everyMs: 300 },
  );
const setHere = async () => (await board.run(`grep ^NTP= ${setting}`)).said;

describe.skipIf(obstacle !== undefined)(`time servers of a board (${obstacle ?? 'Debian, as it is'})`, () => {
  it('are set from the portal, kept when one answers, and reverted when none does', async () => {
    await set(['time.example.org', '192.168.1.1']);
    await becomes('running');
    expect(await setHere()).toBe('NTP=time.example.org 192.168.1.1');

    await set(['silent.example.org']);
    await until('the other server', async () => (await setHere()) === 'NTP=silent.example.org', { timeoutMs: 60_000 });
    expect((await becomes('reverted')).reason).toBe('no time server answered');
    await until('the first servers', async () => (await setHere()) === 'NTP=time.example.org 192.168.1.1', {
      timeoutMs: 60_000,
    });

    await set(null);
    await becomes('running');
    await until('the setting to be gone', async () => (await board.run(`[ ! -e ${setting} ]`)).code === 0, {
      timeoutMs: 60_000,
    });
  }, 600_000);

  it('are refused with the reason where another program keeps the clock', async () => {
    await board.must('systemctl stop systemd-timesyncd');
    await set(['time.example.org']);
    expect((await becomes('reverted')).reason).toMatch(/^systemd-timesyncd is not running on this board/);
    await board.must('systemctl start systemd-timesyncd');
    await set(null);
    await becomes('running');
  }, 300_000);

  it('the root part accepts only names and addresses from the agent, and leaves nothing after a purge', async () => {
    const asAgent = (command: string) =>
      board.must(`setpriv --reuid=roastery-agent --regid=roastery-agent --clear-groups sh -c '${command}'`);
    const before = (await board.run(`cat ${result}`)).said;
    for (const command of [
      `printf "x" >${request}`,
      `printf "NTP" >${request}`,
      `printf "NTP=time.example.org\\n[Service]\\nExecStart=/bin/sh" >${request}`,
      `printf "NTP=time.example.org\\nFallbackNTP=a" >${request}`,
      `printf "NTP=a;b" >${request}`,
      `printf "NTP=\\$(touch /srv/taken)" >${request}`,
      `printf "NTP=*" >${request}`,
      `printf "NTP=../a" >${request}`,
      `printf "NTP=-a" >${request}`,
      `printf "NTP=a-" >${request}`,
      `printf "NTP= a" >${request}`,
      `printf "NTP=a  b" >${request}`,
      `printf "NTP=a b c d e" >${request}`,
      `printf "NTP=%254s" | tr " " a >${request}`,
      `printf "NTP=a=b" >${request}`,
      `ln -s /etc/shadow ${request}`,
      `mkfifo ${request}`,
      `mkdir ${request}`,
    ]) {
      await asAgent(command);
      await until(
        `${command} to be removed`,
        async () => (await board.run(`[ ! -e ${request} ] && [ ! -L ${request} ]`)).code === 0,
        { timeoutMs: 60_000, everyMs: 100 },
      );
      await until('the root part to end', async () =>
        /inactive/.test((await board.run('systemctl is-active roastery-agent-time')).said),
      );
      expect((await board.run(`ls ${setting} /srv/taken`)).code, command).not.toBe(0);
      expect((await board.run(`cat ${result}`)).said, command).toBe(before);
    }
    await set(['time.example.org']);
    await becomes('running');
    await board.must('apt-get purge -y -q roastery-agent roastery-node');
    expect((await board.run(`ls ${setting} /etc/systemd/timesyncd.conf.d`)).code).not.toBe(0);
  }, 300_000);
});
