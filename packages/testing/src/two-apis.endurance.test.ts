import { connect, createServer, type Socket } from 'node:net';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { serviceUserName } from '@roastery/contract/mqtt';
import { freePort } from '@roastery/stack/ports';
import type { ServersEnvironment } from '@roastery/stack/stack';
import type { SupervisedProcess } from '@roastery/stack/supervised-process';
import { describe, expect, it } from 'vitest';
import { readDelivered } from './endurance/delivered.ts';
import { volume } from './endurance/volume.ts';
import { startTaking } from './lot-taking.ts';
import { needsMosquitto, startMosquitto } from './mosquitto.ts';
import { openLiveStream, registerTestMachine, signIn, type RoasteryClient } from './roastery-client.ts';
import { askLogin, startSendingBoard } from './sending-board.ts';
import { killProgram, startProgram } from './start-program.ts';
import { startTestStack } from './test-stack.ts';
import { until, untilHttpOk } from './until.ts';

const patience = { timeoutMs: 90_000 };

/** Gives each connection to the next of these ports, or to the one after it where nothing listens. */
const startBalancer = async (port: number, targets: readonly number[]) => {
  const sockets = new Set<Socket>();
  let turn = 0;
  const join = (near: Socket, tries: number): void => {
    const far = connect(targets[(turn += 1) % targets.length] ?? 0, '127.0.0.1');
    const end = (): void => void [near, far].map((socket) => socket.destroy());
    far.once('connect', () => {
      near.pipe(far).pipe(near);
      near.once('close', end);
      far.once('close', end);
    });
    far.on('error', () => (far.connecting && tries > 0 ? join(near, tries - 1) : end()));
  };
  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => near.destroy());
    near.once('close', () => sockets.delete(near));
    join(near, targets.length);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

interface BrokerKind {
  /** How many of the apis store a journal message. */
  readonly receivers: 1 | 2;
  /** Of the apis. */
  readonly settings: Readonly<Record<string, string>>;
  start(environments: ServersEnvironment): Promise<{ close(): Promise<void> }>;
}
const ownBroker: BrokerKind = {
  receivers: 2,
  settings: {},
  start({ broker }) {
    const program = startProgram('broker', broker);
    return Promise.resolve({ close: () => program.stop(3000) });
  },
};
const dividedByOwn: BrokerKind = { ...ownBroker, receivers: 1, settings: { MQTT_SHARED_INGEST: 'true' } };
const mosquitto: BrokerKind = {
  receivers: 1,
  settings: { MQTT_SHARED_INGEST: 'true', MOSQUITTO_DYNAMIC_SECURITY: 'true' },
  start: ({ broker, api }) =>
    startMosquitto(Number(broker['MQTT_PORT']), { [serviceUserName]: api['BROKER_SECRET'] ?? '' }),
};

/** Two apis on one database and one broker, behind a balancer; people, boards and the broker use its address. */
const openTwoApis = async (kind: BrokerKind) => {
  const apis: { url: string; process: SupervisedProcess }[] = [];
  const servers = {
    async start(environments: ServersEnvironment) {
      const { api } = environments;
      const ports = [await freePort(), await freePort()];
      const balancer = await startBalancer(Number(api['PORT']), ports);
      const started = await kind.start(environments);
      for (const port of ports) {
        const process = startProgram('api', { ...api, ...kind.settings, PORT: String(port) });
        apis.push({ url: `http://127.0.0.1:${port}`, process });
      }
      return {
        close: async (): Promise<void> => {
          await Promise.all(apis.map(({ process }) => process.stop(3000)));
          await started.close();
          await balancer.close();
        },
      };
    },
  };
  const stack = await startTestStack({ servers });
  const [one, two] = apis;
  if (one === undefined || two === undefined) throw new Error('no apis');
  for (const { url } of apis) await untilHttpOk(`${url}/readyz`, patience);
  return { stack, one, two, [Symbol.asyncDispose]: () => stack.close() };
};

/** Signs in with a wrong password; the status of the answer. */
const guess = async (url: string, password: string): Promise<number> => {
  const body = JSON.stringify({ email: 'stranger@example.org', password });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body })).status;
};

/** Journal messages that an instance has received since its start. */
const receivedBy = async ({ url }: { url: string }): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^ingest_messages_total (\d+)$/m.exec(metrics)?.[1]);
};

/**
 * Whether the next messages of all boards came to no more apis than shall store them. Both receive a machine while it changes its
 * owner, so the first messages after a division may not show it.
 */
const doReceiveOnce = async (
  { one, two }: Awaited<ReturnType<typeof openTwoApis>>,
  { receivers }: BrokerKind,
  boards: readonly Awaited<ReturnType<typeof startSendingBoard>>[],
): Promise<boolean> => {
  const count = async () => {
    const sent = boards.reduce((sum, board) => sum + board.published(), 0);
    return { sent, received: (await receivedBy(one)) + (await receivedBy(two)) };
  };
  const before = await count();
  const acknowledged = boards.map((board) => board.acknowledged().length);
  const haveMore = (): boolean => boards.every((board, n) => board.acknowledged().length > (acknowledged[n] ?? 0) + 10);
  await until('the next messages', haveMore, patience);
  const after = await count();
  return after.received - before.received <= receivers * (after.sent - before.sent);
};

