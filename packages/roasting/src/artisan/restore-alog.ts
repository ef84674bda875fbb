import { readDictionary, recordKey, secondsToUtc, timeindexKinds } from './alog.ts';
import { nearestSample } from './alog-controls.ts';
import { numberOf, numbersOf, textOf, valuesOf, withEscapes, type Dictionary } from './alog-fields.ts';
import type { MarkKind } from '../marks.ts';
import type { PythonValue } from './python-literal.ts';
import { pythonRepr, type WritableValue } from './python-repr.ts';
import { fromKg, parseMassUnit } from '../units.ts';

/** The changes to an imported roast since its import; absent fields are as in the file. */
export interface AlogChanges {
  readonly title?: string;
  readonly operator?: string;
  readonly roastingNotes?: string;
  readonly color?: number | null;
  readonly greenKg?: number | null;
  readonly roastedKg?: number | null;
  /** When the recording began, ms since 1970. */
  readonly startedAtMs?: number;
  /** Seconds since the recording began; null for a removed mark. */
  readonly marks?: Partial<Record<MarkKind, number | null>>;
  /** Stored beside Artisan's own keys; Artisan ignores it. */
  readonly record?: WritableValue;
}

/**
 * An Artisan file with these changes and everything else unchanged: unknown keys, their order, and the text of each
 * value to the digit.
 */
export function restoreAlog(text: string, changes: AlogChanges): string {
  const texts = new Map<string, string>();
  const file = readDictionary(text, { onEntry: (key, valueText) => texts.set(key, valueText) });
  return written(texts, changedEntries(file, changes));
}

/** The same for the keys of Artisan's JSON export: an `.alog` file. */
export function alogOfDictionary(file: Dictionary, changes: AlogChanges): string {
  const texts = new Map([...file].map(([key, value]) => [key, pythonRepr(writable(value))]));
  return written(texts, changedEntries(file, changes));
}

function written(texts: Map<string, string>, changed: ReadonlyMap<string, WritableValue>): string {
  for (const [key, value] of changed) texts.set(key, pythonRepr(value));
  return `{${[...texts].map(([key, value]) => `${pythonRepr(key)}: ${value}`).join(', ')}}\n`;
}

function writable(value: PythonValue): WritableValue {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, part]) => [key, writable(part)]));
  return Array.isArray(value) ? value.map(writable) : value;
}

function changedEntries(file: Dictionary, changes: AlogChanges): ReadonlyMap<string, WritableValue> {
  const changed = new Map<string, WritableValue>();
  const setText = (key: string, text: string | undefined) => {
    if (text !== undefined && text !== (textOf(file, key) ?? '')) changed.set(key, withEscapes(text));
  };
  setText('title', changes.title);
  setText('operator', changes.operator);
  setText('roastingnotes', changes.roastingNotes);
  if (changes.color !== undefined) changed.set(colorKey(file), changes.color ?? 0);
  const weight = changedWeight(file, changes);
  if (weight !== undefined) changed.set('weight', weight);
  if (changes.startedAtMs !== undefined) {
    const local = new Date(changes.startedAtMs - secondsToUtc(file) * 1000);
    changed.set('roastepoch', Math.floor(changes.startedAtMs / 1000));
    changed.set('roastisodate', local.toISOString().slice(0, 10));
    changed.set('roasttime', local.toISOString().slice(11, 19));
  }
  const timeindex = changedTimeindex(file, changes);
  if (timeindex !== undefined) changed.set('timeindex', timeindex);
  if (changes.record !== undefined) changed.set(recordKey, changes.record);
  return changed;
}

/** Artisan has a color of the ground coffee and one of the beans; ours was read from the first that is set. */
const colorKey = (file: Dictionary): string =>
  (numberOf(file, 'ground_color') ?? 0) === 0 && (numberOf(file, 'whole_color') ?? 0) !== 0
    ? 'whole_color'
    : 'ground_color';

function changedWeight(file: Dictionary, { greenKg, roastedKg }: AlogChanges): WritableValue | undefined {
  if (greenKg === undefined && roastedKg === undefined) return undefined;
  const [green, roasted, unit] = valuesOf(file, 'weight');
  const known = typeof unit === 'string' ? parseMassUnit(unit) : null;
  const inUnit = (kg: number | null | undefined, was: PythonValue | undefined): number =>
    kg === undefined ? (typeof was === 'number' ? was : 0) : Math.round(fromKg(kg ?? 0, known ?? 'kg') * 1e6) / 1e6;
  return [inUnit(greenKg, green), inUnit(roastedKg, roasted), known === null || typeof unit !== 'string' ? 'Kg' : unit];
}

function changedTimeindex(file: Dictionary, { marks = {} }: AlogChanges): WritableValue | undefined {
  const times = numbersOf(file, 'timex');
  const timeindex = timeindexKinds.map(
    (kind, slot) => numbersOf(file, 'timeindex')[slot] ?? (kind === 'charge' ? -1 : 0),
  );
  let isChanged = false;
  for (const [slot, kind] of timeindexKinds.entries()) {
    const at = marks[kind];
    if (at === undefined) continue;
    timeindex[slot] = at === null ? (kind === 'charge' ? -1 : 0) : Math.max(0, nearestSample(times, at));
    isChanged = true;
  }
  return isChanged ? timeindex : undefined;
}
