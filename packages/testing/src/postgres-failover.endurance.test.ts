import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logout } from '@roastery/contract/auth';
import { startStack } from '@roastery/stack/stack';
import { describe, expect, it } from 'vitest';
import { differences, readDelivered } from './endurance/delivered.ts';
import { startPostgresPair } from './postgres-pair.ts';
import { openLiveStream, registerTestMachine, signIn } from './roastery-client.ts';
import { startSendingBoard } from './sending-board.ts';
import { until } from './until.ts';

/** Writes stop for less than this after a promotion. */
const maxStopMs = 30_000;
const patience = { timeoutMs: 90_000 };

/** A whole roastery on these servers, with the api's log lines. */
const openRoastery = async (databaseUrl: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-failover-'));
  const lines: string[] = [];
  const onLine = (name: string, line: string): void => void (name === 'api' && lines.push(line));
  const stack = await startStack({ dataDir: folder, databaseUrl, onLine });
  return {
    stack,
    client: await signIn(stack.url, stack.admin),
    hasLogged: (words: string): boolean => lines.some((line) => line.includes(words)),
    isReady: async (): Promise<boolean> => (await fetch(`${stack.url}/readyz`)).ok,
    async [Symbol.asyncDispose](): Promise<void> {
      await stack.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const stored = async (url: string): Promise<number> => (await readDelivered(url)).samples.size;

describe('failover to a standby', { concurrent: true }, () => {
  it('synchronous: a killed primary loses no acknowledged sample and stores none twice', async () => {
    await using pair = await startPostgresPair({ isSynchronous: true });
    await using roastery = await openRoastery(pair.url);
    const { stack, client } = roastery;
    const machines = [await registerTestMachine(client, 'PAIR-1'), await registerTestMachine(client, 'PAIR-2')];
    const [one, two] = machines.map((machine) => startSendingBoard(stack.mqttUrl, machine));
    if (one === undefined || two === undefined) throw new Error('no boards');
    await using first = await one;
    await using second = await two;
    const boards = [first, second];
    await until('acknowledgements', () => boards.every((board) => board.acknowledged().length > 20), patience);
    const live = await openLiveStream(stack.url, client.cookie, machines[0]?.id ?? '');

    // No commit is confirmed any more. Postgres reports success for a commit that stopped waiting; the api must not.
    await pair.cutReplication();
    await until('a commit without a confirmation', () => roastery.hasLogged('did not confirm a commit'), patience);
    await pair.primary.kill();
    await until('the api not to be ready', async () => !(await roastery.isReady()), patience);
    const acknowledged = boards.flatMap((board) => board.acknowledged());
    const { samples: kept } = await readDelivered(pair.standby.url);
    expect(acknowledged.filter((key) => !kept.has(key))).toEqual([]);

    const before = boards.map((board) => board.acknowledged().length);
    await pair.promote();
    const promoted = performance.now();
    const isStoring = (): boolean => boards.every((board, n) => board.acknowledged().length > (before[n] ?? 0));
    await until('samples to be stored again', isStoring, patience);
    expect(performance.now() - promoted).toBeLessThan(maxStopMs);
    await until('the api to be ready', roastery.isReady, patience);

    for (const board of boards) board.end();
    await until('everything to be acknowledged', () => boards.every((board) => board.isDelivered()), patience);
    const delivered = await readDelivered(pair.standby.url);
    expect([...delivered.samples.keys()].toSorted()).toEqual(boards.flatMap((board) => board.samples()).toSorted());
    expect(delivered.doubled).toBe(0);
    expect(boards.map(({ roastId }) => delivered.statusOf(roastId))).toEqual(['completed', 'completed']);

    // Notifications come from the new primary.
    expect(live.hasEnded).toBe(false);
    await client.call(logout);
    await until('the session’s stream to end', () => live.hasEnded);
  });

  it('asynchronous: a frozen primary delays no board, boards resend missing data, its return changes nothing', async () => {
    await using pair = await startPostgresPair({ isSynchronous: false });
    await using roastery = await openRoastery(pair.url);
    const { stack, client } = roastery;
    const { auth_token: token, serial_number: serial } = await registerTestMachine(client, 'PAIR-3');
    await stack.startMachine({ serial, token, hz: 10, start: 'roasting' });
    await until('samples on the standby', async () => (await stored(pair.standby.url)) > 30, patience);
    await pair.cutReplication();
    const lagging = await stored(pair.standby.url);
    await until(
      'samples that the standby lacks',
      async () => (await stored(pair.primary.url)) > lagging + 50,
      patience,
    );
    const lost = await readDelivered(pair.primary.url);

    await pair.primary.freeze();
    await until('the api not to be ready', async () => !(await roastery.isReady()), patience);
    await pair.promote();
    const promoted = performance.now();
    await until('samples to be stored again', async () => (await stored(pair.standby.url)) > lagging, patience);
    expect(performance.now() - promoted).toBeLessThan(maxStopMs);
    await until('the api to be ready', roastery.isReady, patience);
    await until(
      'the samples that the standby lacked',
      async () => differences(lost, await readDelivered(pair.standby.url)).samples === 0,
      patience,
    );

    await pair.primary.thaw();
    await until('the former primary to be noticed', () => roastery.hasLogged('former database primary'), patience);
    const sessions = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'roastery-api'`;
    await until('no session of the api on it', async () => (await pair.primary.run(sessions)).length === 0);
    const now = await readDelivered(pair.standby.url);
    expect(now.doubled).toBe(0);
    await until('further samples', async () => (await stored(pair.standby.url)) > now.samples.size, patience);
    expect(await roastery.isReady()).toBe(true);

    // Not even when it is the only one left.
    const former = await stored(pair.primary.url);
    await pair.standby.kill();
    await until('the api to say so', () => roastery.hasLogged(`:${pair.primary.port}: former primary`), patience);
    await until('the api not to be ready', async () => !(await roastery.isReady()), patience);
    expect(await pair.primary.run(sessions)).toEqual([]);
    expect(await stored(pair.primary.url)).toBe(former);
  });
});
