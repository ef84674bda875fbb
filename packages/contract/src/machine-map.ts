import { z } from 'zod';
import { channelNameShape } from './channels.ts';
import { lineShape } from './shapes.ts';

/**
 * A machine map assigns a meaning to Modbus registers. It is data: a catalogue entry or the owner's file. Addresses are
 * zero-based as on the wire; `40001` notation is refused with a sentence that names the correct address.
 */

const addressSentence =
  'write [unit/]h|i|c|d:address[.bit], zero-based as on the wire, e.g. "h:6" for holding register 6 (40007 in five-digit notation) or "2/i:10.3"';

export const addressPattern = /^(?:(\d{1,3})\/)?([hicd]):(\d{1,5})(?:\.(\d{1,2}))?$/;

/** `40007`, `2/40007`, `300007.3`: manuals count from one. */
const fiveDigitPattern = /^(\d{1,3}\/)?([0134])(\d{4,5})(\.\d{1,2})?$/;
const lettersOfTables: Record<string, string> = { '0': 'c', '1': 'd', '3': 'i', '4': 'h' };

const fiveDigitHint = (text: string): string | undefined => {
  const [, unit = '', table = '', number = '', bit = ''] = fiveDigitPattern.exec(text.trim()) ?? [];
  const letter = lettersOfTables[table];
  if (letter === undefined) return undefined;
  if (Number(number) === 0)
    return `"${text}" is five-digit notation, which begins at ${table}${'1'.padStart(number.length, '0')}: ${addressSentence}`;
  return `"${text}" is five-digit notation: write "${unit}${letter}:${Number(number) - 1}${bit}"`;
};

export const addressShape = z.string().superRefine((text, context) => {
  const match = addressPattern.exec(text);
  if (!match) {
    context.addIssue({ code: 'custom', message: fiveDigitHint(text) ?? addressSentence });
    return;
  }
  const [, unit, table, address, bit] = match;
  if (unit !== undefined && Number(unit) > 255) context.addIssue({ code: 'custom', message: 'unit must be 0 to 255' });
  if (Number(address) > 65_535) context.addIssue({ code: 'custom', message: 'address must be 0 to 65535' });
  if (bit !== undefined && (table === 'c' || table === 'd')) {
    context.addIssue({ code: 'custom', message: 'coils and discrete inputs have no bits: leave ".bit" away' });
  }
  if (bit !== undefined && Number(bit) > 15) context.addIssue({ code: 'custom', message: 'bit must be 0 to 15' });
});

export type RegisterTable = 'holding' | 'input' | 'coil' | 'discrete';
export interface RegisterAddress {
  readonly unit: number;
  readonly table: RegisterTable;
  /** Zero-based PDU address. */
  readonly address: number;
  readonly bit: number | undefined;
}

const tables: Record<string, RegisterTable> = { h: 'holding', i: 'input', c: 'coil', d: 'discrete' };

/** Parses an address that `addressShape` accepted; `defaultUnit` is the map's unit. Throws on anything else. */
export const parseAddress = (text: string, defaultUnit: number): RegisterAddress => {
  const match = addressPattern.exec(text);
  const table = match ? tables[match[2] ?? ''] : undefined;
  if (!match || !table) throw new Error(`not a register address: ${text}; ${addressSentence}`);
  return {
    unit: match[1] === undefined ? defaultUnit : Number(match[1]),
    table,
    address: Number(match[3]),
    bit: match[4] === undefined ? undefined : Number(match[4]),
  };
};

export const encodingShape = z.enum(['u16', 'i16', 'u32', 'i32', 'f32', 'bcd16', 'bcd32', 'bool']);
export type Encoding = z.infer<typeof encodingShape>;

/** Byte order of a 32-bit value over two registers, as its bytes arrive: ABCD is big-endian, CDAB swaps the words. */
export const wordOrderShape = z.enum(['ABCD', 'CDAB', 'BADC', 'DCBA']);
export type WordOrder = z.infer<typeof wordOrderShape>;

const serialLine = {
  path: lineShape(200).default('/dev/ttyUSB0'),
  baud: z.number().int().min(300).max(921_600).default(9600),
  dataBits: z.union([z.literal(7), z.literal(8)]).default(8),
  parity: z.enum(['none', 'even', 'odd']).default('none'),
  stopBits: z.union([z.literal(1), z.literal(2)]).default(1),
};
const socket = {
  host: lineShape(253).min(1),
  port: z.number().int().min(1).max(65_535).default(502),
};
export const linkKinds = ['tcp', 'rtu-over-tcp', 'rtu', 'ascii'] as const;
const tcpLinkShape = z.strictObject({ kind: z.literal('tcp'), ...socket });
const rtuOverTcpLinkShape = z.strictObject({ kind: z.literal('rtu-over-tcp'), ...socket });
const rtuLinkShape = z.strictObject({ kind: z.literal('rtu'), ...serialLine });
const asciiLinkShape = z.strictObject({ kind: z.literal('ascii'), ...serialLine });
export const linkShape = z.discriminatedUnion('kind', [
  tcpLinkShape,
  rtuOverTcpLinkShape,
  rtuLinkShape,
  asciiLinkShape,
]);
export type Link = z.infer<typeof linkShape>;

