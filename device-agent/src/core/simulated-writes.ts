import type { Encoding, MachineMap, Output } from '@roastery/contract/machine-map';
import { percentToRpm, rpmToPercent } from '@roastery/roasting/recipe/control-profile';
import { controls, plannedAt, type Control, type Guide } from '@roastery/roasting/recipe/guide';

/** A write to a machine at one time, by one output of its map. It is never performed. */
export interface SimulatedWrite {
  /** Seconds after charge. */
  readonly atSeconds: number;
  readonly control: Control;
  /** As planned: %, drum in RPM. */
  readonly planned: number;
  /** Null where the map has no such output, or one in a unit that a plan does not have. */
  readonly order: WriteOrder | null;
}

export interface WriteOrder {
  readonly output: OutputName;
  /** `unit/h:7`, zero-based as on the wire. */
  readonly register: string;
  /** In the output's unit, after clamping. */
  readonly value: number;
  readonly unit: Output['unit'];
  readonly raw: number;
  readonly isClamped: boolean;
  /** How long `maxPerSecond` makes the change from the previous value take, s; 0 at once. */
  readonly overSeconds: number;
  /** The change would not be finished at the next point. */
  readonly isTooSlow: boolean;
}

type OutputName = 'heat_power' | 'fan_speed' | 'drum_speed';
const outputOf: Record<Control, OutputName> = { burner: 'heat_power', exhaust: 'fan_speed', drumRpm: 'drum_speed' };

/** A planned value in the unit of an output; undefined where it cannot be converted. */
const inUnitOf = (output: Output, control: Control, value: number, maxDrumRpm: number): number | undefined => {
  if (control !== 'drumRpm') {
    return output.unit === '%' ? value : output.unit === 'rpm' ? percentToRpm(value, maxDrumRpm) : undefined;
  }
  return output.unit === 'rpm' ? value : output.unit === '%' ? rpmToPercent(value, maxDrumRpm) : undefined;
};

const bounds: Record<Exclude<Encoding, 'f32'>, readonly [number, number]> = {
  u16: [0, 65_535],
  i16: [-32_768, 32_767],
  u32: [0, 4_294_967_295],
  i32: [-2_147_483_648, 2_147_483_647],
  bcd16: [0, 9999],
  bcd32: [0, 99_999_999],
  bool: [0, 1],
};

const clamp = (value: number, [low, high]: readonly [number, number]): number => Math.min(high, Math.max(low, value));

/** Raw value of an engineering value: an integer except for floats, within the register's range. */
const rawOf = ({ as, scale, offset }: Output, value: number): number => {
  const raw = (value - offset) / scale;
  return as === 'f32' ? Math.round(raw * 1000) / 1000 : clamp(Math.round(raw), bounds[as]);
};

/**
 * The writes of a plan by the outputs of a map, point by point: the first settings at the charge, then the changes. A
 * plan with control points is written point by point, with the ramp between them.
 */
export const simulateWrites = (guide: Guide, map: MachineMap): SimulatedWrite[] => {
  const writes: SimulatedWrite[] = [];
  const times = [0, ...guide.points.map(({ timeSeconds }) => timeSeconds).filter((time) => time > 0)];
  const written = new Map<OutputName, number>();
  for (const [index, atSeconds] of times.entries()) {
    const settings = plannedAt(guide, atSeconds);
    const before = index === 0 ? null : plannedAt(guide, times[index - 1] ?? 0);
    if (settings === null) break;
    const nextAt = times[index + 1] ?? Number.POSITIVE_INFINITY;
    for (const control of controls) {
      if (before?.[control] === settings[control]) continue;
      const name = outputOf[control];
      const output = map.outputs[name];
      const wanted = output && inUnitOf(output, control, settings[control], map.maxDrumRpm);
      if (output === undefined || wanted === undefined) {
        writes.push({ atSeconds, control, planned: settings[control], order: null });
        continue;
      }
      const value = clamp(wanted, output.range);
      const last = written.get(name);
      const overSeconds =
        output.maxPerSecond === undefined || last === undefined ? 0 : Math.abs(value - last) / output.maxPerSecond;
      written.set(name, value);
      const order: WriteOrder = {
        output: name,
        register: output.at.includes('/') ? output.at : `${map.unit}/${output.at}`,
        value,
        unit: output.unit,
        raw: rawOf(output, value),
        isClamped: value !== wanted,
        overSeconds,
        isTooSlow: overSeconds > nextAt - atSeconds,
      };
      writes.push({ atSeconds, control, planned: settings[control], order });
    }
  }
  return writes;
};
