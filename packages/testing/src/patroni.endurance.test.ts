import { join } from 'node:path';
import { startStack } from '@roastery/stack/stack';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { readDelivered } from './endurance/delivered.ts';
import { hasPatroni, needsPatroni, startPatroni } from './patroni.ts';
import { registerTestMachine, signIn } from './roastery-client.ts';
import { startSendingBoard } from './sending-board.ts';
import { until } from './until.ts';

const patience = { timeoutMs: 120_000 };

describe.skipIf(!hasPatroni)('Patroni with the files of deploy', () => {
  it(`a server that is killed or hangs is replaced, and no acknowledged sample is lost or doubled${needsPatroni}`, async () => {
    await using cluster = await startPatroni();
    cluster.start('db-1');
    await until('the first server', () => cluster.isPrimary('db-1'), patience);
    cluster.start('db-2');
    await until('its synchronous standby', () => cluster.isSynchronous('db-2'), patience);
    const superuser = cluster.urlAs('postgres', 'postgres');
    await until('HAProxy', async () => {
      const sql = postgres(superuser, { max: 1, connect_timeout: 2 });
      try {
        await sql.unsafe(`CREATE ROLE roastery LOGIN PASSWORD '${new URL(superuser).password}'`);
        await sql.unsafe('CREATE DATABASE roastery OWNER roastery');
        return true;
      } finally {
        await sql.end();
      }
    });
    const url = cluster.urlAs('roastery', 'roastery');
    await using stack = await startStack({ dataDir: join(cluster.folder, 'stack'), databaseUrl: url });
    const machine = await registerTestMachine(await signIn(stack.url, stack.admin), 'PATRONI-1');
    await using board = await startSendingBoard(stack.mqttUrl, machine);
    const untilStored = async (): Promise<void> => {
      const before = board.acknowledged().length;
      await until('samples to be stored', () => board.acknowledged().length > before + 20, patience);
    };
    const lost = async (acknowledged: readonly string[]): Promise<string[]> => {
      const { samples } = await readDelivered(url);
      return acknowledged.filter((key) => !samples.has(key));
    };
    await untilStored();

    await cluster.kill('db-1');
    const beforeTheKill = board.acknowledged();
    await until('the standby to take over', () => cluster.isPrimary('db-2'), patience);
    await untilStored();
    expect(await lost(beforeTheKill)).toEqual([]);

    cluster.start('db-1');
    await until('the killed one as its synchronous standby', () => cluster.isSynchronous('db-1'), patience);
    await cluster.freeze('db-2');
    const beforeTheHang = board.acknowledged();
    await until('the standby to take over again', () => cluster.isPrimary('db-1'), patience);
    await untilStored();
    expect(await lost(beforeTheHang)).toEqual([]);

    await cluster.thaw('db-2');
    await until('the one that hung as the standby', () => cluster.isSynchronous('db-2'), patience);
    board.end();
    await until('everything to be acknowledged', () => board.isDelivered(), patience);
    const delivered = await readDelivered(url);
    expect([...delivered.samples.keys()].toSorted()).toEqual(board.samples().toSorted());
    expect(delivered.doubled).toBe(0);
  });
});
