import { uuidV7 } from '@roastery/runtime/uuid';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import type { Database } from '../db/sql.ts';
import { openMigratedDatabase, silentLog } from '../testing/ingest-fixture.ts';
import { type Instances, joinInstances } from './instances.ts';

const serials = Array.from({ length: 200 }, (_, n) => `RM30-${n}`);

const createLink = (broker: string) => {
  const connects = new Set<() => void>();
  return {
    broker,
    isConnected: true,
    onConnect(handler: () => void) {
      connects.add(handler);
      handler();
      return () => connects.delete(handler);
    },
    connect(): void {
      this.isConnected = true;
      for (const handler of connects) handler();
    },
  };
};

const usual = 'broker-1:1883';
/** An instance whose connections to brokers a test interrupts. */
const join = (sql: Database, brokers: readonly string[] = [usual]) => {
  const links = brokers.map(createLink);
  const linkTo = (broker: string) => links.filter((link) => link.broker === broker);
  return {
    instances: joinInstances({ sql, links, log: silentLog, id: uuidV7() }),
    disconnect(broker = usual): void {
      for (const link of linkTo(broker)) link.isConnected = false;
    },
    connect(broker = usual): void {
      for (const link of linkTo(broker)) link.connect();
    },
  };
};

const divisionOf = (instances: Instances, broker = usual) => instances.at({ broker }).division;

/** How many of these instances own a machine, as the distinct counts in ascending order. */
const ownersOf = (all: readonly Instances[], broker = usual): number[] => {
  const counts = new Set(serials.map((serial) => all.filter((one) => divisionOf(one, broker)?.owns(serial)).length));
  return [...counts].toSorted((a, b) => a - b);
};

describe('instances that divide the machines', () => {
  it('own each machine exactly once after others join or leave', async () => {
    await using database = await openMigratedDatabase();
    const [one, two] = [join(database.sql), join(database.sql)];
    await until('both', () => one.instances.count === 2 && two.instances.count === 2);
    expect(ownersOf([one.instances, two.instances])).toEqual([1]);

    const three = join(database.sql);
    const all = [one.instances, two.instances, three.instances];
    await until('the third', () => all.every(({ count }) => count === 3));
    expect(ownersOf(all)).toEqual([1]);

    await three.instances.close();
    // The others do not wait for its row to expire.
    expect(await database.sql`SELECT id FROM ingest_instances`).toHaveLength(2);
    await until('its leave', () => one.instances.count === 2 && two.instances.count === 2);
    expect(ownersOf([one.instances, two.instances])).toEqual([1]);
    for (const { instances } of [one, two]) await instances.close();
    expect(await database.sql`SELECT id FROM ingest_instances`).toEqual([]);
  });

  it('replace an instance that lost its broker, and return its machines when it reconnects', async () => {
    await using database = await openMigratedDatabase();
    const [one, two] = [join(database.sql), join(database.sql)];
    const both = [one.instances, two.instances];
    await until('both', () => both.every(({ count }) => count === 2));
    const before = serials.filter((serial) => divisionOf(two.instances)?.owns(serial));

    two.disconnect();
    await until('the end of the other', () => one.instances.count === 1);
    expect(serials.every((serial) => divisionOf(one.instances)?.owns(serial))).toBe(true);

    two.connect();
    await until('both again', () => both.every(({ count }) => count === 2));
    expect(serials.filter((serial) => divisionOf(two.instances)?.owns(serial))).toEqual(before);
    expect(ownersOf(both)).toEqual([1]);
    for (const instances of both) await instances.close();
  });

  it('that lose one of two brokers leave only its machines to the others, and own all of a broker that the others lost', async () => {
    await using database = await openMigratedDatabase();
    const other = 'broker-2:1883';
    const [one, two] = [join(database.sql, [usual, other]), join(database.sql, [usual, other])];
    const both = [one.instances, two.instances];
    await until('both', () => both.every(({ count }) => count === 2));
    expect([ownersOf(both), ownersOf(both, other)]).toEqual([[1], [1]]);
    expect(serials.every((serial) => [usual, other].every((at) => divisionOf(one.instances, at)?.owns(serial)))).toBe(
      false,
    );
    // The owner of a machine is the same at each broker that both are connected to.
    expect(divisionOf(one.instances)?.ids).toEqual(divisionOf(one.instances, other)?.ids);

    two.disconnect(other);
    await until('the lost broker', () => divisionOf(one.instances, other)?.ids.length === 1);
    expect(serials.every((serial) => divisionOf(one.instances, other)?.owns(serial))).toBe(true);
    expect(ownersOf(both)).toEqual([1]);
    expect(both.map((instances) => divisionOf(instances)?.ids.length)).toEqual([2, 2]);

    two.connect(other);
    await until('the broker that is back', () => both.every((one) => divisionOf(one, other)?.ids.length === 2));
    expect(ownersOf(both, other)).toEqual([1]);

    // A broker that died: those who divide its machines when it is back are the same.
    for (const each of [one, two]) each.disconnect(other);
    await until('both without it', async () => {
      const rows = await database.sql<{ brokers: string[] }[]>`SELECT brokers FROM ingest_instances`;
      return rows.length === 2 && rows.every(({ brokers }) => brokers.join() === usual);
    });
    expect(both.map((instances) => divisionOf(instances, other)?.ids.length)).toEqual([2, 2]);
    expect(ownersOf(both)).toEqual([1]);
    for (const instances of both) await instances.close();
  });

  it('that know one broker divide the machines of every broker with those that name several', async () => {
    await using database = await openMigratedDatabase();
    const { instances } = join(database.sql, [usual, 'broker-2:1883']);
    await database.sql`INSERT INTO ingest_instances (id, seen_at) VALUES ('earlier', now() + interval '1 minute')`;
    await until('the earlier one', () => instances.count === 2);
    expect(ownersOf([instances])).toEqual([0, 1]);
    await instances.close();
  });

  it('keep their machines while the database is unavailable', async () => {
    await using database = await openMigratedDatabase();
    const [one, two] = [join(database.sql), join(database.sql)];
    const both = [one.instances, two.instances];
    await until('both', () => both.every(({ count }) => count === 2));
    await database.sql`ALTER TABLE ingest_instances RENAME TO ingest_instances_away`;
    one.connect();
    two.connect();
    expect(ownersOf(both)).toEqual([1]);
    await database.sql`ALTER TABLE ingest_instances_away RENAME TO ingest_instances`;
    for (const instances of both) await instances.close();
  });
});
