import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { endpoints } from './endpoints.ts';
import { addressShape, machineMapShape, parseAddress } from './machine-map.ts';
import { allMachines, journalBatchShape, parseTopic, timeServersShape, topicOf } from './mqtt.ts';
import { registerMachineShape } from './machines.ts';
import { openApiDocument } from './openapi.ts';
import { profileBodyShape } from './profiles.ts';

describe('endpoints', () => {
  it('have unique names and unique method and path', () => {
    const names = endpoints.map((endpoint) => endpoint.name);
    const routes = endpoints.map((endpoint) => `${endpoint.method} ${endpoint.path}`);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(routes).size).toBe(routes.length);
  });
  it('describe every parameter of their path', () => {
    for (const endpoint of endpoints) {
      const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const described =
        endpoint.params && 'shape' in endpoint.params ? Object.keys(endpoint.params.shape as object) : [];
      expect(described, endpoint.name).toEqual(inPath);
    }
  });
  it('below a machine, roast or plan state what the caller needs on it', () => {
    const silent = endpoints.filter(
      ({ path, access, right }) =>
        access === 'user' && right === undefined && /^\/(machines|roasts|roasts\/planned)\/\{id\}/.test(path),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
  it('have a response shape or a media type', () => {
    expect(endpoints.filter((endpoint) => !endpoint.response && !endpoint.produces)).toEqual([]);
  });
});

const told = (parsed: ReturnType<typeof registerMachineShape.safeParse | typeof profileBodyShape.safeParse>) =>
  parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a limit without its own message', () => {
  it('has a readable message', () => {
    const machine = { serial_number: 'S', machine_type: 'RM7', display_name: 'x'.repeat(121), max_capacity_kg: 7 };
    expect(told(registerMachineShape.safeParse(machine))).toEqual(['display_name: At most 120 characters']);
    const point = { burner: 50, exhaust: 50, drum: 50 };
    expect(
      told(
        profileBodyShape.safeParse({
          name: 'R',
          target_drop_temp: 401,
          target_development_time: -1,
          control_profile: Array.from({ length: 1801 }, (_, time) => ({ time, ...point })),
        }),
      ),
    ).toEqual([
      'target_drop_temp: At most 400',
      'target_development_time: At least 0',
      'control_profile: At most 1,800 entries',
    ]);
  });
});

