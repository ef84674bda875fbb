import {
  parseAddress,
  type MachineMap,
  type RegisterAddress,
  type RegisterTable,
} from '@roastery/contract/machine-map';

/** One item of the map at one address: a channel or the bit of an event. */
export interface ReadItem {
  readonly purpose: 'channel' | 'event';
  readonly name: string;
  readonly address: RegisterAddress;
  /** Number of registers (or coils, discrete inputs). */
  readonly width: 1 | 2;
}

/** One request on the wire with the items in its answer. */
export interface PlannedRead {
  readonly unit: number;
  readonly table: RegisterTable;
  readonly start: number;
  readonly count: number;
  readonly items: readonly ReadItem[];
}

export interface ReadLimits {
  readonly maxRegisters: number;
  readonly maxHole: number;
}

const isBits = (table: RegisterTable): boolean => table === 'coil' || table === 'discrete';
/** Addresses in one request. A bit takes a sixteenth of a register; the protocol allows 2000. */
export const maxSpan = (table: RegisterTable, limits: Pick<ReadLimits, 'maxRegisters'>): number =>
  isBits(table) ? Math.min(2000, limits.maxRegisters * 16) : limits.maxRegisters;

/** All addresses that a map reads. */
export const readItems = (map: MachineMap): ReadItem[] => {
  const channels = Object.entries(map.channels).map(([name, channel]): ReadItem => {
    const address = parseAddress(channel.at, map.unit);
    const wide = channel.as === 'u32' || channel.as === 'i32' || channel.as === 'f32' || channel.as === 'bcd32';
    const single = !wide || address.bit !== undefined || isBits(address.table);
    return { purpose: 'channel', name, address, width: single ? 1 : 2 };
  });
  const events = Object.entries(map.events).flatMap(([name, event]): ReadItem[] =>
    event?.when === undefined
      ? []
      : [{ purpose: 'event', name, address: parseAddress(event.when, map.unit), width: 1 }],
  );
  return [...channels, ...events];
};

const toRead = (items: readonly ReadItem[]): PlannedRead | undefined => {
  const first = items[0];
  if (!first) return undefined;
  const { unit, table, address: start } = first.address;
  const end = Math.max(...items.map((item) => item.address.address + item.width));
  return { unit, table, start, count: end - start, items };
};

/**
 * Groups neighbours of one unit and table into as few requests as possible: gaps of up to `maxHole` are read too, no
 * request exceeds `maxRegisters`. At 9600 baud a request costs far more than the registers in it.
 */
export const planReads = (items: readonly ReadItem[], limits: ReadLimits): PlannedRead[] => {
  const sorted = items.toSorted(
    (a, b) =>
      a.address.unit - b.address.unit ||
      a.address.table.localeCompare(b.address.table) ||
      a.address.address - b.address.address,
  );
  const groups: ReadItem[][] = [];
  let end = 0;
  for (const item of sorted) {
    const group = groups.at(-1);
    const first = group?.[0]?.address;
    const { unit, table, address } = item.address;
    const itemEnd = Math.max(end, address + item.width);
    const joins =
      first !== undefined &&
      first.unit === unit &&
      first.table === table &&
      address - end <= limits.maxHole &&
      itemEnd - first.address <= maxSpan(table, limits);
    if (joins) {
      group?.push(item);
      end = itemEnd;
    } else {
      groups.push([item]);
      end = address + item.width;
    }
  }
  return groups.flatMap((group) => toRead(group) ?? []);
};

/**
 * The requests that replace one that the device refused (exception 2 or 3): first the same items without gaps, then
 * halves. Empty when a single address is refused, which cannot be split.
 */
export const splitRead = (read: PlannedRead): PlannedRead[] => {
  const withoutHoles = planReads(read.items, { maxRegisters: read.count, maxHole: 0 });
  if (withoutHoles.length > 1) return withoutHoles;
  const places = [...new Set(read.items.map((item) => item.address.address))];
  const middle = places[places.length >> 1];
  if (places.length < 2 || middle === undefined) return [];
  const halves = [
    read.items.filter((item) => item.address.address < middle),
    read.items.filter((item) => item.address.address >= middle),
  ];
  return halves.flatMap((half) => toRead(half) ?? []);
};