/** Boards of machines that are registered while both apis run: enough for both to store journals, two at least. */
const startBoards = async (
  { stack, one, two }: Awaited<ReturnType<typeof openTwoApis>>,
  clients: readonly [RoasteryClient, RoasteryClient],
) => {
  const boards: Awaited<ReturnType<typeof startSendingBoard>>[] = [];
  const add = async (client: RoasteryClient, serialNumber: string): Promise<RegisteredMachine> => {
    const machine = await registerTestMachine(client, serialNumber);
    boards.push(await startSendingBoard(stack.mqttUrl, machine, await askLogin(two.url, machine)));
    await until('acknowledgements', () => boards.every((board) => board.acknowledged().length > 20), patience);
    return machine;
  };
  const doBothStore = async (): Promise<boolean> => (await receivedBy(one)) > 0 && (await receivedBy(two)) > 0;
  const { id: machineId } = await add(clients[0], 'TWO-1');
  await add(clients[1], 'TWO-2');
  for (let n = 3; n < 40 && !(await doBothStore()); n++) await add(clients[n % 2 === 0 ? 1 : 0], `TWO-${n}`);
  expect(await doBothStore()).toBe(true);
  return {
    boards,
    add,
    machineId,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const board of boards) await board[Symbol.asyncDispose]();
    },
  };
};

const brokers = [
  { name: 'our broker', kind: ownBroker, missing: '' },
  { name: 'our broker, dividing the machines', kind: dividedByOwn, missing: '' },
  { name: 'Mosquitto, dividing the machines', kind: mosquitto, missing: needsMosquitto },
];
describe.each(brokers.slice(volume(0, 1)))('two apis behind $name', ({ kind, missing }) => {
  const title = 'killed in turn they lose and double nothing, and share sessions, limits, changes and the ledger';
  it.skipIf(missing !== '')(`${title}${missing}`, async () => {
    await using roastery = await openTwoApis(kind);
    const { stack, one, two } = roastery;
    const [atOne, atTwo] = [await signIn(one.url, stack.admin), await signIn(two.url, stack.admin)];
    await using started = await startBoards(roastery, [atOne, atTwo]);
    const { boards, machineId } = started;
    await until('each message at its receivers alone', () => doReceiveOnce(roastery, kind, boards), patience);

    // The session of one instance opens a stream at the other, which shows changes made at the first.
    const live = await openLiveStream(two.url, atOne.cookie, machineId);
    await until('samples in the stream', () => live.text.includes('event: samples'), patience);

    const guesses: number[] = [];
    for (let n = 0; n < 6; n++) guesses.push(await guess(n % 2 === 0 ? one.url : two.url, `guess ${n}`));
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await guess(one.url, 'guess')).toBe(429);

    await using taking = await startTaking([atOne, atTwo, atOne, atTwo]);
    for (const { process, url } of [one, two]) {
      const before = boards.map((board) => board.acknowledged().length);
      await killProgram(process, patience);
      await untilHttpOk(`${url}/readyz`, patience);
      const isHeard = (): boolean => boards.every((board, n) => board.acknowledged().length > (before[n] ?? 0));
      await until('acknowledgements', isHeard, patience);
    }
    const taken = await taking.stop();
    expect(taken).toMatchObject({ wrong: 0 });
    expect(taken.confirmed).toBeGreaterThan(0);

    const again = await openLiveStream(two.url, atOne.cookie, machineId);
    for (const board of boards) board.end();
    await until('everything to be acknowledged', () => boards.every((board) => board.isDelivered()), patience);
    const doesShowTheEnd = (): boolean => {
      if (again.hasEnded) throw new Error(`the stream has ended: ${again.text.slice(-1000)}`);
      return again.text.includes('"status":"completed"');
    };
    await until('the end of the roast in the stream', doesShowTheEnd, patience);
    const delivered = await readDelivered(stack.databaseUrl);
    expect([...delivered.samples.keys()].toSorted()).toEqual(boards.flatMap((board) => board.samples()).toSorted());
    expect(delivered.doubled).toBe(0);
    expect(new Set(boards.map(({ roastId }) => delivered.statusOf(roastId)))).toEqual(new Set(['completed']));
  });
});

describe('two apis that divide the machines', () => {
  const title = 'store the machines of one that was killed after some seconds, and those registered since';
  it.skipIf(needsMosquitto !== '')(`${title}${needsMosquitto}`, async () => {
    await using roastery = await openTwoApis(mosquitto);
    const { stack, one, two } = roastery;
    const atTwo = await signIn(two.url, stack.admin);
    await using started = await startBoards(roastery, [atTwo, atTwo]);
    const { boards } = started;
    one.process.kill('SIGKILL');
    const [begun, before] = [performance.now(), boards.map((board) => board.acknowledged().length)];
    // It is not restarted.
    await one.process.stop(0);
    const isHeard = (): boolean => boards.every((board, n) => board.acknowledged().length > (before[n] ?? 0) + 10);
    await until('acknowledgements of all boards', isHeard, patience);
    // Its row is up to four seconds old, and boards resend after two.
    expect(performance.now() - begun).toBeLessThan(12_000);

    await started.add(atTwo, 'TWO-LATE');
    for (const board of boards) board.end();
    await until('everything to be acknowledged', () => boards.every((board) => board.isDelivered()), patience);
    const delivered = await readDelivered(stack.databaseUrl);
    expect([...delivered.samples.keys()].toSorted()).toEqual(boards.flatMap((board) => board.samples()).toSorted());
    expect(delivered.doubled).toBe(0);
  });
});
