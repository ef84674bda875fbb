import { recordKey, timeindexKinds } from './alog.ts';
import { nearestSample, specialEventsOf, type ControlSteps } from './alog-controls.ts';
import { withEscapes } from './alog-fields.ts';
import { markOf, type MarkKind } from '../marks.ts';
import { pythonRepr, type WritableValue } from './python-repr.ts';
import type { Reading } from '../curves/series.ts';
import { cToF, type TemperatureUnit } from '../units.ts';

/** An extra curve, on the same times as bean and exhaust temperature. */
export interface WrittenChannel {
  /** As Artisan shows it. */
  readonly name: string;
  readonly isTemperature: boolean;
  readonly values: readonly Reading[];
}

/** A roast to write for Artisan: °C, kg, seconds since the recording began. */
export interface WrittenRoast {
  /** In which the file has its temperatures, as Artisan's `mode`; °C without it. */
  readonly mode?: TemperatureUnit;
  /** The number on the bags, `A-12`: Artisan stores what precedes the number as its prefix. */
  readonly batch?: string | null;
  readonly timesSeconds: readonly number[];
  readonly beanTempC: readonly Reading[];
  readonly exhaustTempC: readonly Reading[];
  readonly channels: readonly WrittenChannel[];
  /** The settings of burner, air and drum: shown beside the curves, and kept when Artisan saves the file again. */
  readonly controls?: Partial<ControlSteps>;
  readonly marks: readonly { readonly kind: MarkKind; readonly timeSeconds: number }[];
  readonly title: string;
  readonly beans: string;
  readonly machine: string;
  readonly operator: string;
  readonly roastingNotes: string;
  readonly color: number | null;
  readonly greenKg: number | null;
  readonly roastedKg: number | null;
  /** When the recording began, ms since 1970. */
  readonly startedAtMs: number;
  readonly uuid: string;
  /** Data that the format has no place for; `parseAlog` returns it as `record`. */
  readonly record: WritableValue;
}

/** The version of the format that is followed, in Artisan's own numbering. */
const artisanVersion = '4.0.3';
/** Artisan's number for a device that it does not read itself. */
const virtualDevice = 25;

/** The criteria of a cupping; 5 of 10 means not rated. */
const flavorLabels = [
  'Acidity',
  'Aftertaste',
  'Clean Cup',
  'Head',
  'Fragrance',
  'Sweetness',
  'Aroma',
  'Balance',
  'Body',
];

/**
 * A roast as an Artisan `.alog` file. Marks lie on the nearest sample, as in Artisan; missing readings are -1. Extra
 * curves go in pairs, since an extra device of Artisan has two.
 */
export function writeAlog(roast: WrittenRoast): string {
  return [...writeAlogPieces(roast)].join('');
}

/** The same in parts, for curves of hours: one entry of the file's dictionary at a time. */
export function* writeAlogPieces(roast: WrittenRoast): Generator<string> {
  let before = '{';
  for (const [key, value] of Object.entries(alogOf(roast))) {
    yield `${before}${pythonRepr(key)}: ${pythonRepr(value)}`;
    before = ', ';
  }
  yield '}\n';
}

/** Thousandths of a degree: more than any probe has, and no trace of the conversion. */
const inFahrenheit = (reading: Reading): Reading => (reading === null ? null : Math.round(cToF(reading) * 1000) / 1000);

function inMode(roast: WrittenRoast): WrittenRoast {
  if (roast.mode !== 'F') return roast;
  return {
    ...roast,
    beanTempC: roast.beanTempC.map(inFahrenheit),
    exhaustTempC: roast.exhaustTempC.map(inFahrenheit),
    channels: roast.channels.map((channel) =>
      channel.isTemperature ? { ...channel, values: channel.values.map(inFahrenheit) } : channel,
    ),
  };
}

/** `PR-0012` as `PR-00` and 12: Artisan writes them behind each other. */
function batchOf({ batch }: WrittenRoast): { prefix: string; number: number } {
  const found = /^(.*?)([1-9]\d{0,8})$/.exec(batch ?? '');
  return found === null ? { prefix: '', number: 0 } : { prefix: found[1] ?? '', number: Number(found[2]) };
}

