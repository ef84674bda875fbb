import type { MachineMap } from '@roastery/contract/machine-map';
import {
  createDecoder,
  refusedValue,
  silentValue,
  type Decode,
  type DecodedValue,
  type Quality,
} from '../core/decoder.ts';
import { planReads, readItems, splitRead, type PlannedRead, type ReadItem } from '../core/read-plan.ts';
import type { Bus, BusAnswer } from './bus.ts';

export type ReadingOutcome =
  /** At least one unit answered with data. `values` in the order of `channels`. */
  | {
      readonly kind: 'reading';
      readonly values: readonly (number | null)[];
      readonly qualities: readonly Quality[];
      /** State of the bits that the map names for events. */
      readonly bits: ReadonlyMap<string, boolean>;
    }
  /** The machine gave nothing: no sample, a gap stays a gap. */
  | { readonly kind: 'silence'; readonly reason: string };

/** A place the device refuses is asked for again after this long: a machine may learn it after a restart. */
const askRefusedAgainMs = 60_000;
const refusesAddress = (code: number): boolean => code === 2 || code === 3;

/** The beans first: when the line breaks within a reading, what was read before still counts. */
const beansFirst = (plan: readonly PlannedRead[]): PlannedRead[] =>
  plan.toSorted((a, b) => Number(hasBeans(b)) - Number(hasBeans(a)));
const hasBeans = ({ items }: PlannedRead): boolean => items.some(({ name }) => name === 'bean_temp');

/**
 * Reads everything a map names, once per call. Requests that the device refuses are split and stay split; a single place
 * it refuses is null until it answers again.
 */
export const createReader = (map: MachineMap, bus: Pick<Bus, 'read'>, now: () => number = () => performance.now()) => {
  const channels = Object.keys(map.channels);
  const decoders = new Map<string, Decode>(
    Object.entries(map.channels).map(([name, channel]) => [name, createDecoder(name, channel, map)]),
  );
  let plan = beansFirst(planReads(readItems(map), map));
  const refused = new Map<PlannedRead, number>();

  const onRefused = (read: PlannedRead): void => {
    const smaller = splitRead(read);
    if (smaller.length === 0) refused.set(read, now() + askRefusedAgainMs);
    else plan = beansFirst(plan.flatMap((other) => (other === read ? smaller : other)));
  };

  /** A refusal is believed when it is said twice: a bent byte can look like one, and would cost the place a minute. */
  const ask = async (read: PlannedRead): Promise<BusAnswer> => {
    const answer = await bus.read(read);
    return answer.kind === 'exception' && refusesAddress(answer.code) ? bus.read(read) : answer;
  };

  return {
    channels,
    plan: (): readonly PlannedRead[] => plan,
    async read(): Promise<ReadingOutcome> {
      const decoded = new Map<string, DecodedValue>();
      const bits = new Map<string, boolean>();
      let answered = false;
      let reason = 'nothing to read';
      // `onRefused` may put smaller requests in the place of one: they are asked in the next reading.
      for (const read of plan) {
        if (now() < (refused.get(read) ?? -Infinity)) {
          fill(decoded, read.items, refusedValue);
          continue;
        }
        const answer = await ask(read);
        // Whoever is asked after a failure rests, since the line does.
        if (answer.kind === 'failed' || answer.kind === 'resting' || answer.kind === 'silent') {
          reason = answer.reason;
          fill(decoded, read.items, silentValue);
          continue;
        }
        if (answer.kind === 'exception') {
          reason = `Modbus exception ${answer.code} at unit ${read.unit} ${read.table} ${read.start}`;
          if (refusesAddress(answer.code)) onRefused(read);
          fill(decoded, read.items, refusedValue);
          continue;
        }
        answered = true;
        refused.delete(read);
        for (const item of read.items) take(item, read, answer.words, decoded, bits);
      }
      if (!answered) return { kind: 'silence', reason };
      const inOrder = channels.map((name) => decoded.get(name) ?? silentValue);
      return {
        kind: 'reading',
        values: inOrder.map(({ value }) => value),
        qualities: inOrder.map(({ quality }) => quality),
        bits,
      };
    },
  };

  function take(
    item: ReadItem,
    read: PlannedRead,
    words: readonly number[],
    decoded: Map<string, DecodedValue>,
    bits: Map<string, boolean>,
  ): void {
    const offset = item.address.address - read.start;
    const decode = decoders.get(item.name);
    if (item.purpose === 'channel' && decode) decoded.set(item.name, decode(words, offset));
    const word = words[offset];
    if (item.purpose === 'event' && word !== undefined) {
      bits.set(item.name, item.address.bit === undefined ? word !== 0 : ((word >> item.address.bit) & 1) === 1);
    }
  }
};
export type Reader = ReturnType<typeof createReader>;

const fill = (decoded: Map<string, DecodedValue>, items: readonly ReadItem[], value: DecodedValue): void => {
  for (const item of items) if (item.purpose === 'channel') decoded.set(item.name, value);
};
