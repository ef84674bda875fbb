import type { ChannelUnit, KnownChannel } from '@roastery/contract/channels';
import type { TemperatureUnit, TimeUnit } from '@roastery/roasting/units';
import { type Concept, cutName, type Word, wordsIn } from './head-vocabulary.ts';

export interface HeadMeaning {
  /** `none`: a rate of rise or a number of the row, which only repeat other columns. */
  readonly use: 'time' | 'event' | 'channel' | 'none';
  /** Of a time, as the head states it. */
  readonly timeUnit?: TimeUnit | undefined;
  /** Of a temperature, as the head states it. */
  readonly temperatureUnit?: TemperatureUnit | undefined;
  /** The known channel; undefined for one of the file's own. */
  readonly channel?: KnownChannel | undefined;
  /** Of a channel. */
  readonly unit?: ChannelUnit | undefined;
  /** A temperature whose probe is not named: `temp1`, `Temperature (°C)`. */
  readonly isUnnamedProbe?: boolean;
  /** `T`: a temperature where another column is the time. */
  readonly isTimeOrTemperature?: boolean;
}

/** Time columns that only repeat another one. */
const repeated = new Set(['time 2', 'since charge', 'roast clock']);
/** `America/Los_Angeles` in the head of a column of dates. */
const zone = /\b[A-Z][A-Za-z]+\/[A-Za-z_]+(?:\/[A-Za-z_]+)?\b/;

const isUnitWord = ({ timeUnit, temperatureUnit, concepts }: Word): boolean =>
  timeUnit !== undefined || temperatureUnit !== undefined || concepts.includes('percent');

/** `°C/min`, `c per 30 s`: a temperature in a time. */
const isRateUnit = (words: readonly Word[]): boolean =>
  words.some(({ temperatureUnit, text }, at) => {
    if (temperatureUnit === undefined && text !== 'k') return false;
    const [by, ...after] = words.slice(at + 1);
    const unit = after.find(({ concepts }) => !concepts.includes('number'));
    return (by?.text === '/' || by?.text === 'per') && unit?.timeUnit !== undefined && unit.timeUnit !== 'ms';
  });

const isDerivedWords = (words: readonly Word[]): boolean => {
  const has = (concept: Concept) => words.some(({ concepts }) => concepts.includes(concept));
  // `Delta BT` is a rate; `DeltaBTET` the distance of two probes.
  const isDelta =
    has('delta') &&
    has('bean') !== has('exhaust') &&
    words.every(
      (word) => isUnitWord(word) || word.concepts.some((one) => ['delta', 'bean', 'exhaust', 'filler'].includes(one)),
    );
  return has('ror') || (has('rate') && has('rise')) || isDelta || isRateUnit(words);
};

/** A rate of rise by its name or its unit: it is computed from a temperature, and never a channel itself. */
export const isDerived = (name: string): boolean => /升温|升溫/.test(cutName(name)) || isDerivedWords(wordsIn(name));

export const temperatureUnitOf = (head: string): TemperatureUnit | undefined =>
  wordsIn(head).findLast(({ temperatureUnit }) => temperatureUnit !== undefined)?.temperatureUnit;

const timeUnitOf = (words: readonly Word[]): TimeUnit | undefined => {
  const units = new Set(words.flatMap(({ timeUnit }) => timeUnit ?? []));
  // `m:s` is a clock.
  return units.size === 1 ? [...units][0] : undefined;
};

/** `seconds since start` */
const sinceWhen = /(?:since|from|after)[ _]+[a-z]+/i;

const timeMeaning = (head: string): HeadMeaning | undefined => {
  const words = wordsIn(head.replace(zone, ' ').replace(sinceWhen, ' '));
  const isExplained = words.every(
    ({ concepts, timeUnit }) =>
      timeUnit !== undefined ||
      concepts.some((one) => ['time', 't', 'clock', 'filler', 'count', 'number'].includes(one)),
  );
  if (!isExplained) return undefined;
  const hasNumber = words.some(({ concepts }) => concepts.includes('number'));
  const isTime = words.some(({ concepts }) => concepts.includes('time'));
  const isShort = words.some(({ concepts }) => concepts.includes('t'));
  const hasUnit = words.some(({ timeUnit }) => timeUnit !== undefined);
  // `mm:ss`
  const isClock = words.length > 1 && words.every(({ concepts }) => concepts.includes('clock'));
  if (!isTime && !hasUnit && !isClock && (!isShort || hasNumber)) return undefined;
  return { use: 'time', timeUnit: timeUnitOf(words), isTimeOrTemperature: isShort && !isTime && !hasUnit };
};