export const unitOfMeasureShape = z.enum(['°C', '°F', '%', 'rpm', 'Hz', 'Pa', 'mbar', 'kWh', 'bool', '']);

/**
 * engineering value = raw × scale + offset; °F is converted to °C and mbar to Pa at the edge. Out of range or `bad` → null,
 * never 0.
 */
export const channelShape = z.strictObject({
  at: addressShape,
  as: encodingShape.default('u16'),
  order: wordOrderShape.optional(),
  scale: z.number().default(1),
  offset: z.number().default(0),
  unit: unitOfMeasureShape.default('°C'),
  /** Valid engineering values in `unit`, before the conversion to °C. */
  range: z.tuple([z.number(), z.number()]).optional(),
  /** Raw values a machine sends for "no probe". */
  bad: z.array(z.number()).optional(),
});
export type Channel = z.infer<typeof channelShape>;

/**
 * raw = (engineering value − offset) ÷ scale, clamped to `range`. Only described and simulated; nothing writes unless
 * commissioned.
 */
export const outputShape = z.strictObject({
  at: addressShape,
  as: encodingShape.default('u16'),
  order: wordOrderShape.optional(),
  scale: z.number().default(1),
  offset: z.number().default(0),
  unit: unitOfMeasureShape.default('%'),
  range: z.tuple([z.number(), z.number()]),
  maxPerSecond: z.number().positive().optional(),
  readback: channelNameShape.optional(),
  safe: z.number().optional(),
});
export type Output = z.infer<typeof outputShape>;

const eventActionShape = z.union([
  z.tuple([addressShape, z.number()]),
  z.strictObject({ wait: z.number().int().min(0).max(600_000) }),
]);

/**
 * `when`: a bit that the machine raises at the event (rising edge); `on`: writes that make the event happen (described
 * only).
 */
export const eventShape = z
  .strictObject({ when: addressShape.optional(), on: z.array(eventActionShape).optional() })
  .refine((event) => event.when !== undefined || event.on !== undefined, 'an event needs "when" or "on"');

export const eventNameShape = z.enum([
  'charge',
  'turning_point',
  'dry_end',
  'first_crack',
  'first_crack_end',
  'second_crack',
  'second_crack_end',
  'drop',
  'cooling',
  'cool_end',
]);

/** The most channels in a batch of samples. */
const maxChannels = 64;
/** More than any machine has. With the other limits it keeps a map well below the broker's packet limit. */
const maxOutputs = 64;
const maxBad = 20;
const maxActions = 100;

/** How a map was verified: not at all, against the simulator (registers and decoding agree), or on a real machine. */
export const verificationShape = z.enum(['none', 'simulator', 'hardware']);
export type Verification = z.infer<typeof verificationShape>;

export const mapIdShape = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, 'use lower-case letters, digits, dot, dash');

/** A map that was saved before: it must stay readable when the limits are lowered. */
export const storedMapShape = z.strictObject({
  v: z.literal(1),
  id: mapIdShape,
  /** Counts the owner's edits; sent with every batch of samples. */
  rev: z.number().int().min(1).default(1),
  maker: lineShape(80),
  model: lineShape(80),
  /** The capacity, where the machine's name contains it. */
  capacityKg: z.number().min(0.1).max(10_000).optional(),
  /** The source of its facts. */
  source: lineShape(120).optional(),
  verified: verificationShape.default('none'),
  /** Notes to read before relying on it. */
  notes: lineShape(600).optional(),
  link: linkShape,
  /** 1 to 247 on a serial line; some machines on TCP answer only to 255. */
  unit: z.number().int().min(0).max(255).default(1),
  order: wordOrderShape.default('ABCD'),
  /** Readings per second. */
  hz: z.number().min(0.1).max(10).default(2),
  timeoutMs: z.number().int().min(20).max(10_000).default(300),
  /** The pause after a failure, longer than the machine's slowest answer. */
  quietMs: z.number().int().min(0).max(30_000).default(1000),
  /** Pause between two requests on a line that needs one. */
  gapMs: z.number().int().min(0).max(1000).default(0),
  maxRegisters: z.number().int().min(1).max(125).default(100),
  maxHole: z.number().int().min(0).max(60).default(12),
  /**
   * How its roasts begin: `hot` (default), beans into a heated machine; `cold`, with the beans in before the heat is
   * on, as in fluid beds and sample roasters. The detector uses it to find the charge.
   */
  charging: z.enum(['hot', 'cold']).optional(),
  /** RPM at which `drum_speed` reads 100 %. */
  maxDrumRpm: z.number().positive().max(500).default(100),
  channels: z.record(channelNameShape, channelShape),
  outputs: z.partialRecord(channelNameShape, outputShape).default({}),
  events: z.partialRecord(eventNameShape, eventShape).default({}),
});

