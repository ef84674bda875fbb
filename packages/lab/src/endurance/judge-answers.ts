import { alwaysMs } from '@roastery/device-agent/core/reading-span';
import { idleSyncIntervalMs, syncIntervalMs } from '@roastery/device-agent/journal/journal';
import type { Measurement } from '@roastery/testing/bench';
import type { AgentStatements } from './agent-statements.ts';
import type { NumberedReading } from './answered-readings.ts';

/** On a quick line the agent drops a longer reading; a sample is dated in the middle of its reading, to the ms. */
const datedWithinMs = alwaysMs / 2 + 1;
/** No program starts faster: earlier answers were requested by the previous process. */
const loadingMs = 100;
/** The longest duration of a sync on a busy computer. */
const syncTakesMs = 2000;
/** Postgres stores a value in four bytes. */
const precision = 1e-3;

interface Kill {
  readonly monoMs: number;
  readonly endedMs: number;
}

/** Why an answer may be missing without being lost. */
export type Excuse =
  /** The board logged that this reading becomes no sample. */
  | 'dropped'
  /** It was journalled, and the server has a gap for its number: dropped for room on a full disk. */
  | 'reported'
  /** The requesting process was dead. */
  | 'unheard'
  /** It arrived within the sync interval before a kill, and the board never reported it as safe. */
  | 'unsynced'
  /** The disk refused it until the kill, as the board had reported. */
  | 'refused';

/** How long a reading may wait for its sync: a second, or the interval that the board reported for its slow pace. */
const unsyncedMs = (monoMs: number, { gathered }: AgentStatements): number =>
  syncTakesMs +
  (gathered.some(({ fromMs, toMs }) => monoMs >= fromMs && monoMs <= toMs) ? idleSyncIntervalMs : syncIntervalMs);

/**
 * Why a reading may be missing, judged by the board's own statements; undefined if it is lost. A journal entry arrives
 * once; a reading is journalled when it is synced.
 */
const excuseOf = (
  { number, monoMs }: NumberedReading,
  kills: readonly Kill[],
  said: AgentStatements,
  reported: ReadonlySet<number>,
): Excuse | undefined => {
  if (reported.has(number)) return 'reported';
  if (said.dropped.some(({ fromMs, toMs }) => monoMs >= fromMs && monoMs <= toMs)) return 'dropped';
  if (kills.some((kill) => monoMs >= kill.monoMs && monoMs <= kill.endedMs + loadingMs)) return 'unheard';
  const kill = kills.find((one) => one.monoMs > monoMs);
  if (!kill || said.syncedThrough.some((through) => through >= monoMs && through <= kill.monoMs)) return undefined;
  const waitsMs = unsyncedMs(monoMs, said);
  const isRefused = said.refusals.some(
    ({ fromMs, toMs }) =>
      monoMs >= fromMs - waitsMs && fromMs <= kill.monoMs && toMs >= Math.max(monoMs, kill.monoMs - waitsMs),
  );
  if (isRefused) return 'refused';
  return kill.monoMs - monoMs <= waitsMs ? 'unsynced' : undefined;
};

const isSame = (a: NumberedReading, b: NumberedReading): boolean =>
  a.values.every((value, index) => {
    const other = b.values[index] ?? null;
    return value === null || other === null ? value === other : Math.abs(value - other) <= precision;
  });

export interface Judgement {
  readonly lost: readonly NumberedReading[];
  readonly doubled: readonly NumberedReading[];
  /** Dated outside of the time between request and answer. */
  readonly shifted: readonly NumberedReading[];
  readonly different: readonly NumberedReading[];
  readonly invented: readonly NumberedReading[];
  readonly excused: Readonly<Record<Excuse, readonly NumberedReading[]>>;
}

/**
 * Matches the machine's answers with the stored samples by number.
 * @param reported the readings whose place in the journal lies in a gap at the server
 */
export const judgeAnswers = (
  answers: readonly NumberedReading[],
  stored: readonly NumberedReading[],
  kills: readonly Kill[],
  said: AgentStatements,
  reported: ReadonlySet<number> = new Set(),
): Judgement => {
  const answered = new Map(answers.map((answer) => [answer.number, answer]));
  const found = new Set<number>();
  const wrong = { doubled: [], shifted: [], different: [], invented: [] } as Record<
    'doubled' | 'shifted' | 'different' | 'invented',
    NumberedReading[]
  >;
  for (const reading of stored) {
    const answer = answered.get(reading.number);
    if (!answer) wrong.invented.push(reading);
    else if (found.has(reading.number)) wrong.doubled.push(reading);
    else if (Math.abs(answer.monoMs - reading.monoMs) > datedWithinMs) wrong.shifted.push(reading);
    else if (!isSame(answer, reading)) wrong.different.push(reading);
    found.add(reading.number);
  }
  const lost: NumberedReading[] = [];
  const excused: Record<Excuse, NumberedReading[]> = {
    dropped: [],
    reported: [],
    unheard: [],
    unsynced: [],
    refused: [],
  };
  for (const answer of answers) {
    if (found.has(answer.number)) continue;
    const excuse = excuseOf(answer, kills, said, reported);
    (excuse ? excused[excuse] : lost).push(answer);
  }
  return { ...wrong, lost, excused };
};

/** How long before its kill the earliest of these was read, s. */
const maxSecondsBefore = (readings: readonly NumberedReading[], kills: readonly Kill[]): number =>
  readings.reduce((longest, { monoMs }) => {
    const kill = kills.find((one) => one.monoMs > monoMs);
    return Math.max(longest, kill ? (kill.monoMs - monoMs) / 1000 : 0);
  }, 0);

/** @param diskFails whether readings may be missing because the disk refused them */
export const judgementTable = (
  judgement: Judgement,
  totals: { readonly answers: number; readonly stored: number },
  kills: readonly Kill[],
  diskFails: boolean,
): Measurement[] => {
  const none = { of: 'value', atMost: 0 } as const;
  const { dropped, reported, unheard, unsynced, refused } = judgement.excused;
  const before = (readings: readonly NumberedReading[]): string =>
    `readings, the earliest ${maxSecondsBefore(readings, kills).toFixed(2)} s before its kill`;
  const wrong = ['doubled', 'shifted', 'different', 'invented'] as const;
  const named = {
    doubled: 'stored twice',
    shifted: `stored more than ${datedWithinMs} ms beside its time`,
    different: 'stored with other values',
    invented: 'stored, never answered',
  };
  return [
    { what: 'readings that the machine answered', value: totals.answers, unit: 'readings' },
    { what: '  stored', value: totals.stored, unit: 'readings' },
    { what: '  dropped by the board, as it logged', value: dropped.length, unit: 'readings' },
    { what: '  dropped for room on a full disk, in a gap at the server', value: reported.length, unit: 'readings' },
    { what: '  answered to a program that was killed', value: unheard.length, unit: 'readings' },
    {
      what: '  read within the sync interval before a kill, not synced yet',
      value: unsynced.length,
      unit: before(unsynced),
    },
    {
      what: '  refused by the disk until the kill, as it logged',
      value: refused.length,
      unit: before(refused),
      ...(diskFails ? {} : { aim: none }),
    },
    { what: '  lost', value: judgement.lost.length, unit: 'readings', aim: none },
    ...wrong.map((kind): Measurement => ({
      what: `  ${named[kind]}`,
      value: judgement[kind].length,
      unit: 'readings',
      aim: none,
    })),
  ];
};
