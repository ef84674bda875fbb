import { allMachines, topicOf } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MqttLink } from '../broker/channel.ts';
import { openMqttLink } from '../broker/link.ts';
import { openDatabase, type Database } from '../db/sql.ts';
import { openMigratedDatabase, registerMachine, silentLog } from '../testing/ingest-fixture.ts';
import { startPlainBroker } from '../testing/whole-api.ts';
import { joinInstances } from './instances.ts';
import { followOwnedMachines } from './owned-machines.ts';

const register = async (sql: Database, from: number, to: number): Promise<string[]> => {
  const serials = Array.from({ length: to - from }, (_, n) => `OWNED-${from + n}`);
  for (const serial of serials) await registerMachine(sql, serial);
  return serials;
};

/** Each machine is received by one, and some by the second. */
const areDivided = (receivers: readonly number[][]): boolean =>
  receivers.every(({ length }) => length === 1) && receivers.some((at) => at.join() === '1');

describe('machines of an instance', () => {
  let broker: Awaited<ReturnType<typeof startPlainBroker>>;
  let boards: MqttLink;
  const link = (): MqttLink => openMqttLink({ url: broker.url, secret: 'none', log: silentLog });
  beforeAll(async () => {
    broker = await startPlainBroker();
    boards = link();
    await until('the boards', () => boards.isConnected);
  });
  afterAll(async () => {
    await boards.close();
    await broker.close();
  });

  /** An instance, and the journals that it receives. */
  const start = async (url: string) => {
    const sql = openDatabase({ url, log: silentLog });
    const mqtt = link();
    await until('the broker', () => mqtt.isConnected);
    const id = uuidV7();
    const instances = joinInstances({ sql, links: [mqtt], log: silentLog, id });
    const owned = followOwnedMachines({ sql, links: [mqtt], log: silentLog, instances });
    const received: string[] = [];
    owned.subscribe('journal', 0, (topic, payload) => void received.push(`${topic} ${payload.toString()}`));
    return {
      received,
      instances: instances.at(mqtt),
      leave: () => owned.leave(),
      async stop(): Promise<void> {
        await owned.leave();
        await owned.close();
        await mqtt.close();
        await sql.end();
      },
    };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  let round = 0;
  const send = async (serials: readonly string[]): Promise<string> => {
    const word = `round ${(round += 1)}`;
    for (const serial of serials) await boards.publish(topicOf(serial, 'journal'), word, { qos: 0 });
    return word;
  };
  /** Who received this message of each machine: the numbers of the instances. */
  const receiversOf = (word: string, serials: readonly string[], all: readonly Started[]): number[][] =>
    serials.map((serial) => {
      const message = `${topicOf(serial, 'journal')} ${word}`;
      return all.flatMap(({ received }, n) => received.filter((one) => one === message).map(() => n));
    });
  type IsDone = (receivers: readonly number[][]) => boolean;
  /** Sends messages of machines until those who receive them are the right ones. None is ever without a receiver. */
  const untilReceived = async (words: string, serials: readonly string[], all: readonly Started[], isDone: IsDone) => {
    await until(words, async () => {
      const word = await send(serials);
      const isHeld = (): boolean => receiversOf(word, serials, all).every(({ length }) => length > 0);
      await until(`a receiver of each machine: ${words}`, isHeld);
      return isDone(receiversOf(word, serials, all));
    });
  };
  /** … of new machines, whose first messages no one may receive: their boards would send them again. */
  const untilNewReceived = async (serials: readonly string[], all: readonly Started[], isDone: IsDone) => {
    const sent: string[] = [];
    await until('the new machines', async () => {
      sent.push(await send(serials));
      return sent.some((word) => isDone(receiversOf(word, serials, all)));
    });
  };

  it('come one by one from the broker once several share them, and none is left out while they change hands', async () => {
    await using database = await openMigratedDatabase();
    const serials = await register(database.sql, 0, 450);
    const one = await start(database.url);
    await until('the machines of one that is alone', () => broker.subscriptionsTo(allMachines('journal')) > 0);
    await untilReceived('all at the first', serials, [one], (got) => got.every((at) => at.join() === '0'));

    const two = await start(database.url);
    await untilReceived('each at one of two', serials, [one, two], areDivided);
    const share = serials.filter((serial) => two.instances.division?.owns(serial)).length;
    expect(share).toBeGreaterThan(150);
    expect(share).toBeLessThan(300);
    const late = await register(database.sql, 450, 470);
    await untilNewReceived(late, [one, two], (got) => got.every(({ length }) => length === 1));

    await two.leave();
    await untilReceived('all at the first again', [...serials, ...late], [one, two], (got) =>
      got.every((at) => at.includes(0)),
    );
    await two.stop();
    await untilReceived('each once', serials, [one], (got) => got.every((at) => at.join() === '0'));

    const registeredAlone = await register(database.sql, 470, 490);
    const three = await start(database.url);
    await untilNewReceived(registeredAlone, [one, three], areDivided);
    await three.stop();
    await one.stop();
  });
});
