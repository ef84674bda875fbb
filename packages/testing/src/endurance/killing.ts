import { setTimeout as sleep } from 'node:timers/promises';
import { listRoasts } from '@roastery/contract/roasts';
import { RangeSet } from '@roastery/device-agent/core/ranges';
import type { RunningMachine } from '@roastery/stack/machine';
import type { Stack } from '@roastery/stack/stack';
import type postgres from 'postgres';
import type { RoasteryClient } from '../roastery-client.ts';
import { until } from '../until.ts';
import type { keepJournal } from './kept-journal.ts';
import { readStoredSamples } from './stored-recording.ts';

/** The same kills in every run; the hit part of the roast still differs. */
const createRandom = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return seed / 2 ** 32;
};

/**
 * Kills agent, broker, api and Postgres with SIGKILL, `count` times at random times, one after the other while the
 * others work. Returns how often each was hit.
 */
export const killAtRandom = async (
  stack: Stack,
  machine: RunningMachine,
  count: number,
): Promise<ReadonlyMap<string, number>> => {
  const random = createRandom(42);
  const parts = ['api', 'broker', 'postgres', machine.agent.name].map((part) => stack.part(part));
  const done = new Map<string, number>();
  for (let n = 0; n < count;) {
    const part = parts[Math.floor(random() * parts.length)];
    await sleep(200 + random() * 1300);
    if (part?.pid === undefined) continue;
    part.kill('SIGKILL');
    // The supervisor would wait longer from kill to kill: the agent reads the machine for most of the run.
    if (part.name === machine.agent.name) await machine.agent.restart();
    done.set(part.name, (done.get(part.name) ?? 0) + 1);
    n += 1;
  }
  return done;
};

/** Postgres stores a value in four bytes: seven digits. */
const isStoredAs = (read: number | null, stored: number | null | undefined): boolean =>
  read === null || stored === null || stored === undefined
    ? read === stored
    : Math.fround(read) === Math.fround(stored);

/** The comparison of a journal, in sequence numbers of its entries. */
export interface JournalOutcome {
  /** Samples that the board wrote. */
  readonly samples: number;
  readonly lost: readonly number[];
  readonly doubled: readonly number[];
  /** Stored, but never written by the board. */
  readonly invented: readonly number[];
  /** Stored with another time or value. */
  readonly different: readonly number[];
  /** Marks that are missing, or were never set. */
  readonly wrongMarks: readonly number[];
  /** Roasts in the portal more or fewer than the board began. */
  readonly splitRoasts: number;
}

/** Waits until all of a board's journal is committed, and compares it with what is stored, sample for sample. */
export const compareWithStored = async (
  sql: postgres.Sql,
  client: RoasteryClient,
  kept: Awaited<ReturnType<typeof keepJournal>>,
): Promise<JournalOutcome> => {
  const journal = await kept.entries();
  const lastSeq = Math.max(...journal.keys());
  // A board that was killed skips numbers.
  const written = [...journal.values()].sort((a, b) => a.seq - b.seq);
  const ranges = new RangeSet(written.map(({ seq }) => [seq, seq])).ranges();
  const numbers = `{${ranges.map(([from, to]) => `[${from},${to}]`).join()}}`;
  const recording = await until(
    'all of the journal to be committed',
    async () => {
      const [row] = await sql<{ id: string; committed: boolean; text: string }[]>`
        SELECT id, held @> ${numbers}::int8multirange AS committed, held::text AS text
        FROM recordings, committed_now(recordings) AS held`;
      return row?.committed === true && row;
    },
    { timeoutMs: 60_000, everyMs: 250 },
  );
  await kept.stop();
  const samples = written.filter((entry) => entry.kind === 'sample');
  const stored = new Map<number, Awaited<ReturnType<typeof readStoredSamples>>[number]>();
  const doubled: number[] = [];
  for (const sample of await readStoredSamples(sql, recording.id)) {
    if (sample.seq > lastSeq) continue;
    if (stored.has(sample.seq)) doubled.push(sample.seq);
    stored.set(sample.seq, sample);
  }
  const known = new Set(samples.map(({ seq }) => seq));
  const marks = new Set(
    written.filter((entry) => entry.kind === 'event' && entry.event.type === 'mark').map(({ seq }) => seq),
  );
  const storedMarks = new Set(
    (
      await sql<{ seq: string }[]>`
        SELECT event_seq AS seq FROM roast_marks WHERE recording_id = ${recording.id} AND event_seq <= ${lastSeq}`
    ).map(({ seq }) => Number(seq)),
  );
  const begun = new Set(
    written.flatMap((entry) => (entry.kind === 'event' && entry.event.type === 'roast' ? [entry.event.roast_id] : [])),
  );
  const { total } = await client.call(listRoasts);
  return {
    samples: samples.length,
    lost: samples.filter(({ seq }) => !stored.has(seq)).map(({ seq }) => seq),
    doubled,
    invented: [...stored.keys()].filter((seq) => !known.has(seq)),
    different: samples.flatMap(({ seq, mono, values, context }) => {
      const same = stored.get(seq);
      if (same === undefined) return [];
      const equal =
        same.mono === mono &&
        context.channels.every((name, column) => isStoredAs(values[column] ?? null, same.values[name]));
      return equal ? [] : [seq];
    }),
    wrongMarks: [...marks]
      .filter((seq) => !storedMarks.has(seq))
      .concat([...storedMarks].filter((seq) => !marks.has(seq))),
    splitRoasts: Math.abs(total - begun.size),
  };
};