/** On a serial line 0 is a broadcast: every unit receives it, and none answers. */
const isUnitOn = ({ kind }: Link, unit: number): boolean =>
  kind === 'tcp' || (unit <= 247 && (unit > 0 || kind === 'rtu-over-tcp'));
const isWide = (as: Encoding): boolean => as === 'u32' || as === 'i32' || as === 'f32' || as === 'bcd32';

/** Every address of a map with its path in the map. */
const addressesOf = (
  map: z.infer<typeof storedMapShape>,
): { path: (string | number)[]; at: string; as?: Encoding }[] => [
  ...Object.entries(map.channels).map(([name, { at, as }]) => ({ path: ['channels', name, 'at'], at, as })),
  ...Object.entries(map.outputs).flatMap(([name, output]) =>
    output === undefined ? [] : [{ path: ['outputs', name, 'at'], at: output.at, as: output.as }],
  ),
  ...Object.entries(map.events).flatMap(([name, event]) =>
    event?.when === undefined ? [] : [{ path: ['events', name, 'when'], at: event.when }],
  ),
];

const checkMap = (map: z.infer<typeof storedMapShape>, context: z.RefinementCtx): void => {
  const refuse = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: 'custom', path, message });
  const serialUnits = 'unit must be 1 to 247 on a serial line';
  if (!isUnitOn(map.link, map.unit)) refuse(['unit'], serialUnits);
  for (const { path, at, as } of addressesOf(map)) {
    // An invalid address has been reported already.
    if (!addressPattern.test(at)) continue;
    const { unit, table, address, bit } = parseAddress(at, map.unit);
    if (unit !== map.unit && !isUnitOn(map.link, unit)) refuse(path, serialUnits);
    const isRegister = table === 'holding' || table === 'input';
    if (address === 65_535 && isRegister && bit === undefined && as !== undefined && isWide(as))
      refuse(path, `${as} takes two registers, and there is none after 65535`);
  }
  if (!('bean_temp' in map.channels))
    refuse(['channels'], 'bean_temp is missing: a roast is read by its bean temperature');
  if (Object.keys(map.channels).length > maxChannels)
    refuse(['channels'], `at most ${maxChannels} channels: a board can't record more`);
  if (Object.keys(map.outputs).length > maxOutputs) refuse(['outputs'], `at most ${maxOutputs} outputs`);
  for (const [name, { bad }] of Object.entries(map.channels))
    if (bad !== undefined && bad.length > maxBad) refuse(['channels', name, 'bad'], `at most ${maxBad} values`);
  for (const [name, event] of Object.entries(map.events))
    if (event?.on !== undefined && event.on.length > maxActions)
      refuse(['events', name, 'on'], `at most ${maxActions} steps`);
  for (const [name, output] of Object.entries(map.outputs))
    if (output?.readback !== undefined && !(output.readback in map.channels))
      refuse(['outputs', name, 'readback'], `there is no channel "${output.readback}"`);
};

/** As a person writes it: an unknown key is probably a typing error and is refused. */
export const machineMapShape = storedMapShape.superRefine(checkMap);

/** As a server or a board of another version sends it: unknown keys are ignored. */
export const sentLinkShape = z.discriminatedUnion('kind', [
  tcpLinkShape.strip(),
  rtuOverTcpLinkShape.strip(),
  rtuLinkShape.strip(),
  asciiLinkShape.strip(),
]);
export const sentMapShape = storedMapShape
  .extend({
    link: sentLinkShape,
    channels: z.record(channelNameShape, channelShape.strip()),
    outputs: z.partialRecord(channelNameShape, outputShape.strip()).default({}),
    events: z.partialRecord(eventNameShape, eventShape.strip()).default({}),
  })
  .strip()
  .superRefine(checkMap);
export type MachineMap = z.infer<typeof machineMapShape>;
/** As a person writes it, without defaults. */
export type MachineMapInput = z.input<typeof machineMapShape>;
