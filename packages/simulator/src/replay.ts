import type { AlogChannel } from '@roastery/roasting/artisan/alog-channels';
import type { ArtisanRoast } from '@roastery/roasting/artisan/alog';
import { raisedAfter, type EventName, type RoastingMachine } from './machine.ts';

export interface ReplayOptions {
  readonly roast: ArtisanRoast;
  /** Raise the event bits at the file's marks. Default true. */
  readonly events?: boolean;
  /** Begin with the first sample at or after this time of the file, s. Default: the first sample. */
  readonly fromSeconds?: number;
  /** Seconds at the first sample before the recording plays. Default 0. */
  readonly leadSeconds?: number;
  /** Start over after the end and this many seconds at its last sample. Default: never. */
  readonly loopAfterSeconds?: number;
  /** Play at once (default), or when `charge()` is called. */
  readonly autoStart?: boolean;
  /** Which curve of the file fills which channel, where the file's own names do not match. */
  readonly curves?: Readonly<Record<string, string>>;
}

/** Names of curves in real files, by our channel. The first match wins. */
const curveNames: readonly (readonly [channel: string, name: RegExp])[] = [
  ['burner_front_temp', /burner.*front|front.*burner|^front/i],
  ['burner_back_temp', /burner.*(back|rear)|(back|rear).*burner|^(back|rear)/i],
  ['inlet_temp', /^(inlet|it)\b/i],
  ['drum_temp', /^(drum temp|dt)\b/i],
  ['heat_power', /^(burner|gas|heat|heater|hp|power)\b/i],
  ['fan_speed', /^(air|fan|fc|airflow)\b/i],
  ['drum_speed', /^(drum|rc|rpm)\b/i],
  ['ambient_temp', /^(at|ambient)\b/i],
];

const curvesByChannel = (roast: ArtisanRoast, chosen: Readonly<Record<string, string>>): Map<string, AlogChannel> => {
  const found = new Map<string, AlogChannel>();
  for (const [channel, name] of Object.entries(chosen)) {
    const curve = roast.channels.find((candidate) => candidate.name === name);
    if (curve === undefined) {
      const known = roast.channels.map((candidate) => candidate.name).join(', ') || 'none';
      throw new RangeError(`the recording has no curve "${name}"; it has: ${known}`);
    }
    found.set(channel, curve);
  }
  for (const curve of roast.channels) {
    const channel = curveNames.find(([, name]) => name.test(curve.name))?.[0];
    if (channel !== undefined && !found.has(channel)) found.set(channel, curve);
  }
  return found;
};

/** Index of the newest entry at or before a moment; -1 before the first. Times rise. */
const indexAt = (times: readonly number[], atSeconds: number): number => {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Number.POSITIVE_INFINITY) <= atSeconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

// A millisecond of tolerance keeps a timer that fires slightly early from showing the previous sample.
const grace = 0.001;

/**
 * A recorded roast as a machine: each sample of the file is shown from its own time to the next one's. Temperatures of
 * extra curves are shown as in the file; curves, dropouts included, are never interpolated. Throws `RangeError` for an
 * empty recording, one that ends before it begins to play, or a missing curve.
 */
export const createReplayMachine = (options: ReplayOptions): RoastingMachine => {
  const { roast } = options;
  const times = roast.timesSeconds;
  const from = options.fromSeconds ?? Number.NEGATIVE_INFINITY;
  const first = times.findIndex((time) => time >= from);
  const firstSeconds = times[first];
  const lastSeconds = times.at(-1);
  if (lastSeconds === undefined) throw new RangeError('the recording has no samples');
  if (firstSeconds === undefined) throw new RangeError(`the recording ends at ${lastSeconds} s, before ${from} s`);
  const curves = curvesByChannel(roast, options.curves ?? {});
  const steps = { heat_power: roast.controls.burner, fan_speed: roast.controls.air, drum_speed: roast.controls.drum };
  const marks = [...roast.marks].sort((a, b) => a.timeSeconds - b.timeSeconds);
  const leadSeconds = options.leadSeconds ?? 0;
  const { loopAfterSeconds } = options;
  let timeSeconds = 0;
  let playedFrom: number | undefined = (options.autoStart ?? true) ? 0 : undefined;
  let roasts = 0;

  /** Position on the recording's own time axis; before the first sample while it has not begun. */
  const position = (): number =>
    playedFrom === undefined ? Number.NEGATIVE_INFINITY : timeSeconds - playedFrom - leadSeconds + firstSeconds + grace;
  const index = (): number => Math.max(first, indexAt(times, position()));
  const happened = (): EventName[] =>
    marks.filter((mark) => mark.timeSeconds <= position()).map((mark) => mark.kind satisfies EventName);

  return {
    get timeSeconds() {
      return timeSeconds;
    },
    get phase() {
      const events = happened();
      if (position() > lastSeconds && loopAfterSeconds === undefined) return 'over';
      if (events.includes('drop')) return 'cooling';
      return events.includes('charge') ? 'roasting' : 'preheating';
    },
    get roasts() {
      return roasts + (happened().includes('charge') ? 1 : 0);
    },
    get sampleIndex() {
      return index();
    },
    advance(seconds) {
      timeSeconds += seconds;
      if (loopAfterSeconds === undefined || playedFrom === undefined) return;
      const lasts = leadSeconds + lastSeconds - firstSeconds + loopAfterSeconds;
      // A tolerance, so that rounding cannot leave a step that is too small.
      while (timeSeconds - playedFrom >= lasts - 1e-6) {
        playedFrom += lasts;
        roasts += marks.some((mark) => mark.kind === 'charge') ? 1 : 0;
      }
    },
    secondsToNextChange() {
      if (playedFrom === undefined) return Number.POSITIVE_INFINITY;
      const now = position();
      const next = times[Math.max(first - 1, indexAt(times, now)) + 1];
      if (next !== undefined) return Math.max(0, next - now + grace);
      return loopAfterSeconds === undefined ? Number.POSITIVE_INFINITY : lastSeconds + loopAfterSeconds - now + grace;
    },
    readings() {
      const now = Math.max(position(), firstSeconds);
      const at = index();
      const shown: Record<string, number | null> = {
        bean_temp: roast.beanTempC[at] ?? null,
        exhaust_temp: roast.exhaustTempC[at] ?? null,
      };
      for (const [channel, changes] of Object.entries(steps)) {
        if (changes.length === 0) continue;
        shown[channel] = changes.findLast((change) => change.timeSeconds <= now)?.value ?? 0;
      }
      for (const [channel, curve] of curves) shown[channel] = curve.values[indexAt(curve.timesSeconds, now)] ?? null;
      return shown;
    },
    raisedEvents: () => raisedAfter(options.events === false ? [] : happened()),
    charge() {
      if (playedFrom !== undefined) return false;
      playedFrom = timeSeconds;
      return true;
    },
    // A recording cannot be dropped or controlled.
    drop: () => false,
    setOutput: () => false,
  };
};
