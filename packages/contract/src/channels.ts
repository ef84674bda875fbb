import { z } from 'zod';

/** Channels the portal knows by name: °C for temperatures, % for outputs. A map may add others in the same style. */
export const knownChannels = [
  'bean_temp',
  'exhaust_temp',
  'burner_front_temp',
  'burner_back_temp',
  'heat_power',
  'fan_speed',
  'drum_speed',
] as const;

export const channelNameShape = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'use lower_snake_case, e.g. bean_temp');

const exchangedNames: Readonly<Record<string, string>> = { bean_temp: 'exhaust_temp', exhaust_temp: 'bean_temp' };

/** The name of a channel where bean and exhaust are exchanged. */
export const exchangedChannel = (name: string): string => exchangedNames[name] ?? name;
