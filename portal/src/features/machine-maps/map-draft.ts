import {
  encodingShape,
  machineMapShape,
  unitOfMeasureShape,
  wordOrderShape,
  type Channel,
  type MachineMap,
} from '@roastery/contract/machine-map';
import { parseShape } from '@roastery/contract/parse-shape';
import { eventDraftsOf, eventsOf, type EventDraft } from './event-draft.ts';
import { numberInField } from '../../format/numbers.ts';
import { emptyRegister, figure, rangeOf, registerDraftOf, registerOf, type RegisterDraft } from './register-draft.ts';
import { outputDraftsOf, outputOf, type OutputDraft } from './output-draft.ts';
import { t } from '../../language/t.ts';

/** A channel as a row of the form: numbers as typed. */
export interface ChannelDraft extends RegisterDraft {
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
  readonly outputs: readonly OutputDraft[];
  readonly events: readonly EventDraft[];
}

export const encodings = encodingShape.options;
export const units = unitOfMeasureShape.options;
export const orders = wordOrderShape.options;

export const emptyChannel = (key: number): ChannelDraft => ({
  ...emptyRegister(key),
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
  hz: numberInField(map.hz),
  timeoutMs: String(map.timeoutMs),
  maxDrumRpm: numberInField(map.maxDrumRpm),
  charging: map.charging ?? 'hot',
  channels: Object.entries(map.channels).map(([name, channel], key) => ({
    ...registerDraftOf(key, name, channel),
    bad: channel.bad,
  })),
  outputs: outputDraftsOf(map.outputs),
  events: eventDraftsOf(map.events),
});

const channelOf = (draft: ChannelDraft) => ({
  ...registerOf(draft),
  ...(draft.low.trim() === '' && draft.high.trim() === '' ? {} : { range: rangeOf(draft) }),
  ...(draft.bad === undefined ? {} : { bad: draft.bad }),
});

/** A sentence for each wrong field: `hz`, `channels.3.at` (by row), `link.host`. */
export type DraftProblems = Readonly<Record<string, string>>;

const wantsFigure = t`Enter a number`;

/** Rows whose name occurs in an earlier row. */
const repeated = (names: readonly string[]): number[] =>
  names.flatMap((name, row) => (names.indexOf(name) === row ? [] : [row]));

/** The map of a draft, based on the map it began from, or its errors. */
export const mapOfDraft = (draft: MapDraft, from: MachineMap): { map: MachineMap } | { problems: DraftProblems } => {
  const rowsOf: Readonly<Record<string, readonly string[]>> = {
    channels: draft.channels.map(({ name }) => name.trim()),
    outputs: draft.outputs.map(({ name }) => name.trim()),
    events: draft.events.map(({ name }) => name),
  };
  const problems: Record<string, string> = {};
  for (const [part, names] of Object.entries(rowsOf)) {
    for (const row of repeated(names)) problems[`${part}.${row}.name`] = t`Another ${part.slice(0, -1)} has this name`;
  }
  const { events, problems: ofEvents } = eventsOf(draft.events);
  for (const [place, sentence] of Object.entries(ofEvents)) problems[`events.${place}`] = sentence;
  const { notes: _, charging: __, ...rest } = from;
  const parsed = parseShape(machineMapShape, {
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
    // The default is left out: earlier boards don't know the field.
    ...(draft.charging === 'hot' ? {} : { charging: draft.charging }),
    channels: Object.fromEntries(draft.channels.map((channel) => [channel.name.trim(), channelOf(channel)])),
    outputs: Object.fromEntries(draft.outputs.map((output) => [output.name.trim(), outputOf(output)])),
    events,
  });
  for (const { path, message, code } of parsed.success ? [] : parsed.issues) {
    const [first = '', second, third] = path.map(String);
    const row = second === undefined ? -1 : (rowsOf[first]?.indexOf(second) ?? -1);
    const place =
      row < 0
        ? [first, second].filter(Boolean).join('.')
        : `${first}.${row}.${code === 'invalid_key' ? 'name' : (third ?? (first === 'events' ? 'when' : 'at'))}`;
    const sentence = code === 'invalid_key' ? t`Use lower_snake_case, e.g. bean_temp` : message;
    problems[place] ??= message.includes('NaN') ? wantsFigure : sentence;
  }
  return parsed.success && Object.keys(problems).length === 0 ? { map: parsed.data } : { problems };
};
