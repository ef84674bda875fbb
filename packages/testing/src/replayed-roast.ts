import { readFile } from 'node:fs/promises';
import { getRoastCurveColumns, type CurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, listRoasts, type Roast } from '@roastery/contract/roasts';
import { parseAlog, type ArtisanRoast } from '@roastery/roasting/artisan/alog';
import { machineMapShape } from '@roastery/contract/machine-map';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { Stack } from '@roastery/stack/stack';
import type postgres from 'postgres';
import { registerTestMachine, type RoasteryClient } from './roastery-client.ts';
import { hurriedClock } from './shared-data.ts';
import { until } from './until.ts';

/** A recorded roast, and its result after Modbus, board, broker and api. */
export interface ReplayedRoast {
  readonly file: ArtisanRoast;
  readonly roast: Roast;
  /** From a minute before the stored charge to 20 s after the stored drop. */
  readonly curve: CurveColumns;
  /** Seconds of the file's own time at which the stored roast was charged. */
  readonly chargedAt: number;
}

export interface ReplayPlan {
  readonly serial: string;
  /** Path of an `.alog` file. */
  readonly file: string;
  /** The most seconds before the charge that are played, s. */
  readonly beforeChargeSeconds?: number;
  /** How many times as fast machine and board run. */
  readonly factor: number;
  /** Readings per second of the board's time. */
  readonly hz: number;
  /** The simulator's record of its registers. */
  readonly recordFile: string;
}

interface Shown {
  /** Wall clock, ms. */
  readonly atMs: number;
  readonly sampleIndex: number;
}

/** Seconds of the clock for the agent to come up before the recording moves. */
const leadSeconds = 5;
/** Enough of the recording before the charge and after the drop to compare. */
const margins = { before: 60, after: 20 };

const agentOptions = (factor: number): { agentNodeOptions?: string } =>
  factor === 1 ? {} : { agentNodeOptions: hurriedClock(factor) };

/**
 * Replays a recorded roast through a simulator of its own, a real agent, broker and api, without signals of the machine
 * for charge and drop: the board has to find them. Resolves when the roast is stored as completed.
 */
