import type { Mark, MarkKind } from '../marks.ts';

export type DetectedKind = Extract<MarkKind, 'charge' | 'turning_point' | 'dry_end' | 'drop'>;

/** The agent's readings at one time. Temperatures in °C; null where the probe or the line gave none. */
export interface DetectorSample {
  readonly timeSeconds: number;
  readonly beanTempC: number | null;
  /** Not used for any decision so far: on recorded roasts it moves later than the bean probe, at charge and at drop. */
  readonly exhaustTempC?: number | null;
  /** Burner or heater, %. With the fan it shows when the machine switches to cooling. */
  readonly heatPower?: number | null;
  /** Fan or exhaust damper, %. */
  readonly fanSpeed?: number | null;
}

/** A mark that was found, moved, or confirmed (`provisional: false`). It replaces the mark of its kind. */
export interface Detection extends Mark {
  readonly kind: DetectedKind;
  readonly origin: 'detector';
}

/** An earlier provisional mark that was retracted. */
export interface Retraction {
  readonly retract: DetectedKind;
}

export type Finding = Detection | Retraction;

export function isRetraction(finding: Finding): finding is Retraction {
  return 'retract' in finding;
}

/** `idle`: no roast; `roasting`: charged; `dropped`: the drop is certain and the drum has not settled yet. */
export type RoastState = 'idle' | 'roasting' | 'dropped';
