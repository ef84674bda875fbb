import {
  encodingShape,
  machineMapShape,
  unitOfMeasureShape,
  wordOrderShape,
  type Channel,
  type MachineMap,
} from '@roastery/contract/machine-map';

/** A channel as its row has it: figures as they are typed. */
export interface ChannelDraft {
  /** Of the row, for React: names change while they are typed. */
  readonly key: number;
  readonly name: string;
  readonly at: string;
  readonly as: Channel['as'];
  readonly order: NonNullable<Channel['order']> | 'map';
  readonly scale: string;
  readonly offset: string;
  readonly unit: Channel['unit'];
  readonly low: string;
  readonly high: string;
  readonly bad: Channel['bad'];
}

export interface MapDraft {
  readonly maker: string;
  readonly model: string;
  readonly notes: string;
  readonly verified: MachineMap['verified'];
  readonly link: MachineMap['link'];
  readonly unit: string;
  readonly order: MachineMap['order'];
  readonly hz: string;
  readonly timeoutMs: string;
  readonly maxDrumRpm: string;
  readonly charging: NonNullable<MachineMap['charging']>;
  readonly channels: readonly ChannelDraft[];
}

export const encodings = encodingShape.options;
export const units = unitOfMeasureShape.options;
export const orders = wordOrderShape.options;

export const emptyChannel = (key: number): ChannelDraft => ({
  key,
  name: '',
  at: 'h:0',
  as: 'u16',
  order: 'map',
  scale: '1',
  offset: '0',
  unit: '°C',
  low: '',
  high: '',
  bad: undefined,
});

export const draftOf = (map: MachineMap): MapDraft => ({
  maker: map.maker,
  model: map.model,
  notes: map.notes ?? '',
  verified: map.verified,
  link: map.link,
  unit: String(map.unit),
  order: map.order,
  hz: String(map.hz),
  timeoutMs: String(map.timeoutMs),
  maxDrumRpm: String(map.maxDrumRpm),
  charging: map.charging ?? 'hot',
  channels: Object.entries(map.channels).map(([name, channel], key) => ({
    key,
    name,
    at: channel.at,
    as: channel.as,
    order: channel.order ?? 'map',
    scale: String(channel.scale),
    offset: String(channel.offset),
    unit: channel.unit,
    low: channel.range === undefined ? '' : String(channel.range[0]),
    high: channel.range === undefined ? '' : String(channel.range[1]),
    bad: channel.bad,
  })),
});

/** What was typed as a number; NaN, which no shape takes, when it is none. */
const figure = (typed: string): number => (typed.trim() === '' ? Number.NaN : Number(typed.replace(',', '.')));

const channelOf = (draft: ChannelDraft) => ({
  at: draft.at.trim(),
  as: draft.as,
  ...(draft.order === 'map' ? {} : { order: draft.order }),
  scale: figure(draft.scale),
  offset: figure(draft.offset),
  unit: draft.unit,
  ...(draft.low.trim() === '' && draft.high.trim() === '' ? {} : { range: [figure(draft.low), figure(draft.high)] }),
  ...(draft.bad === undefined ? {} : { bad: draft.bad }),
});

/** A sentence for each wrong place: `hz`, `channels.3.at` (by row), `link.host`. */
export type DraftProblems = Readonly<Record<string, string>>;

const wantsFigure = 'Enter a number';

/**
 * The map that a draft means, on top of the one it began from (outputs and events stay), or what is wrong with it where.
 */
export const mapOfDraft = (draft: MapDraft, from: MachineMap): { map: MachineMap } | { problems: DraftProblems } => {
  const names = draft.channels.map(({ name }) => name.trim());
  const problems: Record<string, string> = {};
  for (const [row, name] of names.entries()) {
    if (names.indexOf(name) !== row) problems[`channels.${row}.name`] = 'There is another channel of this name';
  }
  const { notes: _, charging: __, ...rest } = from;
  const parsed = machineMapShape.safeParse({
    ...rest,
    maker: draft.maker,
    model: draft.model,
    ...(draft.notes.trim() === '' ? {} : { notes: draft.notes }),
    verified: draft.verified,
    link: draft.link,
    unit: figure(draft.unit),
    order: draft.order,
    hz: figure(draft.hz),
    timeoutMs: figure(draft.timeoutMs),
    maxDrumRpm: figure(draft.maxDrumRpm),
    // What every map means without a word stays unsaid: boards of an earlier version know no such field.
    ...(draft.charging === 'hot' ? {} : { charging: draft.charging }),
    channels: Object.fromEntries(draft.channels.map((channel) => [channel.name.trim(), channelOf(channel)])),
  });
  for (const { path, message, code } of parsed.error?.issues ?? []) {
    const [first, second, third] = path.map(String);
    const row = first === 'channels' && second !== undefined ? names.indexOf(second) : -1;
    const place =
      row < 0
        ? [first, second].filter(Boolean).join('.')
        : `channels.${row}.${code === 'invalid_key' ? 'name' : (third ?? 'at')}`;
    const sentence = code === 'invalid_key' ? 'Write it in lower_snake_case, e.g. bean_temp' : message;
    problems[place] ??= message.includes('NaN') ? wantsFigure : sentence;
  }
  return parsed.success && Object.keys(problems).length === 0 ? { map: parsed.data } : { problems };
};
