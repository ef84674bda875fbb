import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningMachine } from '@roastery/stack/machine';
import type { Stack } from '@roastery/stack/stack';
import { until } from '@roastery/testing/until';
import { isRoastingNow, monoNow } from './machine-record.ts';

/** A SIGKILL of the board's agent. */
export interface AgentKill {
  /** On the axis of the board's samples. */
  readonly monoMs: number;
  /** When the end of the process was noticed. */
  readonly endedMs: number;
  readonly aimedAt: KillMoment;
  /** Since the journal on disk last changed, ms. */
  readonly sinceWriteMs: number;
}

/** While it starts and repairs its journal; at any time; right when something is written to the journal. */
export const killMoments = ['starting', 'running', 'writing'] as const;
export type KillMoment = (typeof killMoments)[number];

/** Range of the time of the kill, ms after the start, or after the first write. */
const waits: Readonly<Record<KillMoment, readonly [number, number]>> = {
  starting: [20, 1000],
  running: [0, 6000],
  writing: [0, 2000],
};
/** A busy computer needs time to start a program. */
const startsWithinMs = 30_000;
/** A start takes about a second; a journal whose disk refuses writes is not awaited. */
const firstWriteMs = 4000;
/** A journal on a disk that refuses writes does not change: then the kill comes without a write. */
const maxQuietMs = 2000;
/** A write, its sync and the sending that follows take about this long. */
const writingMs = 4;
/** A run ends after this long for each kill, and reports the number of kills. */
const maxMsPerKill = 12_000;
/** For every this many kills of the agent one of the other parts is killed too, while the agent works. */
const otherShare = 1 / 3;

/** Reports when the files of a folder change. */
const watchWrites = (folder: string) => {
  let lastAt = Number.NEGATIVE_INFINITY;
  let wake: (() => void) | undefined;
  const watcher = watch(folder, { recursive: true }, () => {
    lastAt = performance.now();
    wake?.();
  });
  return {
    sinceMs: () => performance.now() - lastAt,
    /** Resolves at the next change, or after `maxMs`. */
    async next(maxMs: number): Promise<void> {
      const waiting = new AbortController();
      const change = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([change, sleep(maxMs, undefined, { signal: waiting.signal }).catch(() => undefined)]);
      waiting.abort();
      wake = undefined;
    },
    close: () => watcher.close(),
  };
};

/**
 * Kills the agent of a machine at random times while beans are in its drum, until `count` kills have hit a roast, and
 * broker, api and Postgres in between. Returns every kill of the agent, and how often each other part was hit.
 * @param recordFile the simulator's own record: it shows whether a roast runs
 * @param random numbers in 0…1
 */
export const killWhileRoasting = async (
  stack: Stack,
  machine: RunningMachine,
  plan: {
    readonly count: number;
    readonly recordFile: string;
    readonly journalFolder: string;
    readonly random: () => number;
    /** Events while the agent is dead. */
    readonly whileDead?: () => void;
  },
): Promise<{ agent: readonly AgentKill[]; others: ReadonlyMap<string, number> }> => {
  const { count, recordFile, journalFolder, random } = plan;
  const pick = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  const others = ['api', 'broker', 'postgres'].map((part) => stack.part(part));
  const killedOthers = new Map<string, number>();
  const agent: AgentKill[] = [];
  const writes = watchWrites(journalFolder);
  const endAt = performance.now() + count * maxMsPerKill;
  let hits = 0;
  try {
    while (hits < count && performance.now() < endAt) {
      await until('beans in the drum', () => isRoastingNow(recordFile), { timeoutMs: 600_000, everyMs: 200 });
      const isUp = () => machine.agent.pid !== undefined;
      await until('the agent to be started', isUp, { timeoutMs: startsWithinMs, everyMs: 5 });
      const aimedAt = pick(killMoments) ?? 'running';
      if (aimedAt !== 'starting') await writes.next(firstWriteMs);
      const [minMs, maxMs] = waits[aimedAt];
      const waitMs = minMs + (maxMs - minMs) * random();
      const other = random() < otherShare ? pick(others) : undefined;
      const otherFirstMs = other ? waitMs * random() : 0;
      await sleep(otherFirstMs);
      if (other?.pid !== undefined) {
        other.kill('SIGKILL');
        killedOthers.set(other.name, (killedOthers.get(other.name) ?? 0) + 1);
      }
      await sleep(waitMs - otherFirstMs);
      if (aimedAt === 'writing') {
        await writes.next(maxQuietMs);
        await sleep(writingMs * random());
      }
      if (machine.agent.pid === undefined) continue;
      const kill = { monoMs: monoNow(), aimedAt, sinceWriteMs: writes.sinceMs() };
      machine.agent.kill('SIGKILL');
      await until('the agent to end', () => !isUp(), { timeoutMs: startsWithinMs, everyMs: 2 });
      agent.push({ ...kill, endedMs: monoNow() });
      plan.whileDead?.();
      // Nothing is left to end: only the supervisor's delay between kills matters.
      await machine.agent.restart();
      if (await isRoastingNow(recordFile)) hits += 1;
    }
  } finally {
    writes.close();
  }
  return { agent, others: killedOthers };
};
