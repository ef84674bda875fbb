import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listRoasts } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import { launchBrowser, openPage } from '@roastery/testing/browser';
import { keepJournal } from '@roastery/testing/endurance/kept-journal';
import { compareWithStored, killAtRandom } from '@roastery/testing/endurance/killing';
import { volume } from '@roastery/testing/endurance/volume';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import postgres from 'postgres';
import { expect, it } from 'vitest';

/** `npm run bench -- endurance-kills` kills the agent 200 times. */
const kills = volume(40, 16);
const serial = 'KILL-15';

it(
  `stores every sample and mark of the journal exactly once through ${kills} kills of agent, broker, api and Postgres`,
  { timeout: 360_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'roastery-kills-'));
    const lines: string[] = [];
    const stack = await startStack({
      dataDir: join(folder, 'data'),
      onLine: (name, line) => lines.push(`${name}: ${line}`),
    });
    const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
    try {
      const client = await signIn(stack.url, stack.admin);
      const { auth_token: token } = await registerTestMachine(client, serial);
      const machine = await stack.startMachine({ serial, token, seed: 7, hz: 8 });
      const kept = await keepJournal(join(machine.journalDir, 'journal'), join(folder, 'kept'));
      const roast = await until(
        'a roast to begin',
        async () => (await client.call(listRoasts)).roasts.find(({ status }) => status === 'in_progress'),
        { timeoutMs: 90_000 },
      );

      await using browser = await launchBrowser();
      await using watched = await openPage(browser);
      const [name = '', value = ''] = client.cookie.split('=');
      await watched.page.context().addCookies([{ name, value, url: stack.url }]);
      await watched.page.goto(`${stack.url}/roasts/${roast.id}`);
      const figures = watched.page.getByTestId('live-figures');
      const isLive = async () => (await figures.getAttribute('data-state', { timeout: 2000 })) === 'live';
      await until('the live view to come alive', isLive, { timeoutMs: 60_000 });

      const done = await killAtRandom(stack, machine, kills);
      expect([...done.values()].reduce((sum, count) => sum + count)).toBe(kills);
      expect(done.size, 'every part was killed').toBe(4);

      await stack.untilReady();
      await until('the live view to recover by itself', isLive, { timeoutMs: 60_000 });

      const { samples, ...wrong } = await compareWithStored(sql, client, kept);
      expect(samples).toBeGreaterThan(volume(100, 50));
      expect(wrong).toEqual({ lost: [], doubled: [], invented: [], different: [], wrongMarks: [], splitRoasts: 0 });
    } catch (error) {
      throw new Error(`${String(error)}\nlast lines:\n${lines.slice(-60).join('\n')}`, { cause: error });
    } finally {
      await sql.end({ timeout: 1 });
      await stack.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
