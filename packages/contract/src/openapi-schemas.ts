import { z } from 'zod';
import * as channels from './channels.ts';
import { endpointFiles, endpoints } from './endpoints.ts';
import { errorBodyShape } from './errors.ts';
import { liveEventShape } from './live.ts';
import * as machineMap from './machine-map.ts';
import * as mqtt from './mqtt.ts';
import * as shapes from './shapes.ts';

export type JsonSchema = z.core.JSONSchema._JSONSchema;

interface Schemas {
  /** The schema of a shape in requests (`input`) or answers: a reference where it has a name. */
  readonly of: (shape: z.ZodType, io: 'input' | 'output') => JsonSchema;
  /** Every named schema, in the order of the names. */
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/** Files with shapes that others are made of. */
const sharedFiles: readonly Readonly<Record<string, unknown>>[] = [shapes, channels, machineMap, mqtt];

/** `roastRowShape` → `RoastRow` */
const nameOf = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1).replace(/Shape$/, '');

/** The exported shapes, by their names. */
const namedShapes = (): Map<z.ZodType, string> => {
  const names = new Map<z.ZodType, string>([
    [errorBodyShape, 'Error'],
    [liveEventShape, 'LiveEvent'],
  ]);
  for (const file of [...sharedFiles, ...endpointFiles]) {
    for (const [key, value] of Object.entries(file)) {
      if (key.endsWith('Shape') && value instanceof z.ZodType && !names.has(value)) names.set(value, nameOf(key));
    }
  }
  return names;
};

/** A schema that refers to components instead of definitions of its conversion, under other names where these are given. */
const referring = (schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string') return value;
    const name = value.slice(value.lastIndexOf('/') + 1);
    return `#/components/schemas/${names.get(name) ?? name}`;
  });

interface Converted {
  readonly roots: readonly JsonSchema[];
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/** Converts shapes together, so that each named one is written once. */
const convert = (shapes: readonly z.ZodType[], names: Map<z.ZodType, string>, io: 'input' | 'output'): Converted => {
  const metadata = z.registry<{ id: string }>();
  for (const [shape, id] of names) metadata.add(shape, { id });
  const { properties = {}, $defs = {} } = z.toJSONSchema(z.object(Object.fromEntries(shapes.entries())), {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    metadata,
  });
  const named = Object.entries($defs).map(([name, { id: _id, ...schema }]) => [name, schema] as const);
  return { roots: shapes.map((_, place) => properties[place] ?? {}), named: Object.fromEntries(named) };
};

/** Names whose schema for requests is another one than that for answers, by themselves or by what they refer to. */
const differing = (requests: Converted['named'], answers: Converted['named']): ReadonlySet<string> => {
  const found = new Set<string>();
  const differs = (name: string): boolean => {
    const schema = JSON.stringify(requests[name]);
    if (answers[name] !== undefined && schema !== JSON.stringify(answers[name])) return true;
    return [...found].some((other) => schema.includes(`"#/$defs/${other}"`));
  };
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const name of Object.keys(requests)) if (!found.has(name) && differs(name)) found.add(name);
  }
  return found;
};

/** The schemas of all endpoints. A named shape that requests may leave parts of is there twice: `MachineMap`, `MachineMapInput`. */
export const contractSchemas = (): Schemas => {
  const names = namedShapes();
  const asked = endpoints
    .flatMap(({ params, query, body }) => [params, query, body])
    .filter((one) => one !== undefined);
  const answered = [...endpoints.flatMap(({ response }) => response ?? []), errorBodyShape, liveEventShape];
  const [requests, answers] = [convert(asked, names, 'input'), convert(answered, names, 'output')];
  const others = differing(requests.named, answers.named);
  const inputNames = new Map([...others].map((name) => [name, `${name}Input`]));
  const unchanged = new Map<string, string>();
  const named = [
    ...Object.entries(answers.named).map(([name, schema]) => [name, referring(schema, unchanged)] as const),
    ...Object.entries(requests.named)
      .filter(([name]) => others.has(name) || answers.named[name] === undefined)
      .map(([name, schema]) => [inputNames.get(name) ?? name, referring(schema, inputNames)] as const),
  ].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const roots = {
    input: new Map(asked.map((shape, place) => [shape, referring(requests.roots[place] ?? {}, inputNames)])),
    output: new Map(answered.map((shape, place) => [shape, referring(answers.roots[place] ?? {}, unchanged)])),
  };
  return { of: (shape, io) => roots[io].get(shape) ?? {}, named: Object.fromEntries(named) };
};
