/** What a register may be picked as; a machine's other channels are added in the map's editor. */
export const channelChoices = [
  { value: 'none', label: '--' },
  { value: 'bean_temp', label: 'Bean' },
  { value: 'exhaust_temp', label: 'Exhaust' },
  { value: 'burner_front_temp', label: 'Burner front' },
  { value: 'burner_back_temp', label: 'Burner back' },
  { value: 'heat_power', label: 'Heat (%)' },
  { value: 'fan_speed', label: 'Fan (%)' },
  { value: 'drum_speed', label: 'Drum (%)' },
] as const;
export type ChannelChoice = (typeof channelChoices)[number]['value'];

/** What a bit may be the machine's signal of. */
export const signalChoices = [
  { value: 'none', label: '--' },
  { value: 'charge', label: 'Charge' },
  { value: 'dry_end', label: 'Dry end' },
  { value: 'first_crack', label: 'First crack' },
  { value: 'drop', label: 'Drop' },
  { value: 'cool_end', label: 'Cooling ended' },
] as const;
export type SignalChoice = (typeof signalChoices)[number]['value'];

export const channelLabel = (name: string): string =>
  [...channelChoices, ...signalChoices].find(({ value }) => value === name)?.label ?? name;
