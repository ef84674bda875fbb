import type { LiveSamples } from '@roastery/contract/live';
import type { LiveReading } from '@roastery/contract/mqtt';

/**
 * The samples of a machine since the page was opened, as columns in order of time. Mutable on purpose: at 4 Hz for an
 * hour a copy per reading would create megabytes of garbage. `version` increases with every change.
 */
export interface LiveTrack {
  version: number;
  /** Stream of the newest samples; another one restarts the track unless it continues this one. */
  epoch: string | null;
  seq: number[];
  /** ms since the board's boot. */
  mono: number[];
  /** One column per channel, as long as `mono`; °C or %. */
  channels: Record<string, (number | null)[]>;
}

export const emptyTrack = (): LiveTrack => ({ version: 0, epoch: null, seq: [], mono: [], channels: {} });

const clear = (track: LiveTrack, epoch: string | null): void => {
  track.epoch = epoch;
  track.seq = [];
  track.mono = [];
  track.channels = {};
};

/** The index of `seq`, or the index at which to insert it. */
const positionOf = (seqs: readonly number[], seq: number): number => {
  let low = 0;
  let high = seqs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((seqs[middle] ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
};

const put = (track: LiveTrack, seq: number, mono: number, values: Record<string, number | null>): boolean => {
  const last = track.mono.length - 1;
  // The stream continued and the board's clock restarted: it rebooted, and times before and after are not comparable.
  if (seq > (track.seq[last] ?? seq) && mono < (track.mono[last] ?? mono)) clear(track, track.epoch);
  const at = positionOf(track.seq, seq);
  if (track.seq[at] === seq) return false;
  track.seq.splice(at, 0, seq);
  track.mono.splice(at, 0, mono);
  for (const name of Object.keys(values)) {
    track.channels[name] ??= Array.from({ length: track.seq.length - 1 }, () => null);
  }
  for (const [name, column] of Object.entries(track.channels)) column.splice(at, 0, values[name] ?? null);
  return true;
};

/** A board whose disk fails continues in another stream with the next numbers; a re-flashed one begins at 0. */
const continuesTrack = (track: LiveTrack, { seq, mono }: { readonly seq: number; readonly mono: number }): boolean => {
  const [lastSeq, lastMono] = [track.seq.at(-1), track.mono.at(-1)];
  return lastSeq !== undefined && lastMono !== undefined && seq > lastSeq && mono >= lastMono;
};

/** Adds the newest reading; a known one (journal and live both have it) changes nothing. */
export const addReading = (track: LiveTrack, reading: Pick<LiveReading, 'epoch' | 'seq' | 'mono' | 'values'>): void => {
  if (track.epoch !== reading.epoch && !continuesTrack(track, reading)) clear(track, reading.epoch);
  track.epoch = reading.epoch;
  if (put(track, reading.seq, reading.mono, reading.values)) track.version += 1;
};

/** Adds stored or journalled samples, which fill what live readings missed. The server sends only the current stream. */
export const addSamples = (track: LiveTrack, samples: LiveSamples): void => {
  const [seq, mono] = [samples.seq[0], samples.mono[0]];
  if (seq === undefined || mono === undefined) return;
  if (track.epoch !== samples.epoch && !continuesTrack(track, { seq, mono })) clear(track, samples.epoch);
  track.epoch = samples.epoch;
  let changed = false;
  samples.seq.forEach((at, i) => {
    const monoMs = samples.mono[i];
    if (monoMs === undefined) return;
    const values: Record<string, number | null> = {};
    for (const [name, column] of Object.entries(samples.channels)) values[name] = column[i] ?? null;
    changed = put(track, at, monoMs, values) || changed;
  });
  if (changed) track.version += 1;
};
