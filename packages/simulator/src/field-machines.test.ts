import { readFileSync } from 'node:fs';
import { machineMapShape, parseAddress, type MachineMap } from '@roastery/contract/machine-map';
import { sharedData } from '@roastery/testing/shared-data';
import ModbusClient from 'modbus-serial';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRegisterBank } from './registers/register-bank.ts';
import { showReading, shownReading } from './registers/channel-registers.ts';
import { startSimulator } from './simulator.ts';

const data = sharedData();
/** Why tests on real data don't run here; empty when they do. */
const skipped = data.title('');
const fieldChannelShape = z.object({
  role: z.string().nullable(),
  unit_id: z.number(),
  register: z.number(),
  function: z.number(),
  type: z.enum(['uint16', 'int32', 'float32', 'bcd16', 'bcd32']),
  divisor: z.number(),
  unit: z.enum(['C', 'F']).nullable(),
  formula: z.string().nullable(),
});
const fieldMachineShape = z.object({
  vendor: z.string(),
  model: z.string(),
  transport: z.string(),
  connection: z.object({ word_order: z.enum(['big', 'little']), baud: z.number().nullish() }),
  channels: z.array(fieldChannelShape),
});
type FieldMachine = z.infer<typeof fieldMachineShape>;

const encodings = { uint16: 'u16', int32: 'i32', float32: 'f32', bcd16: 'bcd16', bcd32: 'bcd32' } as const;
const tables: Record<number, string> = { 1: 'c', 2: 'd', 3: 'h', 4: 'i' };

/** Scale and bit that a formula adds; null where it refers to other channels or the table is another. */
const formulaOf = (formula: string | null): { scale: number; bit: string } | null => {
  if (formula === null) return { scale: 1, bit: '' };
  const factor = /^(?:x\*(\d+)|x\/(\d+)|(-1)\*x)$/.exec(formula);
  if (factor) return { scale: Number(factor[1] ?? factor[3] ?? 1) / Number(factor[2] ?? 1), bit: '' };
  const bit = /^bit\((\d+),x\)$/.exec(formula);
  return bit ? { scale: 1, bit: `.${bit[1]}` } : null;
};

const mapOf = (machine: FieldMachine, index: number): MachineMap => {
  const channels: Record<string, unknown> = {};
  for (const [position, channel] of machine.channels.entries()) {
    const formula = formulaOf(channel.formula);
    const table = tables[channel.function];
    if (formula === null || table === undefined) continue;
    const isBit = table === 'c' || table === 'd';
    const known = { BT: 'bean_temp', ET: 'exhaust_temp' }[channel.role ?? ''];
    const name = known !== undefined && !(known in channels) ? known : `extra_${position}`;
    channels[name] = {
      at: `${channel.unit_id}/${table}:${channel.register}${isBit ? '' : formula.bit}`,
      as: isBit ? 'bool' : encodings[channel.type],
      scale: formula.scale / channel.divisor,
      unit: channel.unit === null ? '' : `°${channel.unit}`,
    };
  }
  // Some setups have no BT: their first channel replaces it.
  if (!('bean_temp' in channels)) {
    const [first] = Object.keys(channels);
    if (first !== undefined) channels['bean_temp'] = channels[first];
  }
  return machineMapShape.parse({
    v: 1,
    id: `field-${index}`,
    maker: machine.vendor,
    model: machine.model,
    link: { kind: 'tcp', host: '127.0.0.1', port: 502 },
    order: machine.connection.word_order === 'big' ? 'ABCD' : 'CDAB',
    channels,
  });
};

/** Reads one channel as an independent client would: with another program's client and decoder. */
const readOverSocket = async (client: ModbusClient, map: MachineMap, name: string): Promise<number> => {
  const channel = map.channels[name];
  if (channel === undefined) throw new Error(`no channel ${name}`);
  const at = parseAddress(channel.at, map.unit);
  client.setID(at.unit);
  if (at.table === 'discrete') return (await client.readDiscreteInputs(at.address, 1)).data[0] === true ? 1 : 0;
  const words = channel.as === 'u16' || channel.as === 'bcd16' ? 1 : 2;
  const { buffer } =
    at.table === 'holding'
      ? await client.readHoldingRegisters(at.address, words)
      : await client.readInputRegisters(at.address, words);
  const bytes = words === 2 && map.order === 'CDAB' ? Buffer.from(buffer).swap32().swap16() : Buffer.from(buffer);
  const raw = {
    u16: () => bytes.readUInt16BE(),
    i32: () => bytes.readInt32BE(),
    f32: () => bytes.readFloatBE(),
    bcd16: () => Number(bytes.toString('hex')),
    bcd32: () => Number(bytes.toString('hex')),
  }[channel.as as 'u16' | 'i32' | 'f32' | 'bcd16' | 'bcd32']();
  const value = at.bit === undefined ? raw * channel.scale : (raw >> at.bit) & 1;
  return channel.unit === '°F' ? ((value - 32) * 5) / 9 : value;
};

const machines = data.present
  ? z
      .object({ machines: z.array(fieldMachineShape) })
      .parse(JSON.parse(readFileSync(data.path('modbus-machines.json'), 'utf8'))).machines
  : [];
const maps = machines
  .filter((machine) => machine.channels.some((channel) => formulaOf(channel.formula) !== null))
  .map((machine, index) => mapOf(machine, index));

describe('machines of the field', () => {
  it.skipIf(!data.present)(`every channel of every setup keeps its value in its registers${skipped}`, () => {
    expect(maps.length).toBeGreaterThan(150);
    let channels = 0;
    for (const map of maps) {
      const bank = createRegisterBank();
      for (const [name, channel] of Object.entries(map.channels)) {
        const isBit = parseAddress(channel.at, map.unit).bit !== undefined || channel.as === 'bool';
        for (const raw of isBit ? [0, 1] : [1, 987, 4321]) {
          // The reading for this raw value.
          const shown = raw * (isBit ? 1 : channel.scale);
          const value = channel.unit === '°F' ? ((shown - 32) * 5) / 9 : shown;
          showReading(bank, map, name, channel, value);
          expect(shownReading(bank, map, name, channel), `${map.maker} ${map.model} ${name}`).toBeCloseTo(value, 3);
        }
        channels += 1;
      }
    }
    expect(channels).toBeGreaterThan(560);
  });

  it.skipIf(!data.present)(
    `every setup is read correctly over a socket by an independent client${skipped}`,
    async () => {
      for (const map of maps) {
        await using simulator = await startSimulator({ map, port: 0, timeFactor: 0.001, model: { noise: 0 } });
        const client = new ModbusClient();
        await client.connectTCP('127.0.0.1', { port: simulator.port ?? 0 });
        const { values } = simulator.state();
        for (const name of Object.keys(map.channels)) {
          const shown = values[name];
          const read = await readOverSocket(client, map, name);
          // Channels that the model can't fill read 0 in most encodings; a float is NaN, which equals null here.
          expect(shown ?? Number.NaN, `${map.maker} ${map.model} ${name}`).toSatisfy(
            (value: number) => Object.is(value, read) || Math.abs(value - read) < 1e-3,
          );
        }
        expect(values['bean_temp']).toBeDefined();
        client.destroy(() => undefined);
      }
    },
    60_000,
  );
});
