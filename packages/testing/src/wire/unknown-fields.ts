import { z } from 'zod';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Records whose keys are names instead of fields: an unknown one is data. */
const named: ReadonlySet<string> = new Set(['values', 'channels', 'outputs', 'events']);

export interface Changed {
  readonly place: string;
  readonly value: unknown;
}

/** The message with one unknown field, once for each object in it. */
export const withUnknownFields = (message: unknown, place = '', isNamed = false): Changed[] => {
  if (Array.isArray(message)) {
    return message.flatMap((item, index) =>
      withUnknownFields(item, `${place}[${index}]`).map((changed) => ({
        ...changed,
        value: message.with(index, changed.value),
      })),
    );
  }
  if (!isRecord(message)) return [];
  const own: Changed[] = isNamed ? [] : [{ place, value: { ...message, newer_field: { any: ['thing'] } } }];
  const inner = Object.entries(message).flatMap(([key, item]) =>
    withUnknownFields(item, `${place}.${key}`, named.has(key)).map((changed) => ({
      ...changed,
      value: { ...message, [key]: changed.value },
    })),
  );
  return [...own, ...inner];
};

interface Keys {
  readonly place: string;
  /** In the message. */
  readonly keys: readonly string[];
  /** In the shape that accepts it. */
  readonly possible: readonly string[];
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly additionalProperties?: unknown;
}

const fits = ({ properties = {} }: JsonSchema, value: Record<string, unknown>): boolean =>
  Object.entries(properties).every(([key, one]) => one.const === undefined || one.const === value[key]);

const walk = (schema: JsonSchema, value: unknown, place: string): Keys[] => {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    const choice = choices.find((one) =>
      isRecord(value)
        ? one.properties !== undefined && fits(one, value)
        : Array.isArray(value) && one.items !== undefined,
    );
    return choice === undefined ? [] : walk(choice, value, place);
  }
  if (Array.isArray(value)) {
    const items = schema.items;
    return items === undefined ? [] : value.flatMap((item, index) => walk(items, item, `${place}[${index}]`));
  }
  if (!isRecord(value) || schema.properties === undefined) return [];
  const { properties } = schema;
  return [
    { place, keys: Object.keys(value), possible: Object.keys(properties) },
    ...Object.entries(properties).flatMap(([key, one]) => walk(one, value[key], `${place}.${key}`)),
  ];
};

/** At each object of a message: its present fields, and those of its shape. */
export const keysAt = (shape: z.ZodType, message: unknown): Keys[] =>
  walk(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as JsonSchema, message, '');