/** JSON with each object and list on one line where it fits 120 characters. */
const written = (value: unknown, indent = 0): string => {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || line.length + indent <= 120) return line;
  const space = ' '.repeat(indent + 2);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const parts = Array.isArray(value)
    ? value.map((one: unknown) => written(one, indent + 2))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${written(one, indent + 2)}`);
  return `${open}\n${parts.map((part) => space + part).join(',\n')}\n${' '.repeat(indent)}${close}`;
};

describe('OpenAPI', () => {
  const golden = fileURLToPath(new URL('../openapi.golden.json', import.meta.url));
  it('equals the golden file (after an intended change run with UPDATE_GOLDEN=1 and review the difference)', () => {
    const text = `${written(openApiDocument())}\n`;
    if (process.env['UPDATE_GOLDEN']) writeFileSync(golden, text);
    expect(text).toBe(readFileSync(golden, 'utf8'));
  });
  it('refers only to schemas and responses that it has, each of which is referred to', () => {
    const { components, paths } = openApiDocument();
    const text = JSON.stringify({ paths, components });
    const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name));
    const named = [
      ...Object.keys(components.schemas).map((name) => `schemas/${name}`),
      ...Object.keys(components.responses).map((name) => `responses/${name}`),
    ];
    // The live stream is described, and no answer: EventSource reads it.
    expect(new Set([...referred, 'schemas/LiveEvent'])).toEqual(new Set(named));
  });
});

describe('topics', () => {
  it.each(['RM30-001', 'a/b', '+', '#', '$SYS', 'größe 7', '%2F'])('round-trip the serial number %s', (serial) => {
    const topic = topicOf(serial, 'journal');
    expect(topic.split('/')).toHaveLength(4);
    expect(/[+#]/.test(topic)).toBe(false);
    expect(parseTopic(topic)).toEqual({ serialNumber: serial, kind: 'journal' });
  });
  it.each([
    'roastery/v1/x',
    'roastery/v1/x/secret',
    'roastery/v1//journal',
    'roastery/v1/%/journal',
    'roastery/v1/a/journal/b',
    '$SYS/x',
  ])('refuse %s', (topic) => expect(parseTopic(topic)).toBeUndefined());
  it('cover all machines with one wildcard', () => expect(allMachines('journal')).toBe('roastery/v1/+/journal'));
});

describe('register addresses', () => {
  it('are parsed', () => {
    expect(parseAddress('h:6', 1)).toEqual({ unit: 1, table: 'holding', address: 6, bit: undefined });
    expect(parseAddress('2/i:10.3', 1)).toEqual({ unit: 2, table: 'input', address: 10, bit: 3 });
  });
  it('in five-digit notation are refused with the correct notation', () => {
    expect(addressShape.safeParse('40007').error?.issues[0]?.message).toContain('"h:6"');
    expect(addressShape.safeParse('30001').error?.issues[0]?.message).toContain('"i:0"');
  });
  it.each(['h:65536', '300/h:1', 'h:1.16', 'd:3.1', 'x:1', 'h:-1', ''])('refuse %s', (text) => {
    expect(addressShape.safeParse(text).success).toBe(false);
  });
});

describe('machine map', () => {
  const least = {
    v: 1,
    id: 'x',
    maker: 'M',
    model: 'X',
    link: { kind: 'tcp', host: '127.0.0.1' },
    channels: { bean_temp: { at: 'h:0' } },
  };
  it('fills in defaults', () => {
    expect(machineMapShape.parse(least)).toMatchObject({
      rev: 1,
      unit: 1,
      hz: 2,
      maxRegisters: 100,
      link: { port: 502 },
    });
  });
  it('needs a bean temperature', () => {
    expect(machineMapShape.safeParse({ ...least, channels: {} }).error?.issues[0]?.message).toContain(
      'bean_temp is missing',
    );
  });
  it('refuses a misspelt key', () => {
    expect(machineMapShape.safeParse({ ...least, chanels: {} }).success).toBe(false);
  });
});

describe('journal batch', () => {
  const batch = {
    v: 1,
    k: 'samples',
    epoch: '0123456789abcdef',
    seq: 0,
    boot: '0a1b2c3d-0000-4000-8000-000000000000',
    synced: true,
    t: 1,
    mono: 1,
    map: { id: 'x', rev: 1 },
    dt: [0, 250],
    ch: ['bean_temp'],
    s: [[200.1, null]],
  };
  it('accepts a valid one', () => expect(journalBatchShape.safeParse(batch).success).toBe(true));
  it.each([
    ['columns of another length', { s: [[1]] }],
    [
      'a column too many',
      {
        s: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'a channel twice',
      {
        ch: ['bean_temp', 'bean_temp'],
        s: [
          [1, 2],
          [1, 2],
        ],
      },
    ],
    ['time that falls', { dt: [250, 0] }],
    ['a temperature of 1e400', { s: [[Infinity, 1]] }],
    ['a sequence beyond what a double holds', { seq: 2 ** 53 }],
  ])('refuses %s', (_, change) => expect(journalBatchShape.safeParse({ ...batch, ...change }).success).toBe(false));
});

describe('time servers of a board', () => {
  it.each([['pool.ntp.org'], ['192.168.1.1'], ['2001:db8::7'], ['fe80::1'], ['ntp'], ['0.de.pool.ntp.org']])(
    'may be %s',
    (server) => expect(timeServersShape.safeParse([server]).success).toBe(true),
  );
  it.each([
    '',
    ' ',
    'a b',
    'a\nFallbackNTP=b',
    'a;b',
    '$(reboot)',
    '*',
    '../a',
    '-a',
    'a-',
    'a..b',
    'a_b',
    'ntp:123',
    '::1 ',
    'é.org',
    'a'.repeat(64),
    'a.'.repeat(127),
  ])('are never %j', (server) => expect(timeServersShape.safeParse([server]).success).toBe(false));
  it('are one to four', () =>
    expect(
      [0, 1, 4, 5].map((count) => timeServersShape.safeParse(Array.from({ length: count }, () => 'a')).success),
    ).toEqual([false, true, true, false]));
});
