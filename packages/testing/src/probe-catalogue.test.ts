import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { machineMapShape, parseAddress, type MachineMap } from '@roastery/contract/machine-map';
import { placeKey, rankTemperatures } from '@roastery/contract/decodings';
import type { ProbeBlock } from '@roastery/contract/probe';
import { createProbeSeries } from '@roastery/contract/probe-series';
import { createBus } from '@roastery/device-agent/machine/bus';
import { scanRegisters, watchRegisters } from '@roastery/device-agent/probe/scan-registers';
import { spansOf } from '@roastery/device-agent/probe/spans';
import { startSimulator } from '@roastery/simulator/simulator';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from './shared-data.ts';

/** Machines of the catalogue, probed without their map while they roast. */
const folder = path.join(repositoryRoot(), 'api', 'catalogue', 'maps');
const names = (await readdir(folder)).toSorted();
const all = await Promise.all(
  names.map(async (name) => machineMapShape.parse(JSON.parse(await readFile(path.join(folder, name), 'utf8')))),
);
/** Every n-th machine of the catalogue: probing one takes some 500 requests. */
const step = 15;
const maps = all.filter((_, index) => index % step === 0);

interface Ranks {
  readonly id: string;
  /** Position of the correctly decoded beans' register among the candidates, from 1; 0 where it is none. */
  readonly alone: number;
  readonly withDisplay: number;
}

const lookAt = async (written: MachineMap, holes: 'zero' | 'refuse'): Promise<Ranks> => {
  const map: MachineMap = { ...written, link: { kind: 'tcp', host: '127.0.0.1', port: 502 } };
  await using simulator = await startSimulator({
    map,
    port: 0,
    holes,
    timeFactor: 4,
    model: { start: 'roasting' },
  });
  const bus = createBus(
    { kind: 'tcp', host: '127.0.0.1', port: simulator.port ?? 0 },
    { timeoutMs: 3000, quietMs: 0, gapMs: 0 },
  );
  try {
    const units = [...new Set(Object.values(map.channels).map(({ at }) => parseAddress(at, map.unit).unit))];
    const blocks: ProbeBlock[] = [];
    const parts = { bus, signal: new AbortController().signal, perSecond: 5000 };
    const wish = {
      units: units.slice(0, 4),
      tables: ['holding', 'input'] as const,
      from: 0,
      count: 128,
      usual_places: true,
    };
    await scanRegisters(
      parts,
      { ...wish, tables: [...wish.tables] },
      { found: (block) => blocks.push(block), progress: () => undefined },
    );
    const series = createProbeSeries();
    const stop = new AbortController();
    let rounds = 0;
    await watchRegisters({ ...parts, signal: stop.signal }, blocks, 150, (round) => {
      rounds += 1;
      series.take(round, rounds);
      if (rounds === 6) stop.abort();
    });
    const shown = simulator.state().values['bean_temp'] ?? Number.NaN;
    const beans = placeKey(parseAddress(map.channels['bean_temp']?.at ?? '', map.unit));
    const rank = (options: { shown?: number }): number =>
      1 +
      rankTemperatures(series.places(), options).findIndex(
        ({ place, readings: [best] }) => placeKey(place) === beans && Math.abs((best.values.at(-1) ?? 0) - shown) < 4,
      );
    return { id: map.id, alone: rank({}), withDisplay: rank({ shown }) };
  } finally {
    bus.close();
  }
};

describe('the probe with machines of the catalogue', () => {
  it('reads the registers of both temperatures of every machine, unless told where to look', () => {
    const missed = all.flatMap((map) =>
      [map.channels['bean_temp'], map.channels['exhaust_temp']].flatMap((channel) => {
        if (channel === undefined) return [];
        const { unit, table, address } = parseAddress(channel.at, map.unit);
        const last = address + (channel.as === 'f32' || channel.as === 'i32' ? 1 : 0);
        const spans = spansOf({ units: [unit], tables: ['holding', 'input'], from: 0, count: 128, usual_places: true });
        return spans.some((span) => span.table === table && span.start <= address && last < span.start + span.count)
          ? []
          : [`${map.id} ${channel.at}`];
      }),
    );
    expect(missed).toEqual([]);
  });

  it('ranks the beans among its first three, higher with the value on the display', async () => {
    const ranks = await Promise.all(maps.map((map, index) => lookAt(map, index % 2 === 0 ? 'zero' : 'refuse')));
    const among = (choose: (ranks: Ranks) => number): Ranks[] =>
      ranks.filter((one) => choose(one) >= 1 && choose(one) <= 3);
    const sent = among(({ withDisplay }) => withDisplay);
    const alone = among(({ alone: rank }) => rank);
    const missed = ranks.filter((one) => !sent.includes(one)).map(({ id }) => id);
    console.log(
      `${ranks.length} machines: ${alone.length} unaided, ${sent.length} with the display; missed ${missed.join(', ')}`,
    );
    expect(sent.length / ranks.length).toBeGreaterThan(0.9);
    expect(alone.length / ranks.length).toBeGreaterThan(0.7);
  });
});
