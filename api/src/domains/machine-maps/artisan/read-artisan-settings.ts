import { channelUnit } from '@roastery/contract/channels';
import {
  machineMapShape,
  type Channel,
  type Encoding,
  type Link,
  type MachineMap,
  type WordOrder,
} from '@roastery/contract/machine-map';
import { parseShape } from '@roastery/contract/parse-shape';
import type { FileJob } from '../../../file-reading/file-job.ts';
import { AppError } from '../../../http/app-error.ts';
import { readSettingsFile, type SettingsFile } from './settings-file.ts';

/** A machine map from a settings file of Artisan, and the parts that could not be imported, in sentences. */
export interface ArtisanMachine {
  readonly map: MachineMap;
  readonly remarks: readonly string[];
}

/** Reading a settings file, as a job of the file readers. */
export const readArtisanSettings: FileJob<{ readonly fileName: string }, ArtisanMachine> = {
  name: 'read Artisan settings',
};

const inputs = Array.from({ length: 10 }, (_, index) => index + 1);
const modbusDevice = 29;
/** Extra devices by their number in Artisan, with the inputs that they show. */
const extraModbus: Readonly<Record<number, readonly [number, number]>> = {
  33: [3, 4],
  55: [5, 6],
  109: [7, 8],
  150: [9, 10],
};
const siemensDevices = new Set([79, 80, 81, 82, 110, 151]);
/** Artisan's own names of its four event types: settings refer to them by their index. */
const eventNames = ['Air', 'Drum', 'Damper', 'Burner'];
const modbus = 'Modbus';

const refuse = (sentence: string) => new AppError('validation', sentence);

const kinds: readonly (Link['kind'] | undefined)[] = ['rtu', 'ascii', undefined, 'tcp', undefined];
const kindNames = ['serial RTU', 'serial ASCII', 'serial binary', 'TCP', 'UDP'];

const within = (value: number | undefined, low: number, high: number, usual: number): number =>
  value === undefined ? usual : Math.min(high, Math.max(low, value));

/** How the machine is connected. A serial port of another computer has no meaning on the board. */
const linkOf = (settings: SettingsFile): { link: unknown; remarks: string[] } => {
  const type = settings.number(modbus, 'type') ?? 0;
  const kind = kinds[type];
  if (kind === undefined) {
    throw refuse(
      `The file reads Modbus over ${kindNames[type] ?? `connection type ${type}`}. Boards read RTU, ASCII and TCP.`,
    );
  }
  if (kind === 'tcp' || kind === 'rtu-over-tcp') {
    const host = settings.text(modbus, 'host') ?? '127.0.0.1';
    return { link: { kind, host, port: within(settings.number(modbus, 'port'), 1, 65_535, 502) }, remarks: [] };
  }
  const parities: Readonly<Record<string, string>> = { N: 'none', E: 'even', O: 'odd' };
  const port = settings.text(modbus, 'comport');
  return {
    link: {
      kind,
      path: '/dev/ttyUSB0',
      // Artisan leaves settings out that have its own initial value.
      baud: within(settings.number(modbus, 'baudrate'), 300, 921_600, 115_200),
      dataBits: settings.number(modbus, 'bytesize') === 7 ? 7 : 8,
      parity: parities[(settings.text(modbus, 'parity') ?? 'N').toUpperCase()] ?? 'none',
      stopBits: settings.number(modbus, 'stopbits') === 2 ? 2 : 1,
    },
    remarks:
      port === undefined
        ? []
        : [
            `The serial port ${port} belongs to another computer. The board uses /dev/ttyUSB0 until you choose another.`,
          ],
  };
};

interface Input {
  readonly number: number;
  readonly slave: number;
  readonly letter: string;
  readonly register: number;
  readonly as: Encoding;
  readonly scale: number;
  readonly mode: string;
}

const letters: Readonly<Record<number, string>> = { 1: 'c', 2: 'd', 3: 'h', 4: 'i' };

/** The encoding of a value in its registers. The flags exclude each other in Artisan's dialog, in this order. */
const encodingOf = (flag: (name: string) => boolean): Encoding => {
  const isSigned = flag('Signed');
  if (flag('BCDsAsInt')) return 'bcd16';
  if (flag('FloatsAsInt')) return isSigned ? 'i32' : 'u32';
  if (flag('float')) return 'f32';
  if (flag('bcd')) return 'bcd32';
  return isSigned ? 'i16' : 'u16';
};

/** The inputs in use: Artisan leaves out those of slave 0. Versions after 3.2 name the slave `deviceId`. */
const inputsOf = (settings: SettingsFile): Input[] =>
  inputs.flatMap((number) => {
    const key = (name: string) => `input${number}${name}`;
    const slave = settings.number(modbus, key('deviceId')) ?? settings.number(modbus, key('slave')) ?? 0;
    if (slave <= 0) return [];
    const letter = letters[settings.number(modbus, key('code')) ?? 3];
    if (letter === undefined) return [];
    const isBit = letter === 'c' || letter === 'd';
    return [
      {
        number,
        slave,
        letter,
        register: settings.number(modbus, key('register')) ?? 0,
        as: isBit ? 'bool' : encodingOf((name) => settings.flag(modbus, key(name))),
        scale: [1, 0.1, 0.01][settings.number(modbus, key('div')) ?? 0] ?? 1,
        mode: settings.has(modbus, key('mode')) ? (settings.text(modbus, key('mode')) ?? '') : 'C',
      },
    ];
  });

