import { percentToRpm, rpmToPercent } from '@roastery/roasting/recipe/control-profile';
import type { Channel } from '@roastery/contract/machine-map';
import type { RoasterState } from './drum-roaster.ts';
import type { Random } from './random.ts';

/** RPM at which the drum reads 100 %, unless a machine map specifies another value: the map's own default. */
export const usualMaxDrumRpm = 100;

/** Readings of a machine's instruments: °C, %, Pa by channel name; null for a probe without a value. */
export type Readings = Readonly<Record<string, number | null>>;

/** Channels that the drum roaster of the model can fill, in the order of the demo machine. */
export const modelChannels = [
  'bean_temp',
  'exhaust_temp',
  'burner_front_temp',
  'burner_back_temp',
  'heat_power',
  'fan_speed',
  'drum_speed',
  'drum_pressure',
] as const;
export type ModelChannel = (typeof modelChannels)[number];

export interface NoiseOptions {
  /** 1 is a usual thermocouple in a drum, 0 none. */
  readonly noise: number;
  readonly random: Random;
}

/**
 * Instruments of the modelled machine. The noise is that of thermocouples beside a burner: a few hundredths of a degree
 * on the bean probe, more in the gas. `drum_speed` is in % of `maxDrumRpm`.
 */
export const readingsOf = (
  roaster: RoasterState,
  { noise, random }: NoiseOptions,
  maxDrumRpm: number = usualMaxDrumRpm,
): Record<ModelChannel, number> => {
  const jitter = (deviation: number): number => (noise === 0 ? 0 : random.gaussian() * deviation * noise);
  return {
    bean_temp: roaster.beanProbeC + jitter(0.06),
    exhaust_temp: roaster.exhaustProbeC + jitter(0.18),
    burner_front_temp: roaster.burnerFrontTempC + jitter(0.6),
    burner_back_temp: roaster.burnerBackTempC + jitter(0.5),
    heat_power: percent(roaster.heatPercent),
    fan_speed: percent(roaster.airPercent),
    drum_speed: percent(rpmToPercent(roaster.drumRpm, maxDrumRpm) + jitter(0.08)),
    drum_pressure: roaster.drumPressurePa + jitter(0.7),
  };
};

const percent = (value: number): number => Math.min(100, Math.max(0, value));

/** °C and % as the machine's own register has it: °F for a Fahrenheit channel, RPM for a drum that reports RPM. */
export const inChannelUnit = (name: string, value: number, unit: Channel['unit'], maxDrumRpm: number): number => {
  if (unit === '°F') return value * 1.8 + 32;
  if (unit === 'rpm' && name === 'drum_speed') return percentToRpm(value, maxDrumRpm);
  if (unit === 'mbar') return value / 100;
  return value;
};

/** The reverse: a register's engineering value as °C, % or Pa. */
export const fromChannelUnit = (name: string, value: number, unit: Channel['unit'], maxDrumRpm: number): number => {
  if (unit === '°F') return (value - 32) / 1.8;
  if (unit === 'rpm' && name === 'drum_speed') return rpmToPercent(value, maxDrumRpm);
  if (unit === 'mbar') return value * 100;
  return value;
};
