import { z } from 'zod';

/** Units of recorded values; `''`: a number without a unit. */
export const channelUnits = ['°C', '%', ''] as const;
export type ChannelUnit = (typeof channelUnits)[number];

/** Channels the portal knows by name. A map may add others in the same style. */
export const knownChannels = [
  'bean_temp',
  'exhaust_temp',
  'burner_front_temp',
  'burner_back_temp',
  'heat_power',
  'fan_speed',
  'drum_speed',
] as const;
export type KnownChannel = (typeof knownChannels)[number];

const unitsOfKnown: ReadonlyMap<string, ChannelUnit> = new Map(
  Object.entries({
    bean_temp: '°C',
    exhaust_temp: '°C',
    burner_front_temp: '°C',
    burner_back_temp: '°C',
    heat_power: '%',
    fan_speed: '%',
    drum_speed: '%',
  } satisfies Record<KnownChannel, ChannelUnit>),
);

/** The unit of a channel; one that is not known is a temperature by its name, or has none. */
export const channelUnit = (name: string): ChannelUnit =>
  unitsOfKnown.get(name) ?? (/(^|_)temp(_|$)/.test(name) ? '°C' : '');

export const channelNameShape = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'use lower_snake_case, e.g. bean_temp');

const exchangedNames: Readonly<Record<string, string>> = { bean_temp: 'exhaust_temp', exhaust_temp: 'bean_temp' };

/** The name of a channel where bean and exhaust are exchanged. */
export const exchangedChannel = (name: string): string => exchangedNames[name] ?? name;
