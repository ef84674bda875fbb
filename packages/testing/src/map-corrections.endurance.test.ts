import { dismissMapUpdate, exchangeChannels, getChannelCheck } from '@roastery/contract/channel-check';
import { getBoardConfig, getMachineMap, setBoardConfig } from '@roastery/contract/machine-maps';
import { getMachine } from '@roastery/contract/machines';
import { listRoasts } from '@roastery/contract/roasts';
import { listAudit } from '@roastery/contract/users';
import { expect, it } from 'vitest';
import { isBounded, onlyInFull } from './endurance/volume.ts';
import { registerTestMachine, signIn } from './roastery-client.ts';
import { hurriedClock } from './shared-data.ts';
import { startTestStack } from './test-stack.ts';
import { until } from './until.ts';

const serial = 'FIELD-1';
const mapId = 'loring-auto';
/** Seconds of machine and board per second of the clock. */
const hurry = 10;

const apart = (one: number, other: number): number => Math.abs(one - other);

it.skipIf(isBounded)(
  `a corrected map: reaches a board after its roast, is reported once, and is exchanged with one request${onlyInFull}`,
  async () => {
    await using stack = await startTestStack();
    const client = await signIn(stack.url, stack.admin);
    const { id, auth_token: token } = await registerTestMachine(client, serial);
    const params = { id };
    const { map } = await client.call(getMachineMap, { params: { id: mapId }, query: { rev: 1 } });
    // The machine of this test is wired as revision 1 has it, so that its roast is detected before the update.
    const machine = await stack.startMachine({
      serial,
      token,
      map: { ...map, id: 'on-board' },
      timeFactor: hurry,
      isAutomatic: false,
      agentNodeOptions: hurriedClock(hurry),
    });
    const config = () => client.call(getBoardConfig, { params });
    const becomes = (state: string, rev: number, timeoutMs: number) =>
      until(
        `revision ${rev} to be ${state}`,
        async () => {
          const { state: found, map: chosen, running_map: running, reason } = await config();
          if (found === state && chosen?.rev === rev) return { running, reason };
          throw new Error(`revision ${chosen?.rev} is ${found}: ${reason}`);
        },
        { timeoutMs },
      );
    const check = () => client.call(getChannelCheck, { params });
    const update = async () => (await client.call(getMachine, { params })).map_update;

    const address = { host: '127.0.0.1', port: machine.modbusPort };
    await client.call(setBoardConfig, { params, body: { map_id: mapId, map_rev: 1, ...address } });
    await becomes('running', 1, 60_000);
    machine.order({ do: 'charge' });
    await until(
      'the roast to begin',
      async () => (await client.call(listRoasts)).roasts.some(({ status }) => status === 'in_progress'),
      { timeoutMs: 60_000 },
    );

    // The update of the server.
    await stack.part('api').restart();
    await stack.untilReady();
    const waiting = await becomes('waiting', 2, 30_000);
    expect(waiting).toMatchObject({ running: { id: mapId, rev: 1 } });
    await until('the reason', async () => (await config()).reason === 'a roast is running');
    await until(
      'hot beans',
      async () => (await client.call(listRoasts)).roasts.some(({ duration_seconds: s }) => (s ?? 0) > 420),
      { timeoutMs: 120_000 },
    );
    machine.order({ do: 'drop' });
    await until(
      'the end of the roast',
      async () => (await client.call(listRoasts)).roasts.every(({ status }) => status !== 'in_progress'),
      { timeoutMs: 120_000 },
    );
    // Its temperatures nearly stand still from here on: they would meet while the machine cools.
    machine.order({ timeFactor: 0.01 });
    await becomes('running', 2, 120_000);
    expect((await config()).running_map).toEqual({ id: mapId, rev: 2 });
    expect(await update()).toMatchObject({ from_rev: 1, to_rev: 2, exchanged: true, state: 'running' });
    await client.call(dismissMapUpdate, { params });

    await stack.part('api').restart();
    await stack.untilReady();
    expect(await update()).toBeNull();
    const { entries } = await client.call(listAudit, { query: { action: 'machine.map_updated' } });
    expect(entries).toHaveLength(1);

    // For this machine revision 2 is the wrong one.
    let earlier = { at: '', bean: Number.NaN };
    /** Values that have not changed since the reading before them. */
    const present = async () => {
      const { bean, exhaust, map: shown, read_at: at } = await check();
      if (bean === null || exhaust === null || bean.value === null || exhaust.value === null || at === null)
        return undefined;
      if (at === earlier.at) return undefined;
      const isStill = Math.abs(bean.value - earlier.bean) < 0.5;
      earlier = { at, bean: bean.value };
      return isStill ? { shown, bean: bean.value, exhaust: exhaust.value, places: [bean.at, exhaust.at] } : undefined;
    };
    const before = await until('values that stand still', present, { timeoutMs: 90_000 });
    const copy = await client.call(exchangeChannels, { params, body: { map_id: mapId, map_rev: 2 } });
    await becomes('running', 1, 60_000);
    const after = await until('the values by the own map', present, { timeoutMs: 90_000 });
    expect(after.places).toEqual(before.places.toReversed());
    expect(after.shown).toMatchObject({ id: copy.map?.id, rev: 1, source: 'copy' });
    expect(apart(before.bean, before.exhaust)).toBeGreaterThan(4);
    expect(apart(after.bean, before.exhaust)).toBeLessThan(apart(after.bean, before.bean) / 2);
    expect(apart(after.exhaust, before.bean)).toBeLessThan(apart(after.exhaust, before.exhaust) / 2);
    await machine.stop();
  },
  400_000,
);
