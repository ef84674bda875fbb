import { channelUnit } from './channels.ts';
import { addressText, channelOf, decodingText, type Decoding, type RegisterSeries } from './decodings.ts';
import { eventNameShape, type Channel, type Link, type MachineMap, type MachineMapInput } from './machine-map.ts';

/** "This register is the bean temperature": a channel's name, its register, and how it is read. */
export interface PickedPlace {
  readonly channel: string;
  readonly place: { readonly unit: number; readonly table: RegisterSeries['table']; readonly address: number };
  readonly decoding: Decoding;
}

/** Events for which a machine may raise a bit. */
export type SignalName = keyof MachineMap['events'];

/** "This bit is raised at the charge": a coil or a discrete input. */
export interface PickedSignal {
  readonly event: SignalName;
  readonly place: PickedPlace['place'];
}

/** The range of a probe in a roaster; beyond it a wire is broken. In the channel's own unit. */
const validRange = { '°C': [-50, 700], '°F': [-60, 1300] } as const;

export interface MapDraft {
  /** The map to change; without it a new one is created. */
  readonly base: MachineMap | undefined;
  readonly link: Link;
  readonly unit: number;
  readonly picks: readonly PickedPlace[];
  readonly signals?: readonly PickedSignal[];
  /** Channels of the base to remove. */
  readonly left?: readonly string[];
}

/** The map with the chosen channels, at the next revision. `machineMapShape` checks whether it is complete. */
export const draftMap = ({ base, link, unit, picks, signals = [], left = [] }: MapDraft): MachineMapInput => {
  const mapUnit = base?.unit ?? unit;
  const events = {
    ...base?.events,
    ...Object.fromEntries(
      signals.map(({ event, place }) => [event, { ...base?.events[event], when: addressText(place, mapUnit) }]),
    ),
  };
  const kept = Object.entries(base?.channels ?? {}).filter(([name]) => !left.includes(name));
  const picked = picks.map(({ channel, place, decoding }): [string, Channel] => {
    if (channelUnit(channel) === '%') return [channel, { ...channelOf(place, decoding, mapUnit), unit: '%' }];
    const [low, high] = validRange[decoding.unit];
    return [channel, { ...channelOf(place, decoding, mapUnit), range: [low, high] }];
  });
  const channels = Object.fromEntries([...kept, ...picked]);
  if (base === undefined) {
    return { v: 1, id: 'own-machine', rev: 1, maker: 'Own', model: 'Roaster', link, unit, channels, events };
  }
  const outputs = Object.fromEntries(
    Object.entries(base.outputs).map(([name, output]) => {
      if (output?.readback === undefined || output.readback in channels) return [name, output];
      const { readback: _, ...others } = output;
      return [name, others];
    }),
  );
  return { ...base, rev: base.rev + 1, verified: 'none', link, channels, outputs, events };
};

/** One channel of a map in a line: `h:6 i16 ÷10 °C`. */
export const channelWords = ({
  at,
  as,
  order,
  scale = 1,
  offset = 0,
  unit = '°C',
}: MachineMapInput['channels'][string]): string => {
  if (unit === '°C' || unit === '°F') {
    const decoding = decodingText({ as: as ?? 'u16', order: order ?? 'ABCD', scale: 1, unit });
    const factor = scale === 1 ? '' : ` × ${scale}`;
    return `${at} ${decoding}${factor}${offset === 0 ? '' : ` ${offset > 0 ? '+' : '−'} ${Math.abs(offset)}`}`;
  }
  return `${at} ${as ?? 'u16'}${scale === 1 ? '' : ` × ${scale}`} ${unit}`.trim();
};

type Channels = Pick<MachineMapInput, 'channels' | 'events'>;

export interface ChannelChange {
  /** A channel's name, or the name of an event with a signal. */
  readonly channel: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Channels that two maps read differently, by name, then events with different signal bits. */
export const channelChanges = (before: Channels | undefined, after: Channels): ChannelChange[] => {
  const names = new Set([...Object.keys(before?.channels ?? {}), ...Object.keys(after.channels)]);
  const channels = [...names].toSorted().map((channel): ChannelChange => {
    const [was, is] = [before?.channels[channel], after.channels[channel]];
    return { channel, before: was && channelWords(was), after: is && channelWords(is) };
  });
  const signals = eventNameShape.options.map((event): ChannelChange => {
    const [was, is] = [before?.events?.[event], after.events?.[event]];
    return { channel: event, before: was?.when, after: is?.when };
  });
  return [...channels, ...signals].filter((change) => change.before !== change.after);
};
