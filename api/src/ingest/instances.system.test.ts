import { uuidV7 } from '@roastery/runtime/uuid';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import type { Database } from '../db/sql.ts';
import { openMigratedDatabase, silentLog } from '../testing/ingest-fixture.ts';
import { type Instances, joinInstances } from './instances.ts';

const serials = Array.from({ length: 200 }, (_, n) => `RM30-${n}`);

/** An instance whose connection to the broker a test interrupts. */
const join = (sql: Database, id = uuidV7()) => {
  const connects = new Set<() => void>();
  const mqtt = {
    isConnected: true,
    onConnect(handler: () => void) {
      connects.add(handler);
      handler();
      return () => connects.delete(handler);
    },
  };
  const instances = joinInstances({ sql, mqtt, log: silentLog, id });
  return {
    instances,
    id,
    disconnect: (): void => void (mqtt.isConnected = false),
    connect(): void {
      mqtt.isConnected = true;
      for (const handler of connects) handler();
    },
  };
};

/** How many of these instances own a machine, as the distinct counts in ascending order. */
const ownersOf = (all: readonly Instances[]): number[] => {
  const counts = new Set(serials.map((serial) => all.filter((one) => one.division?.owns(serial)).length));
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
    const before = serials.filter((serial) => two.instances.division?.owns(serial));

    two.disconnect();
    await until('the end of the other', () => one.instances.count === 1);
    expect(serials.every((serial) => one.instances.division?.owns(serial))).toBe(true);

    two.connect();
    await until('both again', () => both.every(({ count }) => count === 2));
    expect(serials.filter((serial) => two.instances.division?.owns(serial))).toEqual(before);
    expect(ownersOf(both)).toEqual([1]);
    for (const instances of both) await instances.close();
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
