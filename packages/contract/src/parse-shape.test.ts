import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoints } from './endpoints.ts';
import { liveEventShape } from './live.ts';
import { machineMapShape } from './machine-map.ts';
import { ackShape, configShape, eventBatchShape, liveReadingShape, sampleBatchShape, statusShape } from './mqtt.ts';
import { describeRefusal, parseJson, parseOrThrow, parseShape, ShapeError } from './parse-shape.ts';
import { probeMessageShape, probeRequestShape } from './probe.ts';
import { plansShape } from './roast-plan.ts';

/** Own properties with names that JavaScript itself looks up on a value. */
const ownProperties = [
  '{"length":{"toString":1}}',
  '{"length":{"valueOf":1,"toString":1}}',
  '{"length":1e999}',
  '{"size":{"toString":1}}',
  '{"toString":1}',
  '{"constructor":1}',
  '{"__proto__":{"length":{"toString":1}}}',
  '{"then":1,"toJSON":1}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
].map((text) => JSON.parse(text) as unknown);

const allShapes: readonly (readonly [string, z.ZodType | undefined])[] = [
  ...endpoints.flatMap(
    (endpoint) =>
      [
        [`${endpoint.name} params`, endpoint.params],
        [`${endpoint.name} query`, endpoint.query],
        [`${endpoint.name} body`, endpoint.body],
      ] as const,
  ),
  ['sample batch', sampleBatchShape],
  ['event batch', eventBatchShape],
  ['live reading', liveReadingShape],
  ['status', statusShape],
  ['ack', ackShape],
  ['config', configShape],
  ['plans', plansShape],
  ['probe message', probeMessageShape],
  ['probe request', probeRequestShape],
  ['machine map', machineMapShape],
  ['live event', liveEventShape],
];

const keysOf = (shape: z.ZodType): string[] => (shape instanceof z.ZodObject ? Object.keys(shape.shape) : []);

describe('parseShape', () => {
  it('refuses a value whose check throws, with a closed reason', () => {
    const hostile = { email: { length: { toString: 1 } } };
    expect(() => z.object({ email: z.string().max(3) }).safeParse(hostile)).toThrow(TypeError);
    expect(parseShape(z.object({ email: z.string().max(3) }), hostile)).toMatchObject({
      success: false,
      reason: 'check_threw',
    });
  });

  it('never throws for any shape of the contract, with own properties at the root and in every field', () => {
    let tried = 0;
    const tooLong: string[] = [];
    for (const [name, shape] of allShapes) {
      if (shape === undefined) continue;
      for (const value of ownProperties) {
        expect(() => parseShape(shape, value), name).not.toThrow();
        const keys = keysOf(shape);
        const inEveryField = Object.fromEntries(keys.map((key) => [key, value]));
        for (const key of keys) {
          const parsed = parseShape(shape, { ...inEveryField, [key]: value });
          if (!parsed.success && describeRefusal(parsed).length > 500) tooLong.push(`${name} ${key}`);
          tried += 1;
        }
      }
    }
    expect(tooLong).toEqual([]);
    expect(tried).toBeGreaterThan(1000);
  });

  it('returns the parsed value, with defaults and transforms', () => {
    expect(parseShape(z.object({ n: z.coerce.number().default(4) }), {})).toEqual({ success: true, data: { n: 4 } });
  });

  it('returns every issue of a mismatch', () => {
    const parsed = parseShape(z.object({ a: z.string(), b: z.number() }), {});
    expect(parsed).toMatchObject({ success: false, reason: 'mismatch', issues: [{ path: ['a'] }, { path: ['b'] }] });
  });
});

describe('parseJson', () => {
  it('refuses text that is not JSON', () =>
    expect(parseJson(z.unknown(), '{')).toMatchObject({ success: false, reason: 'not_json' }));
  it('checks the value in the text', () =>
    expect(parseJson(z.object({ a: z.number() }), '{"a":1}')).toEqual({ success: true, data: { a: 1 } }));
});

describe('parseOrThrow', () => {
  it('throws a ShapeError with one line', () =>
    expect(() => parseOrThrow(z.object({ a: z.string().max(1) }), { a: { length: { toString: 1 } } })).toThrow(
      new ShapeError({
        success: false,
        reason: 'check_threw',
        issues: [{ code: 'custom', path: [], message: 'has a value that cannot be checked', input: undefined }],
      }),
    ));
});
