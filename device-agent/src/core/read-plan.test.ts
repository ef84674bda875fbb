import { machineMapShape, type MachineMapInput } from '@roastery/contract/machine-map';
import { describe, expect, it } from 'vitest';
import { planReads, readItems, splitRead, type PlannedRead } from './read-plan.ts';

const mapOf = (channels: MachineMapInput['channels'], over: Partial<MachineMapInput> = {}) =>
  machineMapShape.parse({
    v: 1,
    id: 'test',
    maker: 'T',
    model: 'T',
    link: { kind: 'tcp', host: '127.0.0.1' },
    channels: { bean_temp: { at: 'h:6' }, ...channels },
    ...over,
  });
const planOf = (map: ReturnType<typeof mapOf>) => planReads(readItems(map), map);
const brief = ({ unit, table, start, count }: PlannedRead) => `${unit} ${table} ${start}+${count}`;

describe('planReads', () => {
  it('reads neighbours in one request and bridges holes of up to twelve registers', () => {
    const map = mapOf({ a_temp: { at: 'h:8', as: 'f32' }, b_temp: { at: 'h:22' }, c_temp: { at: 'h:36' } });
    expect(planOf(map).map(brief)).toEqual(['1 holding 6+17', '1 holding 36+1']);
  });

  it('keeps tables and units apart', () => {
    const map = mapOf({ a_temp: { at: 'i:6' }, b_temp: { at: '2/h:6' } }, { events: { charge: { when: 'd:284' } } });
    expect(planOf(map).map(brief)).toEqual(['1 discrete 284+1', '1 holding 6+1', '1 input 6+1', '2 holding 6+1']);
  });

  it('never requests more than the machine allows', () => {
    const channels = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`t${index}`, { at: `h:${10 + index}` }]),
    );
    const reads = planOf(mapOf(channels, { maxRegisters: 16 }));
    expect(reads.every(({ count }) => count <= 16)).toBe(true);
    expect(reads.flatMap(({ items }) => items)).toHaveLength(41);
  });

  it('never splits a value of two registers', () => {
    const map = mapOf({ a_temp: { at: 'h:7', as: 'f32' } }, { maxRegisters: 2 });
    expect(planOf(map).map(brief)).toEqual(['1 holding 6+1', '1 holding 7+2']);
  });

  it('reads bits of one register once', () => {
    const map = mapOf({
      lamp: { at: 'h:10.0', as: 'bool', unit: 'bool' },
      door: { at: 'h:10.5', as: 'bool', unit: 'bool' },
    });
    expect(planOf(map).map(brief)).toEqual(['1 holding 6+5']);
  });
});

describe('splitRead', () => {
  const map = mapOf({ a_temp: { at: 'h:7' }, b_temp: { at: 'h:12' }, c_temp: { at: 'h:13' } });
  const whole = planOf(map)[0];
  if (!whole) throw new Error('no plan');

  it('first removes the holes', () => {
    expect(splitRead(whole).map(brief)).toEqual(['1 holding 6+2', '1 holding 12+2']);
  });
  it('then halves, down to single addresses', () => {
    const pair = splitRead(whole)[1];
    if (!pair) throw new Error('no pair');
    const singles = splitRead(pair);
    expect(singles.map(brief)).toEqual(['1 holding 12+1', '1 holding 13+1']);
    expect(singles.flatMap(splitRead)).toEqual([]);
  });
  it('loses no address', () => {
    const leaves = (read: PlannedRead): PlannedRead[] => {
      const parts = splitRead(read);
      return parts.length === 0 ? [read] : parts.flatMap(leaves);
    };
    expect(leaves(whole).flatMap(({ items }) => items.map(({ name }) => name))).toEqual([
      'bean_temp',
      'a_temp',
      'b_temp',
      'c_temp',
    ]);
  });
});
