import { numbersOf, valuesOf, withoutEscapes, type Dictionary } from './alog-fields.ts';

export const controlNames = ['air', 'drum', 'damper', 'burner'] as const;
export type ControlName = (typeof controlNames)[number];

/** From this moment on the control stood at this value. */
export interface ControlStep {
  readonly timeSeconds: number;
  /** As set at the machine: %, or whatever its scale is (real files reach 359). */
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
 * Special events of types 0-3 as steps of air, drum, damper and burner, in the order of time. `timesSeconds` are the
 * file's own times, which the events index.
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

/** Artisan keeps value / 10 + 1; up to 1 it means 0. */
function shownValue(inner: number): number {
  return inner > 1 ? Math.round(inner * 10) - 10 : 0;
}
