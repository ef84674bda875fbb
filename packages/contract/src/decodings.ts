import type { Channel, Encoding, RegisterTable, WordOrder } from './machine-map.ts';
import { rawValue } from './raw-value.ts';

/**
 * Possible meanings of a register, for people who search for the instruments of their machine: every plausible decoding
 * of its value, and how much it looks like a temperature. Pure; board and portal use the same rules.
 */
export interface Decoding {
  readonly as: Encoding;
  readonly order: WordOrder;
  readonly scale: number;
  readonly unit: '°C' | '°F';
}

/** One register with its readings: `words[i]` was read at `seconds[i]` of the probe. */
export interface RegisterSeries {
  readonly unit: number;
  readonly table: RegisterTable;
  readonly address: number;
  readonly words: readonly number[];
  readonly seconds: readonly number[];
}

export interface Reading {
  readonly decoding: Decoding;
  /** °C, one per word. */
  readonly values: readonly number[];
  /** Above 0; the larger, the more it looks like a temperature. */
  readonly score: number;
}

export interface Candidate {
  readonly place: RegisterSeries;
  /** Best first; never empty. */
  readonly readings: readonly [Reading, ...Reading[]];
}

const orders: readonly WordOrder[] = ['ABCD', 'CDAB', 'BADC', 'DCBA'];
/** How common an encoding is; only decides the order where the values do not. */
const scaleWeights: readonly (readonly [number, number])[] = [
  [0.1, 1],
  [1, 0.9],
  [0.01, 0.5],
];
const orderWeights: Record<WordOrder, number> = { ABCD: 1, CDAB: 1, BADC: 0.4, DCBA: 0.4 };
const encodingWeights: Partial<Record<Encoding, number>> = { i16: 1, u16: 0.95, f32: 1.6, i32: 0.35, u32: 0.3 };
const unitWeights = { '°C': 1, '°F': 0.55 } as const;
/** Binary-coded decimal is rare, and 16 bits of it look like an ordinary number. */
const bcdWeight = 0.25;

const isWide = (as: Encoding): boolean => as === 'u32' || as === 'i32' || as === 'f32' || as === 'bcd32';

const allDecodings: readonly (Decoding & { readonly weight: number })[] = (
  ['i16', 'u16', 'f32', 'i32', 'u32', 'bcd16', 'bcd32'] as const
).flatMap((as) =>
  (isWide(as) ? orders : (['ABCD'] as const)).flatMap((order) =>
    (as === 'f32' ? ([[1, 1]] as const) : scaleWeights).flatMap(([scale, scaleWeight]) =>
      (['°C', '°F'] as const).map((unit) => ({
        as,
        order,
        scale,
        unit,
        weight: scaleWeight * orderWeights[order] * (encodingWeights[as] ?? bcdWeight) * unitWeights[unit],
      })),
    ),
  ),
);

/**
 * °C by one decoding; undefined where the bits are not a valid value. `second`: the following register, if there is
 * one.
 */
export const decodeAs = (decoding: Decoding, first: number, second: number | undefined): number | undefined => {
  if (isWide(decoding.as) && second === undefined) return undefined;
  const raw = rawValue(decoding.as, decoding.order, first, second ?? 0);
  if (raw === undefined) return undefined;
  const measured = raw * decoding.scale;
  const celsius = decoding.unit === '°F' ? (measured - 32) / 1.8 : measured;
  return Math.round(celsius * 100) / 100;
};

const lowest = -30;
const highest = 800;
/** A probe in a drum never changes faster, °C/s. */
const steepest = 20;
/** A float closer to zero than this is made of an integer's bits. */
const minFloat = 0.01;

/** How plausible a value is for a roaster: ambient to a hot drum first, then flames, then frost. */
const levelWeight = (celsius: number): number => {
  if (celsius < 5) return celsius < -5 ? 0.15 : 0.3;
  if (celsius <= 280) return 1;
  return celsius <= 500 ? 0.5 : 0.15;
};

const scoreOf = (
  decoding: Decoding & { weight: number },
  values: readonly number[],
  place: RegisterSeries,
  behind: RegisterSeries | undefined,
): number => {
  if (values.some((value) => value < lowest || value > highest) || values.every((value) => value === 0)) return 0;
  if (place.words.every((word) => word === 0) && (behind?.words.every((word) => word === 0) ?? true)) return 0;
  let steps = 0;
  for (let index = 1; index < values.length; index++) {
    const rise = Math.abs((values[index] ?? 0) - (values[index - 1] ?? 0));
    const lasted = Math.max(1, (place.seconds[index] ?? 0) - (place.seconds[index - 1] ?? 0));
    if (rise / lasted > steepest) return 0;
    if (rise > 0) steps += 1;
  }
  const last = values.at(-1) ?? 0;
  let score = decoding.weight * levelWeight(last);
  if (decoding.as === 'f32') {
    const isNothing = (value: number): boolean =>
      Math.abs(decoding.unit === '°F' ? value * 1.8 + 32 : value) < minFloat;
    if (values.some(isNothing)) return 0;
    // Round numbers are settings; the bits of an integer beside an empty register look like one.
    const low = decoding.order === 'ABCD' || decoding.order === 'BADC' ? behind : place;
    if (low === undefined || low.words.every((word) => word === 0)) score *= 0.4;
  }
  // A constant value is more often a setting than a probe; a real probe fluctuates.
  return values.length > 2 && steps === 0 ? score * 0.5 : score;
};

