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

export const channelLabel = (name: string): string => channelChoices.find(({ value }) => value === name)?.label ?? name;
