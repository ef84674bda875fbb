import { machineMapShape, type MachineMapInput } from '@roastery/contract/machine-map';
import { describe, expect, it } from 'vitest';
import { simulateWrites } from './simulated-writes.ts';

const mapWith = (outputs: MachineMapInput['outputs']) =>
  machineMapShape.parse({
    v: 1,
    id: 'drum',
    maker: 'Maker',
    model: 'Drum',
    link: { kind: 'tcp', host: '127.0.0.1' },
    unit: 3,
    maxDrumRpm: 80,
    channels: { bean_temp: { at: 'i:0' } },
    outputs,
  });
const points = [
  { timeSeconds: 0, burner: 100, exhaust: 40, drumRpm: 60 },
  { timeSeconds: 120, burner: 40, exhaust: 40, drumRpm: 60 },
  { timeSeconds: 126, burner: 90, exhaust: 40, drumRpm: 40 },
];

describe('simulated writes of a plan', () => {
  it('are raw values for each register: scaled, clamped and limited in rate by the map', () => {
    const map = mapWith({
      heat_power: { at: 'h:10', scale: 0.1, range: [0, 80], maxPerSecond: 5 },
      drum_speed: { at: '2/h:12', as: 'f32', offset: 10, unit: 'rpm', range: [0, 80] },
    });
    const writes = simulateWrites({ points, interpolated: false }, map);
    const heat = writes
      .filter(({ control }) => control === 'burner')
      .map(({ atSeconds, order }) => ({ atSeconds, ...order }));
    expect(heat).toMatchObject([
      { atSeconds: 0, register: '3/h:10', value: 80, raw: 800, isClamped: true, overSeconds: 0, isTooSlow: false },
      { atSeconds: 120, value: 40, raw: 400, isClamped: false, overSeconds: 8, isTooSlow: true },
      { atSeconds: 126, value: 80, raw: 800, isClamped: true, overSeconds: 8, isTooSlow: false },
    ]);
    const drum = writes.filter(({ control }) => control === 'drumRpm');
    expect(drum.map(({ atSeconds, order }) => [atSeconds, order?.register, order?.raw])).toEqual([
      [0, '2/h:12', 50],
      [126, '2/h:12', 30],
    ]);
    // The map has no output for the air: reported once, since it never changes.
    expect(writes.filter(({ order }) => order === null)).toEqual([
      { atSeconds: 0, control: 'exhaust', planned: 40, order: null },
    ]);
  });

  it('supports drums that are set in %', () => {
    const map = mapWith({ drum_speed: { at: 'h:12', as: 'i16', range: [0, 100] } });
    const [drum] = simulateWrites({ points, interpolated: true }, map).filter(({ order }) => order !== null);
    expect(drum?.order).toMatchObject({ value: 75, raw: 75, unit: '%' });
  });
});