/** A later decoding with the same numbers as an earlier one is left out. */
const withoutEchoes = (readings: readonly Reading[]): Reading[] => {
  const seen = new Set<string>();
  return readings.filter(({ values }) => {
    const said = values.join(' ');
    if (seen.has(said)) return false;
    seen.add(said);
    return true;
  });
};

export interface RankOptions {
  /** The temperature on the machine's own display, °C: decodings close to it come first. */
  readonly shown?: number;
}

const nearness = (values: readonly number[], shown: number): number => {
  const away = Math.abs((values.at(-1) ?? Number.POSITIVE_INFINITY) - shown);
  return away <= Math.max(3, Math.abs(shown) * 0.03) ? 4 / (1 + away) : 0.01 / (1 + away);
};

/** The decodings of one register, best first; empty where none can be a temperature. */
const readPlace = (place: RegisterSeries, behind: RegisterSeries | undefined, { shown }: RankOptions): Reading[] => {
  const next = behind?.words.length === place.words.length ? behind : undefined;
  const readings = allDecodings.flatMap((decoding): Reading[] => {
    const values: number[] = [];
    for (const [index, word] of place.words.entries()) {
      const value = decodeAs(decoding, word, next?.words[index]);
      if (value === undefined) return [];
      values.push(value);
    }
    const plain = scoreOf(decoding, values, place, next);
    const score = shown === undefined ? plain : plain * nearness(values, shown);
    const { as, order, scale, unit } = decoding;
    return score > 0 ? [{ decoding: { as, order, scale, unit }, values, score }] : [];
  });
  return withoutEchoes(readings.toSorted((a, b) => b.score - a.score));
};

export const placeKey = ({ unit, table, address }: Pick<RegisterSeries, 'unit' | 'table' | 'address'>): string =>
  `${unit}/${table}/${address}`;

/** Registers that can be a temperature, likeliest first. Coils and discrete inputs cannot; they are left out. */
export const rankTemperatures = (places: readonly RegisterSeries[], options: RankOptions = {}): Candidate[] => {
  const byKey = new Map(places.map((place) => [placeKey(place), place]));
  const candidates = places.flatMap((place): Candidate[] => {
    if (place.table === 'coil' || place.table === 'discrete' || place.words.length === 0) return [];
    const behind = byKey.get(placeKey({ ...place, address: place.address + 1 }));
    const [best, ...others] = readPlace(place, behind, options);
    return best === undefined ? [] : [{ place, readings: [best, ...others] }];
  });
  // The second half of a float is not a channel of its own.
  const halves = new Set(
    candidates
      .filter(({ readings: [best] }) => best.decoding.as === 'f32' && best.score > 0.5)
      .map(({ place }) => placeKey({ ...place, address: place.address + 1 })),
  );
  const weight = ({ place, readings: [best] }: Candidate): number =>
    halves.has(placeKey(place)) && best.decoding.as !== 'f32' ? best.score * 0.2 : best.score;
  return candidates.toSorted((a, b) => weight(b) - weight(a));
};

/** A coil or a discrete input, with its readings. */
export interface BitCandidate {
  readonly place: RegisterSeries;
  /** How often it changed during the probe. */
  readonly changes: number;
}

/** Coils and discrete inputs, those that changed first: a signal of the machine changes when the machine does. */
export const rankBits = (places: readonly RegisterSeries[]): BitCandidate[] =>
  places
    .filter(({ table, words }) => (table === 'coil' || table === 'discrete') && words.length > 0)
    .map((place) => ({
      place,
      changes: place.words.filter((word, at) => at > 0 && word !== place.words[at - 1]).length,
    }))
    .toSorted((a, b) => Number(b.changes > 0) - Number(a.changes > 0));

const letters: Record<RegisterTable, string> = { holding: 'h', input: 'i', coil: 'c', discrete: 'd' };

/** A register in a map's notation, e.g. `h:6`, or `2/i:1000` of a unit other than the map's. */
export const addressText = (
  { unit, table, address }: Pick<RegisterSeries, 'unit' | 'table' | 'address'>,
  mapUnit: number,
): string => `${unit === mapUnit ? '' : `${unit}/`}${letters[table]}:${address}`;

/** A temperature channel of a map that reads a register this way. */
export const channelOf = (
  place: Pick<RegisterSeries, 'unit' | 'table' | 'address'>,
  { as, order, scale, unit }: Decoding,
  mapUnit: number,
): Channel => ({
  at: addressText(place, mapUnit),
  as,
  ...(isWide(as) ? { order } : {}),
  scale,
  offset: 0,
  unit,
});

/** A decoding in a few words, e.g. `i16 ÷10 °C` or `f32 CDAB °F`. */
export const decodingText = ({ as, order, scale, unit }: Decoding): string =>
  [as, isWide(as) ? order : '', scale === 1 ? '' : `÷${Math.round(1 / scale)}`, unit].filter(Boolean).join(' ');