const orderOf = (settings: SettingsFile): WordOrder => {
  // Without a setting in the file, Artisan swaps the words.
  const isWordLittle =
    settings.text(modbus, 'wordorderLittle') === undefined || settings.flag(modbus, 'wordorderLittle');
  const isByteLittle = settings.flag(modbus, 'littleEndianFloats');
  if (isByteLittle) return isWordLittle ? 'DCBA' : 'BADC';
  return isWordLittle ? 'CDAB' : 'ABCD';
};

/** Curves of the extra devices by the input that they show. */
const namesOfInputs = (settings: SettingsFile): ReadonlyMap<number, string> => {
  const own = settings.list('events', 'etypes');
  const placeholder = (name: string): string =>
    name.replaceAll(/\{([0-3])\}/g, (_whole, place: string) => own[Number(place)] ?? eventNames[Number(place)] ?? '');
  const [first, second] = [settings.list('ExtraDev', 'extraname1'), settings.list('ExtraDev', 'extraname2')];
  const names = new Map<number, string>();
  for (const [at, device] of settings.list('ExtraDev', 'extradevices').entries()) {
    const shown = extraModbus[Number(device)];
    if (shown === undefined) continue;
    names.set(shown[0], placeholder(first[at] ?? ''));
    names.set(shown[1], placeholder(second[at] ?? ''));
  }
  return names;
};

const knownNames: readonly (readonly [RegExp, string])[] = [
  [/^(?:bt|bean|beans|bean temp.*)$/, 'bean_temp'],
  [/^(?:et|exhaust|exhaust temp.*|env.*)$/, 'exhaust_temp'],
  [/^(?:burner|heater|heat|gas|power|heating|burner power|gas power)$/, 'heat_power'],
  [/^(?:air|fan|airflow|air flow|fan speed|damper|air damper)$/, 'fan_speed'],
  [/^(?:drum|drum speed)$/, 'drum_speed'],
];