const outputs: readonly (readonly [KnownChannel, Concept])[] = [
  ['fan_speed', 'fan'],
  ['fan_speed', 'air'],
  ['heat_power', 'burner'],
  ['drum_speed', 'drum'],
  ['heat_power', 'power'],
];

const channelMeaning = (words: readonly Word[]): HeadMeaning => {
  const has = (concept: Concept) => words.some(({ concepts }) => concepts.includes(concept));
  const only = (...allowed: readonly Concept[]) =>
    words.every(
      ({ concepts, temperatureUnit }) =>
        temperatureUnit !== undefined ||
        concepts.some((one) => one === 'filler' || one === 'number' || allowed.includes(one)),
    );
  const temperatureUnit = words.findLast((word) => word.temperatureUnit !== undefined)?.temperatureUnit;
  const isTemperature = has('temperature') || has('t') || temperatureUnit !== undefined;
  const temperature = (channel: KnownChannel | undefined, isUnnamedProbe = false): HeadMeaning => {
    return { use: 'channel', channel, unit: '°C', temperatureUnit, isUnnamedProbe };
  };
  const about = ['temperature', 't', 'probe'] as const;
  if (has('bean') && only('bean', 'front', ...(isTemperature ? (['mass'] as const) : []), ...about))
    return temperature('bean_temp');
  if (has('mass') && isTemperature && only('mass', ...about)) return temperature('bean_temp');
  // `exhaust gas`
  const isGas = words.some(({ text }) => text === 'gas');
  if (has('exhaust') && only('exhaust', 'air', ...(isGas ? (['burner'] as const) : []), ...about)) {
    return temperature('exhaust_temp');
  }
  if (has('air') && isTemperature && only('air', ...about)) return temperature('exhaust_temp');
  for (const side of ['front', 'back'] as const) {
    if (has('burner') && has(side) && only('burner', side, ...about)) return temperature(`burner_${side}_temp`);
  }
  const isProbe = isTemperature || (has('probe') && has('number'));
  if (isProbe && only(...about)) return temperature(undefined, true);
  if (isTemperature) return temperature(undefined);
  const output = outputs.find(([, concept]) => has(concept));
  const isKnown =
    output !== undefined &&
    only(output[1], 'exhaust', 'air', 'power', 'percent') &&
    !(has('exhaust') && output[1] === 'air');
  return { use: 'channel', channel: isKnown ? output[0] : undefined, unit: isKnown || has('percent') ? '%' : '' };
};

/** The meaning of the head of a column, by its words; undefined for an empty one. */
export const meaningOf = (head: string): HeadMeaning | undefined => {
  const words = wordsIn(head);
  if (words.length === 0) return undefined;
  if (repeated.has(words.map(({ text }) => text).join(' ')) || isDerived(head)) return { use: 'none' };
  const every = (...allowed: readonly Concept[]) =>
    words.every(({ concepts }) => concepts.some((one) => allowed.includes(one)));
  if (every('count', 'number') && !every('number')) return { use: 'none' };
  if (every('event', 'filler'))
    return words.some(({ concepts }) => concepts.includes('event')) ? { use: 'event' } : undefined;
  return timeMeaning(head) ?? channelMeaning(words);
};

/** The channel of a name, or undefined for one of the file's own. */
export const knownChannel = (name: string): { channel: KnownChannel; unit: ChannelUnit } | undefined => {
  const meaning = meaningOf(name);
  return meaning?.channel === undefined ? undefined : { channel: meaning.channel, unit: meaning.unit ?? '' };
};

/** True for a row below the heads that only has their units. */
export const isUnitText = (text: string): boolean => {
  const words = wordsIn(text);
  return (
    words.length > 0 && words.every((word) => isUnitWord(word) || word.concepts.includes('clock') || word.text === '/')
  );
};
