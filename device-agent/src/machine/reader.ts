import type { MachineMap } from '@roastery/contract/machine-map';
import {
  createDecoder,
  refusedValue,
  silentValue,
  type Decode,
  type DecodedValue,
  type Quality,
} from '../core/decoder.ts';
import { maxSpan, planReads, readItems, splitRead, type PlannedRead, type ReadItem } from '../core/read-plan.ts';
import type { Bus, BusAnswer } from './bus.ts';

export type ReadingOutcome =
  /** At least one unit answered with data. `values` in the order of `channels`. */
  | {
      readonly kind: 'reading';
      readonly values: readonly (number | null)[];
      readonly qualities: readonly Quality[];
      /** State of the bits that the map names for events. */
      readonly bits: ReadonlyMap<string, boolean>;
      /** From the first answered request to the last answer, by the reader's clock. */
      readonly from: number;
      readonly to: number;
    }
  /** The machine gave no data: no sample, a gap stays a gap. */
  | { readonly kind: 'silence'; readonly reason: string };

/** A refused address is requested again after this long: a machine may know it after a restart. */
const askRefusedAgainMs = 60_000;
const nothingAsked = 'nothing to read';
const refusesAddress = (code: number): boolean => code === 2 || code === 3;

/** The bean temperature first: when the line breaks within a reading, earlier values still count. */
const beansFirst = (plan: readonly PlannedRead[]): PlannedRead[] =>
  plan.toSorted((a, b) => Number(hasBeans(b)) - Number(hasBeans(a)));
const hasBeans = ({ items }: PlannedRead): boolean => items.some(({ name }) => name === 'bean_temp');

/**
 * Reads everything a map names, once per call. Requests that the device refuses are split and stay split; a single
 * address it refuses is null until it answers again.
 */
export const createReader = (
  map: MachineMap,
  bus: Pick<Bus, 'read'> & Partial<Pick<Bus, 'moment'>>,
  now: () => number = () => performance.now(),
) => {
  const channels = Object.keys(map.channels);
  const decoders = new Map<string, Decode>(
    Object.entries(map.channels).map(([name, channel]) => [name, createDecoder(name, channel, map)]),
  );
  let plan = beansFirst(planReads(readItems(map), map));
  const refused = new Map<PlannedRead, { readonly until: number; readonly reason: string }>();
  const silentUnits = new Set<number>();

  const onRefused = (read: PlannedRead, reason: string): void => {
    const smaller = splitRead(read);
    if (smaller.length === 0) refused.set(read, { until: now() + askRefusedAgainMs, reason });
    else plan = beansFirst(plan.flatMap((other) => (other === read ? smaller : other)));
  };

  /**
   * A refusal counts when it comes twice: a damaged byte can cause one, and the register would not be read for a
   * minute.
   */
  const ask = async (read: PlannedRead): Promise<BusAnswer> => {
    const request = { ...read, upTo: maxSpan(read.table, map) };
    const answer = await bus.read(request);
    return answer.kind === 'exception' && refusesAddress(answer.code) ? bus.read(request) : answer;
  };

  return {
    channels,
    plan: (): readonly PlannedRead[] => plan,
    async read(): Promise<ReadingOutcome> {
      const decoded = new Map<string, DecodedValue>();
      const bits = new Map<string, boolean>();
      let from: number | undefined;
      let to = 0;
      let reason = nothingAsked;
      let isBroken = false;
      // Waiting for a silent unit would separate the values of the others in time.
      const inOrder = plan.toSorted((a, b) => Number(silentUnits.has(a.unit)) - Number(silentUnits.has(b.unit)));
      // `onRefused` may replace one request by smaller ones: they are sent in the next reading.
      for (const read of inOrder) {
        // Requests after a deadline has passed belong to another time.
        if (isBroken) {
          fill(decoded, read.items, silentValue);
          continue;
        }
        const refusal = refused.get(read);
        if (refusal !== undefined && now() < refusal.until) {
          if (reason === nothingAsked) ({ reason } = refusal);
          fill(decoded, read.items, refusedValue);
          continue;
        }
        const askedAt = now();
        const answer = await ask(read);
        silentUnits.delete(read.unit);
        if (answer.kind === 'failed' || answer.kind === 'resting' || answer.kind === 'silent') {
          reason = answer.reason;
          isBroken = answer.kind === 'failed';
          if (!isBroken) silentUnits.add(read.unit);
          fill(decoded, read.items, silentValue);
          continue;
        }
        if (answer.kind === 'exception') {
          reason = `Modbus exception ${answer.code} at unit ${read.unit} ${read.table} ${read.start}`;
          if (refusesAddress(answer.code)) onRefused(read, reason);
          fill(decoded, read.items, refusedValue);
          continue;
        }
        const moment = bus.moment?.() ?? { askedAt, answeredAt: now() };
        from ??= moment.askedAt;
        to = moment.answeredAt;
        refused.delete(read);
        for (const item of read.items) take(item, read, answer.words, decoded, bits);
      }
      if (from === undefined) return { kind: 'silence', reason };
      const values = channels.map((name) => decoded.get(name) ?? silentValue);
      return {
        kind: 'reading',
        values: values.map(({ value }) => value),
        qualities: values.map(({ quality }) => quality),
        bits,
        from,
        to,
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
