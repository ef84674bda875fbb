/** An accepted bean temperature with the heat and fan at that moment. */
export interface TrustedReading {
  readonly timeSeconds: number;
  readonly tempC: number;
  readonly heat: number | null;
  readonly fan: number | null;
}

/** Plain data, so that it can be stored and restored. */
export interface ReadingFilterState {
  last: TrustedReading | null;
  suspects: TrustedReading[];
}

/** No bean probe falls faster than this (the steepest recorded charge fell 9 °C/s), plus its noise. */
const maxFallPerSecond = 12;
/** … nor rises faster: cold beans cool a probe at once, only hot air warms it. */
const maxRisePerSecond = 4;
const maxNoiseC = 5;
/** This many readings that agree with each other, but not with the past, are a new level. */
const convincing = 3;
/** … if they last this long: a loose plug read at 4 Hz gives many zeros in a second. */
const convincingSeconds = 2;
/**
 * … and as long as the probe would have needed for the jump, up to this time: a plug that is loose for 4 s reads zeros.
 */
const maxConvincingSeconds = 10;
/** At the start two agreeing readings are enough, this far apart. */
const convincingSecondsAtFirst = 1;
const maxSuspectsAtFirst = 8;
/** After a gap, a jump larger than this much time allows needs three agreeing readings. */
const explainingSeconds = 3;
const plausible = { minC: -40, maxC: 400 };

export function emptyReadingFilter(): ReadingFilterState {
  return { last: null, suspects: [] };
}

/**
 * Passes plausible readings of a bean probe. Single spikes and zeros of a loose plug are held back. Three readings that agree
 * with each other are accepted together; two at the start.
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
  const first = filter.suspects[0] ?? reading;
  const lasted = reading.timeSeconds - first.timeSeconds;
  if (filter.suspects.length < convincing || lasted < convincingSeconds) return [];
  if (reading.timeSeconds - last.timeSeconds < Math.min(maxConvincingSeconds, secondsForJump(last, first))) return [];
  return believe(filter, filter.suspects, reading);
}

/** The first reading can be wrong too: it is accepted with a second one that agrees with it, whatever lies between. */
function firstReadings(filter: ReadingFilterState, reading: TrustedReading): TrustedReading[] {
  const agreeing = filter.suspects.filter((suspect) => follows(suspect, reading));
  filter.suspects = [...filter.suspects, reading].slice(-maxSuspectsAtFirst);
  const first = agreeing[0];
  if (!first || reading.timeSeconds - first.timeSeconds < convincingSecondsAtFirst) return [];
  return believe(filter, [...agreeing, reading], reading);
}

function believe(filter: ReadingFilterState, believed: TrustedReading[], newest: TrustedReading): TrustedReading[] {
  filter.last = newest;
  filter.suspects = [];
  return believed;
}

/** How long a probe needs from one reading to another. */
function secondsForJump(from: TrustedReading, to: TrustedReading): number {
  const risen = to.tempC - from.tempC;
  return (Math.abs(risen) - maxNoiseC) / (risen > 0 ? maxRisePerSecond : maxFallPerSecond);
}

function follows(before: TrustedReading, reading: TrustedReading): boolean {
  const seconds = Math.min(explainingSeconds, reading.timeSeconds - before.timeSeconds);
  const risen = reading.tempC - before.tempC;
  return risen <= maxNoiseC + maxRisePerSecond * seconds && -risen <= maxNoiseC + maxFallPerSecond * seconds;
}
