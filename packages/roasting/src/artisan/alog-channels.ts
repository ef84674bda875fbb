import { risingIndices } from '../curves/series.ts';
import { textOf, valuesOf, withoutEscapes, type Dictionary } from './alog-fields.ts';
import type { PythonValue } from './python-literal.ts';
import type { Reading } from '../curves/series.ts';

/**
 * An extra curve of the file. The file does not store its unit: it can be a temperature (in the file's unit), a
 * percentage or anything else.
 */
export interface AlogChannel {
  readonly name: string;
  /**
   * False where the file says that the curve holds no temperatures, or rates of rise (`extraDelta`); a percentage can
   * still be marked true.
   */
  readonly mayBeTemperature: boolean;
  readonly timesSeconds: readonly number[];
  /** As recorded, dropouts (-1) as null. */
  readonly values: readonly Reading[];
}

/**
 * The curves of the extra devices, two per device. Names that refer to an event type (`{0}`…`{3}`) or to the unit of
 * temperature (`{4}`) are resolved; curves without a single reading are left out.
 */
export function alogChannels(file: Dictionary, eventNames: readonly string[]): AlogChannel[] {
  const channels: AlogChannel[] = [];
  const references = [...eventNames.slice(0, 4), textOf(file, 'mode') ?? ''];
  for (const [device, times] of valuesOf(file, 'extratimex').entries()) {
    if (!Array.isArray(times)) continue;
    const rawTimes = times.map((time) => (typeof time === 'number' ? time : Number.NaN));
    const kept = risingIndices(rawTimes);
    const timesSeconds = kept.map((index) => rawTimes[index] ?? 0);
    for (const side of [1, 2] as const) {
      const name = valuesOf(file, `extraname${side}`)[device];
      const raw = valuesOf(file, `extratemp${side}`)[device];
      if (!Array.isArray(raw)) continue;
      const values = kept.map((index) => readingOf(raw[index]));
      if (values.every((value) => value === null)) continue;
      channels.push({
        name: resolvedName(name, references, device, side),
        mayBeTemperature: ['extraNoneTempHint', 'extraDelta'].every(
          (key) => valuesOf(file, `${key}${side}`)[device] !== true,
        ),
        timesSeconds,
        values,
      });
    }
  }
  return channels;
}

function readingOf(value: PythonValue | undefined): Reading {
  return typeof value === 'number' && Number.isFinite(value) && value !== -1 ? value : null;
}

function resolvedName(
  name: PythonValue | undefined,
  references: readonly string[],
  device: number,
  side: number,
): string {
  const text =
    typeof name === 'string'
      ? withoutEscapes(name).replaceAll(/\{([0-4])\}/g, (_, place) => references[Number(place)] ?? '')
      : '';
  return text.trim() || `Extra ${device + 1}.${side}`;
}
