import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cardNetworkConfig, cardUserData } from '@roastery/contract/card-settings';
import { whyNoSystemd } from '@roastery/testing/real-systemd';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareReleases } from '../testing/board-release.ts';
import type { FreshBoard } from '../testing/fresh-board.ts';
import { openPortalForBoards, type PortalForBoards } from '../testing/portal-for-boards.ts';
import type { NodeArchitecture } from './node-package.ts';
import { whyNoGpg } from './release-key.ts';

const here: Partial<Record<NodeJS.Architecture, NodeArchitecture>> = { x64: 'amd64', arm64: 'arm64' };
const architecture = here[process.arch];
/** Filled by `deploy/board/cloud-init-rehearsal.sh`. */
const cloudInit = process.env['ROASTERY_CLOUD_INIT'] ?? join(homedir(), '.cache', 'roastery-cloud-init');
const obstacle =
  whyNoSystemd ??
  whyNoGpg ??
  (architecture === undefined ? `no package for ${process.arch}` : undefined) ??
  (existsSync(cloudInit) ? undefined : 'run deploy/board/cloud-init-rehearsal.sh first');

const folder = mkdtempSync(join(tmpdir(), 'sealed-card-'));
let portal: PortalForBoards;
beforeAll(async () => {
  if (obstacle !== undefined || architecture === undefined) return;
  portal = await openPortalForBoards(await (await prepareReleases(folder, architecture)).make('1.0.0', 'ours', 0));
});
afterAll(async () => {
  if (obstacle === undefined) await portal.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Where cloud-init finds the content of a card's first partition; here there are no partitions. */
const card = '/var/lib/cloud/seed/nocloud';

/** A board whose image has cloud-init, with these files on its card. */
const bootWithCard = async (name: string, files: Record<string, string>): Promise<FreshBoard> => {
  const board = await portal.boot(name);
  mkdirSync(board.pathTo('/root/cloud-init'));
  for (const deb of readdirSync(cloudInit).filter((each) => each.endsWith('.deb')))
    copyFileSync(join(cloudInit, deb), board.pathTo(`/root/cloud-init/${deb}`));
  await board.must('dpkg --install /root/cloud-init/*.deb');
  mkdirSync(board.pathTo(card), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(board.pathTo(join(card, file)), text);
  writeFileSync(
    board.pathTo('/etc/cloud/cloud.cfg.d/99_card.cfg'),
    // This system may have no other locale.
    'datasource_list: [NoCloud]\nlocale: C.UTF-8\n',
  );
  return board;
};
const metaData = 'instance-id: rpios-image\n';
/** The stages of a first start. */
const startCloudInit = async (board: FreshBoard): Promise<void> => {
  const { code, said } = await board.run('systemctl start cloud-init-local cloud-init cloud-config cloud-final');
  if (code === 0) return;
  const log = await board.run(
    'cloud-init status --long; grep -E "WARN|ERROR|Traceback" -A12 /var/log/cloud-init.log; journalctl -u cloud-init -u cloud-config --no-pager -n 40',
  );
  throw new Error(`${said}\n${log.said}`);
};
const unitState = async (board: FreshBoard): Promise<string> =>
  (await board.run('systemctl show -p ActiveState,SubState,ExecMainStatus,NRestarts roastery-first-boot')).said;

describe.skipIf(obstacle !== undefined)(
  `a card with the portal’s settings (${obstacle ?? 'cloud-init as it is'})`,
  () => {
    it('card: the board installs and pairs itself at its first start, also when the network is available late', async () => {
      const ticket = await portal.register('CARD 1');
      const userData = cardUserData({ serialNumber: 'CARD 1', portalUrl: portal.stack.url, ticket });
      const wireless = { name: 'Roastery "5"', password: 'a b\\c', country: 'fi' };
      await using board = await bootWithCard('card', {
        'meta-data': metaData,
        'user-data': userData,
        'network-config': cardNetworkConfig(wireless),
      });
      expect(await board.must(`cloud-init schema --config-file ${card}/user-data`)).toMatch(/^Valid cloud-config/);
      board.cut(portal.stack.ports.http);
      await startCloudInit(board);
      expect(await board.must('hostname')).toBe('roaster-card-1');
      await until(
        'a first attempt without the network',
        async () => {
          const state = await unitState(board);
          if (/SubState=auto-restart/.test(state)) return true;
          throw new Error(
            `${state}\n${(await board.run('cloud-init status --long; tail -n 30 /var/log/cloud-init.log')).said}`,
          );
        },
        { timeoutMs: 60_000, everyMs: 300 },
      );
      board.lead(portal.stack.ports.http);
      await portal.isLive('CARD 1', '1.0.0');
      await until('the unit to have ended', async () => /ActiveState=inactive/.test(await unitState(board)), {
        timeoutMs: 30_000,
      });
      // The ticket is used up; only the file on the card still contains it.
      expect((await board.run('ls /usr/local/sbin/roastery-first-boot')).code).not.toBe(0);
      expect((await board.run('systemctl is-enabled roastery-first-boot')).said).toBe('disabled');
    }, 240_000);

    it('card: a refused ticket is not retried forever', async () => {
      const userData = cardUserData({
        serialNumber: 'CARD 2',
        portalUrl: portal.stack.url,
        ticket: 'PAIR-BCDF-GHJK-LMNP',
      });
      await using board = await bootWithCard('refused', { 'meta-data': metaData, 'user-data': userData });
      await startCloudInit(board);
      await until('the unit to give up', async () => /ActiveState=failed/.test(await unitState(board)), {
        timeoutMs: 90_000,
        everyMs: 300,
      });
      expect(await unitState(board)).toMatch(/ExecMainStatus=2/);
      const log = await board.must('journalctl -u roastery-first-boot --no-pager --output=cat');
      expect(log).toMatch(/The ticket was not accepted\..*\n.*The agent is installed and not paired/);
    }, 240_000);
  },
);
