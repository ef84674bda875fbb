import { numbersOf, valuesOf, withoutEscapes, type Dictionary } from './alog-fields.ts';
import type { Reading } from '../curves/series.ts';

export const controlNames = ['air', 'drum', 'damper', 'burner'] as const;
export type ControlName = (typeof controlNames)[number];

/** From this time on the control had this value. */
export interface ControlStep {
  readonly timeSeconds: number;
  /** As set at the machine: %, or another scale (real files reach 359). */
  readonly value: number;
}
export type ControlSteps = Readonly<Record<ControlName, readonly ControlStep[]>>;

/** Artisan's default names of event types 0-3. */
const defaultEventNames = ['Air', 'Drum', 'Damper', 'Burner'];

/** The names of event types 0-3 in this file; `extraname` texts refer to them as `{0}`…`{3}`. */
export function eventNamesOf(file: Dictionary): string[] {
  const named = valuesOf(file, 'etypes');
  return defaultEventNames.map((name, index) => {
    const own = named[index];
    return typeof own === 'string' && own.trim() !== '' ? withoutEscapes(own) : name;
  });
}

/**
 * Special events of types 0-3 as steps of air, drum, damper and burner, in order of time. The events index
 * `timesSeconds`, the file's own times.
 */
export function controlStepsOf(file: Dictionary, timesSeconds: readonly number[]): ControlSteps {
  const steps: Record<ControlName, ControlStep[]> = { air: [], drum: [], damper: [], burner: [] };
  const types = numbersOf(file, 'specialeventstype');
  const values = numbersOf(file, 'specialeventsvalue');
  for (const [k, index] of numbersOf(file, 'specialevents').entries()) {
    const name = controlNames[types[k] ?? -1];
    const timeSeconds = timesSeconds[index];
    const inner = values[k];
    if (name === undefined || timeSeconds === undefined || inner === undefined) continue;
    if (!Number.isFinite(inner) || !Number.isFinite(timeSeconds)) continue;
    steps[name].push({ timeSeconds, value: shownValue(inner) });
  }
  for (const name of controlNames) steps[name].sort((a, b) => a.timeSeconds - b.timeSeconds);
  return steps;
}

/** Artisan keeps value / 10 + 1, below 0 value / 10 - 1. From -1 to 1 it means 0. */
function shownValue(inner: number): number {
  const size = Math.round(Math.abs(inner) * 10) - 10;
  return size > 0 ? size * Math.sign(inner) : 0;
}

function innerValue(shown: number): number {
  return shown / 10 + Math.sign(shown);
}

/**
 * A control that changes more often than this on average, s, is measured rather than set: a curve shows it better than
 * steps.
 */
const minSecondsPerStep = 8;

/** The times at which a recorded output (%) was set; none if it changes all the time. Columns have equal length. */
export function stepsOf(timesSeconds: readonly number[], values: readonly Reading[]): ControlStep[] {
  const steps: ControlStep[] = [];
  for (const [index, timeSeconds] of timesSeconds.entries()) {
    const value = values[index] ?? null;
    if (value !== null && value !== steps.at(-1)?.value) steps.push({ timeSeconds, value });
  }
  const span = (timesSeconds.at(-1) ?? 0) - (timesSeconds[0] ?? 0);
  return steps.length > 1 + span / minSecondsPerStep ? [] : steps;
}

/** Steps as Artisan stores them: four lists of equal length, in order of time, each event on a sample. */
export function specialEventsOf(controls: Partial<ControlSteps>, timesSeconds: readonly number[]) {
  const events = controlNames
    .flatMap((name, type) =>
      (controls[name] ?? []).map(({ timeSeconds, value }) => ({
        at: nearestSample(timesSeconds, timeSeconds),
        type,
        value,
      })),
    )
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || a.type - b.type);
  return {
    specialevents: events.map(({ at }) => at),
    specialeventstype: events.map(({ type }) => type),
    specialeventsvalue: events.map(({ value }) => innerValue(Math.round(value))),
    specialeventsStrings: events.map(({ value }) => `${Math.round(value)}%`),
  };
}

/** Index of the sample nearest to a time; -1 when there is none. */
export function nearestSample(timesSeconds: readonly number[], seconds: number): number {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  for (let index = 0; index < timesSeconds.length; index++) {
    const away = Math.abs((timesSeconds[index] ?? Number.NaN) - seconds);
    if (!(away < distance)) continue;
    distance = away;
    best = index;
  }
  return best;
}

/** A note that the operator made during the roast, without a control value. */
export interface AlogNote {
  readonly timeSeconds: number;
  readonly text: string;
}

/**
 * Special events that only have text (type 4), such as `Turn on cooler`. The text of a control event only repeats its
 * value.
 */
export function notesInEvents(file: Dictionary, timesSeconds: readonly number[]): AlogNote[] {
  const types = numbersOf(file, 'specialeventstype');
  const texts = valuesOf(file, 'specialeventsStrings');
  return numbersOf(file, 'specialevents').flatMap((index, k) => {
    const timeSeconds = timesSeconds[index];
    const raw = texts[k];
    const text = typeof raw === 'string' ? withoutEscapes(raw).trim() : '';
    const isNote = types[k] === 4 && text !== '' && timeSeconds !== undefined && Number.isFinite(timeSeconds);
    return isNote ? [{ timeSeconds, text }] : [];
  });
}