/** `Inlet temp` → `inlet_temp`; the names that the portal knows where a curve has one. */
const channelNameOf = (name: string, number: number, taken: ReadonlySet<string>): string => {
  const plain = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
  const known = knownNames.find(([pattern]) => pattern.test(plain))?.[1];
  const own = plain
    .replaceAll(' ', '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 36);
  const wanted = known ?? (own === '' ? `input_${number}` : own);
  return taken.has(wanted) ? `${own === '' || own === wanted ? 'input' : own}_${number}` : wanted;
};

const channelOf = (name: string, input: Input, unit: number): Record<string, unknown> => {
  const { slave, letter, register, as, scale, mode } = input;
  const at = `${slave === unit ? '' : `${slave}/`}${letter}:${register}`;
  if (as === 'bool') return { at, as, unit: 'bool' };
  const isTemperature = mode === 'C' || mode === 'F';
  const unitOfMeasure: Channel['unit'] = isTemperature
    ? mode === 'F'
      ? '°F'
      : '°C'
    : channelUnit(name) === '%'
      ? '%'
      : '';
  // As in the catalogue: a value outside a probe's range is a missing reading.
  const range = isTemperature ? { range: mode === 'F' ? [-58, 1292] : [-50, 700] } : {};
  return { at, as, scale, unit: unitOfMeasure, ...range };
};

/** The unit that most inputs have: the map's own. */
const usualUnit = (all: readonly Input[]): number => {
  const counts = new Map<number, number>();
  for (const { slave } of all) counts.set(slave, (counts.get(slave) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0] ?? 1;
};

const sourceRefusal = (settings: SettingsFile, device: number | undefined): AppError | undefined => {
  if (device !== undefined && siemensDevices.has(device)) {
    return refuse(
      'This machine is read over Siemens S7. Boards read Modbus: ask the maker whether the machine supports it.',
    );
  }
  if (device !== undefined && device !== modbusDevice) {
    return refuse(`Artisan reads the bean temperature with another device (number ${device}), not over Modbus.`);
  }
  if (!settings.has(modbus)) return refuse('The file has no Modbus settings, so a board can’t use it.');
  return undefined;
};

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`;

/** Features of Artisan's settings that this map does not have. */
const remarksOf = (settings: SettingsFile): string[] => {
  const commands = [
    ...settings.list('Sliders', 'slidercommands'),
    ...settings.list('ExtraEventButtons', 'extraeventsactionstrings'),
    ...settings.list('DefaultButtons', 'buttonactionstrings'),
    ...settings.list('DefaultButtons', 'extrabuttonactionstrings'),
  ].filter((command) => command.trim() !== '');
  const others = settings
    .list('ExtraDev', 'extradevices')
    .filter((device) => extraModbus[Number(device)] === undefined);
  const formulas = [
    ...settings.list('ExtraDev', 'extramathexpression1'),
    ...settings.list('ExtraDev', 'extramathexpression2'),
    settings.text('General', 'BTfunction') ?? '',
    settings.text('General', 'ETfunction') ?? '',
  ].filter((formula) => formula.trim() !== '');
  const hasPid = (settings.number(modbus, 'PID_device_ID') ?? settings.number(modbus, 'PID_slave_ID') ?? 0) > 0;
  return [
    ...(hasPid ? ['The PID controller was not imported: the board never writes to a machine.'] : []),
    ...(commands.length > 0
      ? [
          `${count(commands.length, 'command')} of sliders and buttons not imported: the board never writes to a machine.`,
        ]
      : []),
    ...(others.length > 0
      ? [`${count(others.length, 'further device')} of the file not imported: boards read Modbus only.`]
      : []),
    ...(formulas.length > 0
      ? [`${count(formulas.length, 'formula')} of curves not imported: the board records the register values.`]
      : []),
  ];
};

/** Maker and model as the file names its machine, else the name of the settings. */
const machineName = (settings: SettingsFile, fileName: string): { maker: string; model: string } => {
  const named =
    settings.text('General', 'roastertype_setup') ??
    settings.text('RoastProperties', 'roastertype') ??
    fileName
      .replace(/^.*[/\\]/, '')
      .replace(/\.[^.]*$/, '')
      .replaceAll('_', ' ');
  // oxlint-disable-next-line no-control-regex -- a name of a map must not contain control characters
  const clean = named.replaceAll(/[\u0000-\u001f\u007f]/g, ' ').trim() || 'Roaster';
  const [maker = clean, ...model] = clean.split(/\s+/);
  return { maker: maker.slice(0, 80), model: (model.join(' ') || maker).slice(0, 80) };
};

/**
 * Reads a settings file of Artisan (`.aset`) into a machine map. Artisan shows input 1 as the bean temperature (BT) and
 * input 2 as the exhaust temperature (ET), or the other way round where the file says so.
 * @throws `validation` with a sentence for a file whose machine is not read over Modbus
 */
export const artisanMachine = (bytes: Uint8Array, { fileName }: { fileName: string }): ArtisanMachine => {
  const settings = readSettingsFile(new TextDecoder().decode(bytes));
  const device = settings.number('Device', 'id');
  const refusal = sourceRefusal(settings, device);
  if (refusal !== undefined) throw refusal;
  const all = inputsOf(settings);
  const isSwapped = settings.flag('General', 'swapETBT');
  const [beanNumber, exhaustNumber] = isSwapped ? [2, 1] : [1, 2];
  const bean = all.find(({ number }) => number === beanNumber);
  if (bean === undefined) {
    throw refuse(
      isSwapped
        ? 'The file exchanges ET and BT, so input 2 is the bean temperature, but it is not set in this file.'
        : 'Input 1, Artisan’s bean temperature, is not set in this file.',
    );
  }
  const unit = usualUnit(all);
  const names = namesOfInputs(settings);
  const { link, remarks } = linkOf(settings);
  if (isSwapped) {
    remarks.push('The file exchanges ET and BT: input 2 is the bean temperature, input 1 the exhaust temperature.');
  }
  const channels: Record<string, Record<string, unknown>> = {};
  for (const input of [bean, ...all.filter((other) => other !== bean)]) {
    const given = input === bean ? 'bt' : input.number === exhaustNumber ? 'et' : (names.get(input.number) ?? '');
    const name = channelNameOf(given, input.number, new Set(Object.keys(channels)));
    channels[name] = channelOf(name, input, unit);
    if (given === '') remarks.push(`Input ${input.number} has no curve in the file, so it is named ${name}.`);
  }
  const isWide = all.some(({ as }) => ['u32', 'i32', 'f32', 'bcd32'].includes(as));
  const delayMs = settings.number('General', 'Delay');
  const timeoutSeconds =
    link !== null && settings.number(modbus, 'type') === 3
      ? settings.number(modbus, 'IP_timeout')
      : settings.number(modbus, 'timeout');
  const capacity = settings.number('General', 'roastersize_setup');
  const notes = [...remarks, ...remarksOf(settings)];
  const parsed = parseShape(machineMapShape, {
    v: 1,
    id: 'artisan-settings',
    ...machineName(settings, fileName),
    source: 'Artisan settings file',
    ...(capacity !== undefined && capacity >= 0.1 && capacity <= 10_000 ? { capacityKg: capacity } : {}),
    ...(notes.length === 0 ? {} : { notes: notes.join(' ').slice(0, 600) }),
    link,
    unit,
    ...(isWide ? { order: orderOf(settings) } : {}),
    hz: delayMs === undefined || delayMs <= 0 ? 1 : within(Math.round(10_000 / delayMs) / 10, 0.1, 10, 1),
    ...(timeoutSeconds === undefined ? {} : { timeoutMs: within(Math.round(timeoutSeconds * 1000), 100, 10_000, 400) }),
    channels,
  });
  if (!parsed.success) {
    throw refuse(
      `The file does not give a valid map: ${parsed.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}.`,
    );
  }
  return { map: parsed.data, remarks: notes };
};
