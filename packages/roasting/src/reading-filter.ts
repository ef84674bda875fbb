/** A bean temperature that is believed, and what the machine's heat and air did then. */
export interface TrustedReading {
  readonly timeSeconds: number;
  readonly tempC: number;
  readonly heat: number | null;
  readonly fan: number | null;
}

/** Plain data, so that it can be kept and restored. */
export interface ReadingFilterState {
  last: TrustedReading | null;
  suspects: TrustedReading[];
}

/** No bean probe falls faster than this (the steepest of the recorded charges fell 9 °C/s), plus its noise. */
const maxFallPerSecond = 12;
/** … nor rises faster: cold beans cool a probe at once, only hot air warms it. */
const maxRisePerSecond = 4;
const maxNoiseC = 5;
/** So many readings that agree with each other and not with the past are a new level. */
const convincing = 3;
/** … if they last as long: a loose plug read at 4 Hz gives many zeros in a second. */
const convincingSeconds = 2;
/** Before there is a past to disagree with, two of the last few do, this far apart. */
const convincingSecondsAtFirst = 1;
const mostAtFirst = 8;
/** However long nothing was read, a jump further than this much time explains wants a second and third reading. */
const explainingSeconds = 3;
const plausible = { minC: -40, maxC: 400 };

export function emptyReadingFilter(): ReadingFilterState {
  return { last: null, suspects: [] };
}

/**
 * Lets readings through that a bean probe can have made: lone spikes and zeros of a loose plug are held back; three
 * that agree with each other are believed after all and come together, and two to begin with.
 */
export function trustedReadings(filter: ReadingFilterState, reading: TrustedReading): TrustedReading[] {
  if (!(reading.tempC > plausible.minC && reading.tempC < plausible.maxC)) return [];
  const { last } = filter;
  if (last && follows(last, reading)) {
    filter.last = reading;
    filter.suspects = [];
    return [reading];
  }
  if (!last) return firstReadings(filter, reading);
  const before = filter.suspects.at(-1);
  if (before && !follows(before, reading)) filter.suspects = [];
  filter.suspects.push(reading);
  const lasted = reading.timeSeconds - (filter.suspects[0]?.timeSeconds ?? reading.timeSeconds);
  if (filter.suspects.length < convincing || lasted < convincingSeconds) return [];
  return believe(filter, filter.suspects, reading);
}

/** The first reading may be as wild as any: it is believed with a second one that agrees with it, whatever lies between. */
function firstReadings(filter: ReadingFilterState, reading: TrustedReading): TrustedReading[] {
  const agreeing = filter.suspects.filter((suspect) => follows(suspect, reading));
  filter.suspects = [...filter.suspects, reading].slice(-mostAtFirst);
  const first = agreeing[0];
  if (!first || reading.timeSeconds - first.timeSeconds < convincingSecondsAtFirst) return [];
  return believe(filter, [...agreeing, reading], reading);
}

function believe(filter: ReadingFilterState, believed: TrustedReading[], newest: TrustedReading): TrustedReading[] {
  filter.last = newest;
  filter.suspects = [];
  return believed;
}

function follows(before: TrustedReading, reading: TrustedReading): boolean {
  const seconds = Math.min(explainingSeconds, reading.timeSeconds - before.timeSeconds);
  const risen = reading.tempC - before.tempC;
  return risen <= maxNoiseC + maxRisePerSecond * seconds && -risen <= maxNoiseC + maxFallPerSecond * seconds;
}
