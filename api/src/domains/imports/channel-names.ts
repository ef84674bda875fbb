import type { ChannelUnit } from './imported-roast.ts';

interface KnownName {
  readonly channel: string;
  readonly unit: ChannelUnit;
  /** Whole names, in lower case, letters and digits separated by single spaces. */
  readonly names: readonly string[];
}

/** Names of the known channels in programs and in roasteries. */
const known: readonly KnownName[] = [
  {
    channel: 'bean_temp',
    unit: '°C',
    names: [
      'bt',
      'bean',
      'beans',
      'bean temp',
      'bean temperature',
      'beantemp',
      // Bellwether's probe at the front.
      'beanfr',
      'bean probe',
      'product temperature',
      'bohnentemperatur',
      'bohnentemp',
      'température grains',
      'température des grains',
      'temperatura del grano',
      'temperatura grano',
      'temperatura do grão',
      'temperatura grão',
      'temperatura chicchi',
      'temperatura dei chicchi',
      'bonentemperatuur',
      'температура зерна',
      '豆温',
      '豆溫',
      '豆温度',
      '생두온도',
    ],
  },
  {
    channel: 'exhaust_temp',
    unit: '°C',
    names: [
      'et',
      'exhaust',
      'exhaust temp',
      'exhaust temperature',
      'env',
      'env temp',
      'environment',
      'environment temp',
      'environmental temperature',
      'environment temperature',
      'air temp',
      'air temperature',
      'ablufttemperatur',
      'temperatura de salida',
      'temperatura fumi',
      '排気温度',
      '排風溫度',
      '排风温度',
    ],
  },
  { channel: 'burner_front_temp', unit: '°C', names: ['burner front', 'burner front temp'] },
  { channel: 'burner_back_temp', unit: '°C', names: ['burner back', 'burner back temp'] },
  {
    channel: 'heat_power',
    unit: '%',
    names: [
      'burner',
      'heater',
      'heat',
      'gas',
      'power',
      'heat power',
      'burner power',
      'gas power',
      'duty',
      '燃燒室',
      '火力',
    ],
  },
  {
    channel: 'fan_speed',
    unit: '%',
    names: ['air', 'fan', 'airflow', 'air flow', 'fan speed', 'exhaust damper', '進風量', '風門'],
  },
  { channel: 'drum_speed', unit: '%', names: ['drum', 'drum speed', '滾筒'] },
];

/** Name patterns take quadratic time in the length; no channel has a longer name. */
const maxNameLength = 120;

export const cutName = (name: string): string => name.slice(0, maxNameLength);

const words = (name: string): string =>
  cutName(name)
    .replaceAll(/[([][^)\]]*[)\]]/g, ' ')
    .replaceAll(/[°%]\s*[CF]?\b/g, ' ')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The channel of a name, or undefined for one of the file's own. */
export const knownChannel = (name: string): { channel: string; unit: ChannelUnit } | undefined => {
  const said = words(name);
  return known.find(({ names }) => names.includes(said));
};

/** `Inlet (°F)` → `Inlet`: the stored values are in °C, whatever the file's unit. */
export const labelWithoutUnit = (label: string): string =>
  cutName(label).replace(/\s*[([]\s*(?:°\s*[CF]?|%)\s*[)\]]$/i, '') || label;

const longest = 40;

const slugOf = (name: string, place: number): string => {
  const slug = cutName(name)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_\d]+|_+$/g, '')
    .slice(0, longest);
  return slug === '' ? `channel_${place}` : slug;
};

/** The unique names of one recording's channels. */
export class ChannelNames {
  readonly #taken = new Set<string>();
  /** The last number of a name, so that a thousand curves with one name are numbered in one pass. */
  readonly #lastNumber = new Map<string, number>();

  get size(): number {
    return this.#taken.size;
  }

  /** Reserves a known name. False when it is in use. */
  take(name: string): boolean {
    if (this.#taken.has(name)) return false;
    this.#taken.add(name);
    return true;
  }

  /** `Inlet Air` → `inlet_air`; a name without an ASCII letter becomes `channel_3`. Never one that is in use. */
  takeOwn(label: string, place: number): string {
    const base = slugOf(label, place);
    if (this.take(base)) return base;
    const stem = base.slice(0, longest - 4);
    let number = (this.#lastNumber.get(stem) ?? 1) + 1;
    while (!this.take(`${stem}_${number}`)) number += 1;
    this.#lastNumber.set(stem, number);
    return `${stem}_${number}`;
  }
}

/** A rate of rise by its name or its unit: it is computed from a temperature, and never a channel itself. */
export const isDerived = (name: string): boolean =>
  /(?:^| )ror(?: |$)|rate ?of ?rise|derivative|^(?:delta|δ) ?(?:bt|et)$|升温|升溫/.test(words(name)) ||
  /°?\s*[CFK]\s*(?:\/|per)\s*(?:\d*\s*s|m)/i.test(cutName(name));

/** A percentage, by its values. */
export const isPercentage = (values: readonly (number | null)[]): boolean =>
  values.every((value) => value === null || (value >= 0 && value <= 100));