export const replayRoast = async (
  stack: Stack,
  client: RoasteryClient,
  sql: postgres.Sql,
  plan: ReplayPlan,
): Promise<ReplayedRoast> => {
  const { factor, serial } = plan;
  const file = parseAlog(await readFile(plan.file, 'utf8'));
  const { beforeChargeSeconds } = plan;
  const fromSeconds =
    beforeChargeSeconds === undefined ? undefined : Math.max(0, markSeconds(file, 'charge') - beforeChargeSeconds);
  const { id: machineId, auth_token: token } = await registerTestMachine(client, serial);
  const machine = await stack.startMachine({
    serial,
    token,
    timeFactor: factor,
    // The machine's answer takes the same real time, which is `factor` times as long by the accelerated board's clock.
    map: machineMapShape.parse({ ...demoRoasterMap(), hz: plan.hz, timeoutMs: Math.min(10_000, 300 * factor) }),
    replay: plan.file,
    ...(fromSeconds === undefined ? {} : { replayFromSeconds: fromSeconds }),
    replayEvents: false,
    replayLeadSeconds: leadSeconds * factor,
    recordFile: plan.recordFile,
    ...agentOptions(factor),
  });
  const lastsMs = (((file.timesSeconds.at(-1) ?? 0) - (fromSeconds ?? 0)) / factor + leadSeconds) * 1000;
  const row = await until(
    `${serial} to have roasted`,
    async () => {
      const { roasts } = await client.call(listRoasts);
      return roasts.find((roast) => roast.machine_id === machineId && roast.status === 'completed');
    },
    { timeoutMs: lastsMs + 60_000, everyMs: 500 },
  );
  const dropSeconds = row.duration_seconds ?? 0;
  const curve = await until(
    `${serial}'s curve to be stored to the end`,
    async () => {
      const stored = await client.call(getRoastCurveColumns, { params: { id: row.id }, query: margins });
      return (stored.time_seconds.at(-1) ?? 0) > dropSeconds + 5 && stored;
    },
    { timeoutMs: 30_000, everyMs: 250 },
  );
  await machine.stop();
  const [stored] = await sql<{ charge: string }[]>`SELECT charge_mono_ms AS charge FROM roasts WHERE id = ${row.id}`;
  const shown = (await readFile(plan.recordFile, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Shown);
  return {
    file,
    roast: await client.call(getRoast, { params: { id: row.id } }),
    curve,
    chargedAt: Number(stored?.charge) / 1000 - fileBegan(file, shown, factor),
  };
};

/** The board's monotonic seconds at the file's time 0, from the times at which the registers showed its samples. */
const fileBegan = (file: ArtisanRoast, shown: readonly Shown[], factor: number): number => {
  const wallAtBootMs = performance.timeOrigin + performance.now() - Number(process.hrtime.bigint()) / 1e6;
  const began = shown
    // The first value had been constant since before the recording played.
    .filter(({ sampleIndex }, n) => n > 0 && sampleIndex !== shown[n - 1]?.sampleIndex)
    .map(({ atMs, sampleIndex }) => ((atMs - wallAtBootMs) * factor) / 1000 - (file.timesSeconds[sampleIndex] ?? 0))
    .sort((a, b) => a - b);
  // Timers fire late, never early: the middle would be late too, the very first is a lucky one.
  return began[Math.floor(began.length / 10)] ?? Number.NaN;
};

export interface CurveComparison {
  /** Samples stored between the stored charge and drop, margins included. */
  readonly stored: number;
  /** Stored samples that equal no sample of the file near their time. */
  readonly foreign: string[];
  /** How many samples the file has between its charge and drop. */
  readonly expected: number;
  /** Those of them that are not stored. */
  readonly missing: number[];
  /** How far from its own time in the file a sample was stored at most, s. */
  readonly worstShiftSeconds: number;
}

/** Half a step of a register of 0.1 °C, and what four bytes leave of it. */
const resolutionC = 0.0501;

/**
 * Compares a stored curve with the file it was replayed from, sample by sample.
 * @param toleranceSeconds the allowed difference between the date of a reading and the time of the file's sample
 */
export const compareWithFile = (replayed: ReplayedRoast, toleranceSeconds: number): CurveComparison => {
  const { file, curve, chargedAt } = replayed;
  // The first sample was constant before the recording played (no stored margin reaches back to a later first); the
  // last stays after it.
  const times = [Number.NEGATIVE_INFINITY, ...file.timesSeconds.slice(1)];
  const columns = [
    [curve.channels['bean_temp'] ?? [], file.beanTempC],
    [curve.channels['exhaust_temp'] ?? [], file.exhaustTempC],
  ] as const;
  const isSame = (sample: number, index: number): boolean =>
    columns.every(([stored, recorded]) => {
      const [one, other] = [stored[sample] ?? null, recorded[index] ?? null];
      return one === null || other === null ? one === other : Math.abs(one - other) <= resolutionC;
    });
  const found = new Set<number>();
  const foreign: string[] = [];
  let worstShiftSeconds = 0;
  let from = 0;
  for (const [sample, sinceCharge] of curve.time_seconds.entries()) {
    const at = sinceCharge + chargedAt;
    while ((times[from + 1] ?? Number.POSITIVE_INFINITY) < at - toleranceSeconds) from += 1;
    let nearest = Number.POSITIVE_INFINITY;
    let match = -1;
    for (let index = from; index < times.length && (times[index] ?? 0) <= at + toleranceSeconds; index++) {
      if (!isSame(sample, index)) continue;
      // How far outside the time from this sample of the file to the next.
      const shift = Math.max(0, (times[index] ?? 0) - at, at - (times[index + 1] ?? Number.POSITIVE_INFINITY));
      if (shift >= nearest) continue;
      nearest = shift;
      match = index;
    }
    if (match < 0) foreign.push(`${columns.map(([stored]) => stored[sample]).join('/')} °C at ${at.toFixed(2)} s`);
    else {
      found.add(match);
      worstShiftSeconds = Math.max(worstShiftSeconds, nearest);
    }
  }
  const [charge = 0, drop = 0] = ['charge', 'drop'].map((kind) => markSeconds(file, kind));
  const expected = file.timesSeconds.flatMap((time, index) => (time >= charge && time <= drop ? [index] : []));
  return {
    stored: curve.time_seconds.length,
    foreign,
    expected: expected.length,
    missing: expected.filter((index) => !found.has(index)),
    worstShiftSeconds,
  };
};

/** When a mark lies in the file, seconds of its own time. */
export const markSeconds = (file: ArtisanRoast, kind: string): number =>
  file.marks.find((mark) => mark.kind === kind)?.timeSeconds ?? Number.NaN;
