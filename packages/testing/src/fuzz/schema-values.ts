import { leaf, type JsonTree } from './json-tree.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** Ids of existing records, by the name of a field or a part of a path. */
export interface KnownRecords {
  idFor(name: string, random: SeededRandom): string | undefined;
  /** Words in the records: names, serial numbers, origins. */
  readonly words: readonly string[];
}

/** Texts that fit the patterns of the contract. */
const wellFormed = [
  'h:6',
  '2/i:12',
  'c:0',
  'bean_temp',
  'a-map-1',
  '0'.repeat(64),
  'f'.repeat(16),
  'BCDF-GHJK-LMNP',
  '192.168.1.5',
  'Europe/Berlin',
  '10:30',
  '1,2,3',
];

const textFor = (schema: JsonSchema, name: string, random: SeededRandom, known: KnownRecords): string => {
  if (schema.format === 'uuid') return known.idFor(name, random) ?? '018f0000-0000-7000-8000-000000000000';
  if (schema.format === 'date-time') return random.pick(['2026-11-21T07:40:00.000Z', '2026-11-20T23:59:59Z']);
  if (schema.format === 'date') return random.pick(['2026-11-21', '2025-01-01', '1900-01-01', '2200-12-31']);
  if (schema.format === 'email') return `fuzz-${random.below(1_000_000)}@example.com`;
  const id = /(?:^|_)id$|^ids$/.test(name) ? known.idFor(name, random) : undefined;
  if (id !== undefined) return id;
  if (schema.pattern !== undefined && !random.once(3)) return random.pick(wellFormed) ?? '';
  const word = random.pick(random.once(4) ? wellFormed : known.words) ?? 'House blend';
  return random.once(3) ? `${word} ${random.below(100_000)}`.slice(0, schema.maxLength ?? 60) : word;
};

const numberFor = (schema: JsonSchema, random: SeededRandom): number => {
  const least = Math.max(schema.minimum ?? schema.exclusiveMinimum ?? -100, -1e9);
  const most = Math.min(schema.maximum ?? 1000, 1e9);
  const value = random.pick([least, most, least + random.below(Math.max(1, Math.floor(most - least))), least + 1]);
  return schema.type === 'integer' ? Math.round(value) : value;
};

const objectFor = (schema: JsonSchema, random: SeededRandom, known: KnownRecords): JsonTree => {
  const fields: [string, JsonTree][] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if ((schema.required ?? []).includes(name) || random.once(2)) {
      fields.push([name, valueFor(property, name, random, known)]);
    }
  }
  if (typeof schema.additionalProperties === 'object') {
    const name = textFor(schema.propertyNames ?? {}, 'channel', random, known);
    fields.push([name, valueFor(schema.additionalProperties, name, random, known)]);
  }
  return { fields };
};

/** A value that fits a schema as far as a program can decide, new each time. */
export const valueFor = (schema: JsonSchema, name: string, random: SeededRandom, known: KnownRecords): JsonTree => {
  if (schema.const !== undefined) return leaf(schema.const);
  if (schema.enum !== undefined) return leaf(random.pick(schema.enum));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return valueFor(random.pick(choices) ?? {}, name, random, known);
  const [type] = [schema.type].flat().filter((one) => one !== undefined);
  if (type === 'string') return leaf(textFor(schema, name, random, known));
  if (type === 'number' || type === 'integer') return leaf(numberFor(schema, random));
  if (type === 'boolean') return leaf(random.once(2));
  if (type === 'null') return leaf(null);
  if (type === 'array') {
    const items = schema.prefixItems?.map((item) => valueFor(item, name, random, known)) ?? [];
    const more = (schema.minItems ?? 0) + random.below(3);
    if (schema.items !== undefined) {
      for (let n = items.length; n < more; n += 1) items.push(valueFor(schema.items, name, random, known));
    }
    return { items };
  }
  if (type === 'object' || schema.properties !== undefined) return objectFor(schema, random, known);
  const [first, ...rest] = schema.allOf ?? [];
  if (first !== undefined) return valueFor(Object.assign({}, first, ...rest) as JsonSchema, name, random, known);
  return leaf(random.pick(known.words) ?? 'x');
};
