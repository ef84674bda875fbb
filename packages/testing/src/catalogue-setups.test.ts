import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { exchangedRevs, readCatalogueRevision } from '@roastery/api/domains/machine-maps/catalogue';
import { machineMapShape, parseAddress, type Channel, type MachineMap } from '@roastery/contract/machine-map';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { setupsOfMaps } from './catalogue-setups.ts';
import { repositoryRoot, sharedData } from './shared-data.ts';

/**
 * Bean and exhaust temperature of every map that was taken from a machine setup, against the setup itself. Artisan
 * shows input 1 as the bean temperature and input 2 as the exhaust temperature; `swapETBT` exchanges them.
 */
const data = sharedData();
/** Why tests on the setups don't run here; empty when they do. */
const skipped = data.title('');
const folder = path.join(repositoryRoot(), 'api', 'catalogue', 'maps');
const maps = await Promise.all(
  (await readdir(folder)).map(async (name) =>
    machineMapShape.parse(JSON.parse(await readFile(path.join(folder, name), 'utf8'))),
  ),
);
const taken = maps.filter(({ source }) => source === 'Artisan machine setup');

const inputShape = z.object({
  input: z.number(),
  unit_id: z.number(),
  register: z.number(),
  function: z.number(),
  type: z.enum(['uint16', 'int16', 'int32', 'float32', 'bcd16', 'bcd32']),
  divisor: z.number(),
  unit: z.string().nullable(),
});
type Input = z.infer<typeof inputShape>;
const setupShape = z.object({
  file: z.string(),
  connection: z.object({ word_order: z.enum(['little', 'big']) }),
  bt_et_swapped_in_display: z.boolean().nullable(),
  channels: z.array(inputShape),
});
type Setup = z.infer<typeof setupShape>;

const setups: ReadonlyMap<string, Setup> = data.present
  ? new Map(
      z
        .object({ machines: z.array(setupShape) })
        .parse(JSON.parse(await readFile(data.path('modbus-machines.json'), 'utf8')))
        .machines.map((setup) => [setup.file, setup]),
    )
  : new Map();

/** Setups whose exhaust temperature is not input 2. */
const exhaustInputs: Readonly<Record<string, number | undefined>> = {
  // Its formula for ET is Y3: the first curve of the extra devices, which is input 3.
  'santoker-1xpxr': 3,
  // Both inputs read one register.
  'pratter-plc': undefined,
};

interface Temperatures {
  readonly bean_temp: Input | undefined;
  readonly exhaust_temp: Input | undefined;
}

const temperaturesOf = (id: string, setup: Setup): Temperatures => {
  const input = (number: number | undefined) => setup.channels.find((one) => one.input === number);
  const [bean, exhaust] = [input(1), input(id in exhaustInputs ? exhaustInputs[id] : 2)];
  return setup.bt_et_swapped_in_display === true
    ? { bean_temp: exhaust, exhaust_temp: bean }
    : { bean_temp: bean, exhaust_temp: exhaust };
};

const tables = { 1: 'coil', 2: 'discrete', 3: 'holding', 4: 'input' } as Readonly<Record<number, string>>;
const encodings = { uint16: 'u16', int16: 'i16', int32: 'i32', float32: 'f32', bcd16: 'bcd16', bcd32: 'bcd32' };

const asInSetup = (input: Input | undefined, { connection }: Setup) =>
  input && {
    unit: input.unit_id,
    table: tables[input.function],
    address: input.register,
    as: encodings[input.type],
    divisor: input.divisor,
    offset: 0,
    shows: input.unit,
    ...(input.type.endsWith('32') ? { order: connection.word_order === 'big' ? 'ABCD' : 'CDAB' } : {}),
  };

const asInMap = (channel: Channel | undefined, map: MachineMap) => {
  if (channel === undefined) return undefined;
  const { unit, table, address } = parseAddress(channel.at, map.unit);
  return {
    unit,
    table,
    address,
    as: channel.as,
    divisor: Math.round(1 / channel.scale),
    offset: channel.offset,
    shows: channel.unit.replace('°', ''),
    ...(channel.as.endsWith('32') ? { order: channel.order ?? map.order } : {}),
  };
};

const setupOf = (id: string): Setup => {
  const setup = setups.get(setupsOfMaps[id] ?? '');
  if (setup === undefined) throw new Error(`no setup for ${id}`);
  return setup;
};

const placesInSetup = (id: string, { bean_temp: bean, exhaust_temp: exhaust }: Temperatures) => {
  const setup = setupOf(id);
  return { id, bean: asInSetup(bean, setup), exhaust: asInSetup(exhaust, setup) };
};

const placesInMap = (map: MachineMap) => ({
  id: map.id,
  bean: asInMap(map.channels['bean_temp'], map),
  exhaust: asInMap(map.channels['exhaust_temp'], map),
});

const withoutRoles = ({ rev: _rev, channels, ...rest }: MachineMap) => {
  const { bean_temp: _bean, exhaust_temp: _exhaust, ...others } = channels;
  return { ...rest, channels: others };
};

describe('the catalogue against the machine setups', () => {
  it('has a setup of its own for every map taken from one', () => {
    expect(Object.keys(setupsOfMaps).toSorted()).toEqual(taken.map(({ id }) => id).toSorted());
    expect(new Set(Object.values(setupsOfMaps)).size).toBe(taken.length);
  });

  it.skipIf(!data.present)(`has input 1 as the bean and input 2 as the exhaust temperature${skipped}`, () => {
    for (const map of taken) {
      expect(placesInMap(map)).toEqual(placesInSetup(map.id, temperaturesOf(map.id, setupOf(map.id))));
    }
  });

  it.skipIf(!data.present)(`has them exchanged in the revisions that it says${skipped}`, async () => {
    let exchanged = 0;
    for (const newest of taken) {
      const revs = await exchangedRevs(newest.id);
      for (let rev = 1; rev < newest.rev; rev += 1) {
        const [map, next] = await Promise.all([rev, rev + 1].map((one) => readCatalogueRevision(newest.id, one)));
        if (map === undefined || next === undefined) throw new Error(`${newest.id} has no revision ${rev}`);
        expect(map.rev).toBe(rev);
        if (!revs.includes(rev)) continue;
        exchanged += 1;
        const { bean_temp: bean, exhaust_temp: exhaust } = temperaturesOf(newest.id, setupOf(newest.id));
        expect(placesInMap(map)).toEqual(placesInSetup(map.id, { bean_temp: exhaust, exhaust_temp: bean }));
        expect(withoutRoles(map), newest.id).toEqual(withoutRoles(next));
        expect(Object.keys(map.channels), newest.id).toEqual(Object.keys(next.channels));
      }
    }
    expect(exchanged).toBe(151);
  });

  it('says that of no map of another source, nor of one that is not there', async () => {
    const others = maps.filter((map) => !taken.includes(map)).map(({ id }) => id);
    expect(others.toSorted()).toEqual(['rm15', 'rm30', 'rm7']);
    for (const id of [...others, 'pratter-plc', 'primo-xr', 'no-such-map']) expect(await exchangedRevs(id)).toEqual([]);
    expect(await exchangedRevs('loring-auto')).toEqual([1]);
  });

  it('has the first revision of the map that read one register for both', async () => {
    const map = await readCatalogueRevision('pratter-plc', 1);
    expect(map?.channels['exhaust_temp']).toEqual(map?.channels['bean_temp']);
    expect(Object.keys(map?.channels ?? {})).toHaveLength(5);
    expect(await readCatalogueRevision('pratter-plc', 3)).toBeUndefined();
  });
});
