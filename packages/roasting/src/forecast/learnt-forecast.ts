/** Half of the bands at `learntAheads`. */
export interface HalfBands {
  readonly tempC: readonly number[];
  readonly ratePerMinuteC: readonly number[];
}

/** What a machine's own roasts taught of its forecast. Plain data. */
export interface LearntForecast {
  /** Roasts that it was learnt from. */
  readonly roasts: number;
  /** Of the correction of the usual rise. */
  readonly weights: readonly number[];
  /** Below and from `hotFromC`; null without enough roasts there. */
  readonly bands: { readonly below: HalfBands | null; readonly above: HalfBands | null };
  /** Mean error of roasts that nothing was learnt from, °C, at `learntAheads`. */
  readonly errorsC: readonly number[];
  /** Whether the band of first crack held in eight of ten of the newest roasts, so that its time may be shown. */
  readonly timesFirstCrack: boolean;
}

/** How the newest roasts of a machine were forecast before anything was learnt from them, at `learntAheads`. */
export interface ForecastRecord {
  readonly roasts: number;
  /** Mean errors, °C: in all, from `hotFromC`, and of a straight line by the rate of now. Null where none was judged. */
  readonly errorsC: readonly (number | null)[];
  readonly hotErrorsC: readonly (number | null)[];
  readonly rateOfNowErrorsC: readonly (number | null)[];
  /** Shares inside the band of eight in ten; null where no band was known. */
  readonly held: readonly (number | null)[];
  readonly hotHeld: readonly (number | null)[];
}

export const learntAheads = [30, 60, 90, 120] as const;
/** From here on first crack and drop are near, and errors are others. */
export const hotFromC = 150;
/** The curve still bends from the turning point before this time. */
export const minSinceTurnSeconds = 30;
