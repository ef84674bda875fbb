import { open, readFile } from 'node:fs/promises';

/** What the simulator's registers showed from a moment on (`SIM_RECORD`). */
export interface ShownState {
  /** Wall clock, ms since 1970. */
  readonly atMs: number;
  readonly values: Readonly<Record<string, number | null>>;
  readonly events: readonly string[];
}

/** A line is a few hundred bytes: the newest whole one lies within this. */
const tailBytes = 8192;
/** The charge bit stays up until the drop. */
const hasBeans = ({ events }: ShownState): boolean => events.includes('charge');

/** The newest whole line of a record that is still being written; undefined where there is none yet. */
const readNewest = async (file: string): Promise<ShownState | undefined> => {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const from = Math.max(0, size - tailBytes);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
  const line = buffer.toString('utf8', 0, bytesRead).split('\n').at(-2);
  return line === undefined ? undefined : (JSON.parse(line) as ShownState);
};

/** Whether beans are in the drum now, by the machine's own record and not by what anybody made of it. */
export const isRoastingNow = async (file: string): Promise<boolean> => {
  const newest = await readNewest(file);
  return newest !== undefined && hasBeans(newest);
};

/** Where a process stands on the axis of a board's samples: ms since boot, CLOCK_MONOTONIC. */
export const monoNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** What a machine did, on the axis of the board's samples. */
export interface MachineRecord {
  readonly shown: readonly (ShownState & { readonly monoMs: number })[];
  /** When beans were in the drum, ms; the last one may still be open. */
  readonly roasts: readonly { readonly fromMs: number; readonly toMs: number }[];
}

export const readMachineRecord = async (file: string): Promise<MachineRecord> => {
  const wallAtBootMs = performance.timeOrigin + performance.now() - monoNow();
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  const shown = lines.map((line) => {
    const state = JSON.parse(line) as ShownState;
    return { ...state, monoMs: state.atMs - wallAtBootMs };
  });
  const roasts: { fromMs: number; toMs: number }[] = [];
  let runs = false;
  for (const state of shown) {
    const last = roasts.at(-1);
    if (hasBeans(state) && !runs) roasts.push({ fromMs: state.monoMs, toMs: Number.POSITIVE_INFINITY });
    else if (!hasBeans(state) && runs && last) last.toMs = state.monoMs;
    runs = hasBeans(state);
  }
  return { shown, roasts };
};

/** Half a step of a register of a tenth. */
const resolution = 0.0501;
/** A reading is dated in the middle between question and answer, which a busy computer draws apart. */
const toleranceMs = 1000;
/** Further from its time nobody looks for what a sample might have been. */
const searchMs = 60_000;

interface ReadSample {
  readonly seq: number;
  readonly mono: number;
  readonly values: ReadonlyMap<string, number | null>;
}

const isShownAs = (values: ReadSample['values'], state: ShownState | undefined): boolean =>
  [...values].every(([name, value]) => {
    const then = state?.values[name] ?? null;
    return value === null || then === null ? value === then : Math.abs(value - then) <= resolution;
  });

/** How far from its time a machine showed a sample's values together, ms; null where it never did. */
const shiftOf = (shown: MachineRecord['shown'], { mono, values }: ReadSample): number | null => {
  let nearest: number | null = null;
  for (
    let at = Math.max(
      0,
      shown.findLastIndex(({ monoMs }) => monoMs <= mono - searchMs),
    );
    at < shown.length;
    at++
  ) {
    const from = shown[at]?.monoMs ?? Number.NaN;
    if (from > mono + searchMs) break;
    if (!isShownAs(values, shown[at])) continue;
    // It stood until the next change.
    const shift = Math.max(0, from - mono, mono - (shown[at + 1]?.monoMs ?? Number.POSITIVE_INFINITY));
    nearest = Math.min(nearest ?? shift, shift);
  }
  return nearest;
};

/** Samples whose values the machine didn't show at their time, and by how much they are misdated; null where it never did. */
export const notShown = (
  { shown }: MachineRecord,
  samples: readonly ReadSample[],
): { readonly seq: number; readonly shiftMs: number | null }[] =>
  samples.flatMap((sample) => {
    const shiftMs = shiftOf(shown, sample);
    return shiftMs !== null && shiftMs <= toleranceMs ? [] : [{ seq: sample.seq, shiftMs }];
  });
