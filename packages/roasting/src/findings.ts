import type { Mark, MarkKind } from './marks.ts';

export type DetectedKind = Extract<MarkKind, 'charge' | 'turning_point' | 'dry_end' | 'drop'>;

/** What the agent knows at one moment. Temperatures in °C; null where the probe or the line gave nothing. */
export interface DetectorSample {
  readonly timeSeconds: number;
  readonly beanTempC: number | null;
  /** Decides nothing so far: on recorded roasts it moves later than the bean probe, at charge and at drop. */
  readonly exhaustTempC?: number | null;
  /** Burner or heater, %. With the fan it tells when the machine switches to cooling. */
  readonly heatPower?: number | null;
  /** Fan or exhaust damper, %. */
  readonly fanSpeed?: number | null;
}

/** A mark that was found, moved, or made sure of (`provisional: false`). It replaces the mark of its kind. */
export interface Detection extends Mark {
  readonly kind: DetectedKind;
  readonly origin: 'detector';
}

/** An earlier provisional mark that turned out to be none. */
export interface Retraction {
  readonly retract: DetectedKind;
}

export type Finding = Detection | Retraction;

export function isRetraction(finding: Finding): finding is Retraction {
  return 'retract' in finding;
}

/** `idle`: no roast; `roasting`: charged; `dropped`: the drop is certain and the drum not yet at rest. */
export type RoastState = 'idle' | 'roasting' | 'dropped';