function alogOf(written: WrittenRoast): Record<string, WritableValue> {
  const roast = inMode(written);
  const isF = roast.mode === 'F';
  const batch = batchOf(roast);
  const started = new Date(roast.startedAtMs);
  return {
    version: artisanVersion,
    viewerMode: false,
    mode: isF ? 'F' : 'C',
    title: withEscapes(roast.title),
    beans: withEscapes(roast.beans),
    roastertype: withEscapes(roast.machine),
    operator: withEscapes(roast.operator),
    roastingnotes: withEscapes(roast.roastingNotes),
    cuppingnotes: '',
    weight: [roast.greenKg ?? 0, roast.roastedKg ?? 0, 'Kg'],
    ground_color: roast.color ?? 0,
    whole_color: 0,
    roastisodate: started.toISOString().slice(0, 10),
    roasttime: started.toISOString().slice(11, 19),
    roastepoch: Math.floor(roast.startedAtMs / 1000),
    roasttzoffset: 0,
    roastUUID: roast.uuid.replaceAll('-', ''),
    roastbatchnr: batch.number,
    roastbatchprefix: withEscapes(batch.prefix),
    timeindex: timeindexOf(roast),
    timex: [...roast.timesSeconds],
    temp1: roast.exhaustTempC.map(orDropout),
    temp2: roast.beanTempC.map(orDropout),
    ...extraDevices(roast),
    etypes: ['Air', 'Drum', 'Damper', 'Burner', '--'],
    // Without these two keys Artisan opens the file, but refuses it as the background of another roast.
    samplinginterval: samplingSeconds(roast.timesSeconds),
    flavors: flavorLabels.map(() => 5),
    flavorlabels: [...flavorLabels],
    ...specialEventsOf(roast.controls ?? {}, roast.timesSeconds),
    xmin: 0,
    xmax: Math.ceil(roast.timesSeconds.at(-1) ?? 0) + 60,
    ymin: 0,
    ymax: isF ? 530 : 275,
    zmin: 0,
    zmax: isF ? 80 : 45,
    [recordKey]: roast.record,
  };
}

/** Usual time from one sample to the next, s. */
function samplingSeconds(timesSeconds: readonly number[]): number {
  const steps = timesSeconds.slice(1).map((time, index) => time - (timesSeconds[index] ?? 0));
  steps.sort((a, b) => a - b);
  return Math.round((steps[steps.length >> 1] ?? 1) * 1000) / 1000 || 1;
}

const orDropout = (reading: Reading | undefined): number => reading ?? -1;

/** Index of the sample nearest to each mark. A missing charge is -1, every other missing mark 0. */
function timeindexOf({ marks, timesSeconds }: WrittenRoast): number[] {
  return timeindexKinds.map((kind) => {
    const mark = markOf(marks, kind);
    const unset = kind === 'charge' ? -1 : 0;
    return mark === undefined || timesSeconds.length === 0 ? unset : nearestSample(timesSeconds, mark.timeSeconds);
  });
}

/** The number of displays in Artisan: it stores the settings of all of them, also of those that no device uses. */
const displays = 10;

/** The lists with one entry per device; they must have equal length, except for those of the displays. */
function extraDevices({ channels, timesSeconds }: WrittenRoast): Record<string, WritableValue> {
  const devices = Array.from(
    { length: Math.ceil(channels.length / 2) },
    (_, k) => [channels[2 * k], channels[2 * k + 1]] as const,
  );
  const each = (value: (first: WrittenChannel | undefined, second: WrittenChannel | undefined) => WritableValue) =>
    devices.map(([first, second]) => value(first, second));
  const shown = (value: (first: WrittenChannel | undefined, second: WrittenChannel | undefined) => WritableValue) =>
    Array.from({ length: Math.max(displays, devices.length) }, (_, place) =>
      value(...(devices[place] ?? [undefined, undefined])),
    );
  const values = (channel: WrittenChannel | undefined) =>
    channel?.values.map(orDropout) ?? timesSeconds.map(() => orDropout(null));
  return {
    extradevices: each(() => virtualDevice),
    extratimex: each(() => [...timesSeconds]),
    extraname1: each((first) => withEscapes(first?.name ?? '')),
    extraname2: each((_, second) => withEscapes(second?.name ?? '')),
    extratemp1: each((first) => values(first)),
    extratemp2: each((_, second) => values(second)),
    extramathexpression1: each(() => ''),
    extramathexpression2: each(() => ''),
    extraNoneTempHint1: each((first) => first?.isTemperature !== true),
    extraNoneTempHint2: each((_, second) => second?.isTemperature !== true),
    extradevicecolor1: each(() => '#49160e'),
    extradevicecolor2: each(() => '#3a6ea5'),
    extraCurveVisibility1: shown((first) => first !== undefined),
    extraCurveVisibility2: shown((_, second) => second !== undefined),
    extraLCDvisibility1: shown((first) => first !== undefined),
    extraLCDvisibility2: shown((_, second) => second !== undefined),
    extraDelta1: shown(() => false),
    extraDelta2: shown(() => false),
    extraFill1: shown(() => 0),
    extraFill2: shown(() => 0),
    extralinestyles1: each(() => '-'),
    extralinestyles2: each(() => '-'),
    extradrawstyles1: each(() => 'default'),
    extradrawstyles2: each(() => 'default'),
    extralinewidths1: each(() => 1),
    extralinewidths2: each(() => 1),
    extramarkers1: each(() => 'None'),
    extramarkers2: each(() => 'None'),
    extramarkersizes1: each(() => 6),
    extramarkersizes2: each(() => 6),
  };
}
