import { open, readFile } from 'node:fs/promises';

/** The registers of the simulator from a time on (`SIM_RECORD`). */
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

/** Whether beans are in the drum now, according to the machine's own record. */
export const isRoastingNow = async (file: string): Promise<boolean> => {
  const newest = await readNewest(file);
  return newest !== undefined && hasBeans(newest);
};

/** The current time on the axis of a board's samples: ms since boot, CLOCK_MONOTONIC. */
export const monoNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** When beans were in the drum, on the axis of the board's samples, ms; the last roast may still be open. */
export const readRoasts = async (file: string): Promise<{ readonly fromMs: number; readonly toMs: number }[]> => {
  const wallAtBootMs = performance.timeOrigin + performance.now() - monoNow();
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  const roasts: { fromMs: number; toMs: number }[] = [];
  let runs = false;
  for (const line of lines) {
    const state = JSON.parse(line) as ShownState;
    const monoMs = state.atMs - wallAtBootMs;
    const last = roasts.at(-1);
    if (hasBeans(state) && !runs) roasts.push({ fromMs: monoMs, toMs: Number.POSITIVE_INFINITY });
    else if (!hasBeans(state) && runs && last) last.toMs = monoMs;
    runs = hasBeans(state);
  }
  return roasts;
};
