import { readFile } from 'node:fs/promises';
import type postgres from 'postgres';
import { monoNow } from './machine-record.ts';

/** One answer of the simulated machine (`SIM_ANSWERS`), on the axis of a board's samples. */
interface Answer {
  readonly monoMs: number;
  /** Bean and exhaust temperature and those beside them, °C or %; null for "no probe". */
  readonly values: readonly (number | null)[];
}

const noProbe = 32_767;

/** Answers to the request that reads the demo machine's eight readings, oldest first. */
export const readAnswers = async (file: string): Promise<Answer[]> => {
  const wallAtBootMs = performance.timeOrigin + performance.now() - monoNow();
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const { atMs, code, start, words } = JSON.parse(line) as {
      atMs: number;
      code: number;
      start: number;
      words: number[];
    };
    if (code !== 4 || start !== 0) return [];
    return {
      monoMs: atMs - wallAtBootMs,
      values: words.map((word) => (word === noProbe ? null : ((word << 16) >> 16) / 10)),
    };
  });
};

export interface StoredReading {
  readonly monoMs: number;
  readonly values: readonly (number | null)[];
}

/** All samples of a machine in all its recordings, oldest first; a sample stored twice is here twice. */
export const readStoredReadings = async (sql: postgres.Sql, serial: string): Promise<StoredReading[]> => {
  const chunks = await sql<{ mono_ms: string; dt_ms: number[]; values: (number | null)[]; channels: string[] }[]>`
    SELECT chunk.mono_ms, chunk.dt_ms, chunk.values, layout.channels
    FROM recording_chunks chunk JOIN recording_layouts layout USING (recording_id, layout_no)
      JOIN recordings r ON r.id = chunk.recording_id JOIN machines m ON m.id = r.machine_id
    WHERE m.serial_number = ${serial}`;
  return chunks
    .flatMap(({ mono_ms: mono, dt_ms: dt, values, channels }) =>
      dt.map((offset, index) => ({
        monoMs: Number(mono) + offset,
        values: channels.map((_, column) => values[column * dt.length + index] ?? null),
      })),
    )
    .sort((a, b) => a.monoMs - b.monoMs);
};

/** Half a step of a register of a tenth. */
const resolution = 0.051;
/** A reading is dated between question and answer. */
const nearMs = 80;
/** The origin of a shifted reading is searched no further away. */
const searchMs = 60_000;

const isSame = (a: readonly (number | null)[], b: readonly (number | null)[]): boolean =>
  a.every((value, index) => {
    const other = b[index] ?? null;
    return value === null || other === null ? value === other : Math.abs(value - other) <= resolution;
  });

/**
 * Whether the board asked late before or after an answer: a processor that was away drops a reading that it can't date.
 * @param periodMs time between two readings
 */
export const wasStarved = (answers: readonly Answer[], periodMs: number) => {
  const late = answers.flatMap(({ monoMs }, index) => {
    const next = answers[index + 1]?.monoMs ?? monoMs;
    return next - monoMs > 1.5 * periodMs ? [{ fromMs: monoMs, toMs: next }] : [];
  });
  return (monoMs: number): boolean => late.some(({ fromMs, toMs }) => monoMs >= fromMs && monoMs <= toMs);
};

/**
 * Brings what the machine answered and what is stored together, one to one. `excused` says which answers may be missing:
 * those that were on their way into the journal when the program was killed.
 */
export const compareWithAnswers = (
  answers: readonly Answer[],
  stored: readonly StoredReading[],
  excused: (monoMs: number) => boolean,
) => {
  const taken = new Set<number>();
  let from = 0;
  const lost: Answer[] = [];
  let excusedCount = 0;
  for (const answer of answers) {
    while (from < stored.length && (stored[from]?.monoMs ?? 0) < answer.monoMs - nearMs) from += 1;
    let found = -1;
    for (let at = from; at < stored.length && (stored[at]?.monoMs ?? 0) <= answer.monoMs + nearMs; at++) {
      if (!taken.has(at) && isSame(answer.values, stored[at]?.values ?? [])) {
        found = at;
        break;
      }
    }
    if (found >= 0) taken.add(found);
    else if (excused(answer.monoMs)) excusedCount += 1;
    else lost.push(answer);
  }
  const left = stored.filter((_, index) => !taken.has(index));
  const doubled = left.filter(
    (reading) =>
      stored.filter(({ monoMs, values }) => Math.abs(monoMs - reading.monoMs) < 1 && isSame(values, reading.values))
        .length > 1,
  );
  const others = left.filter((reading) => !doubled.includes(reading));
  const shifted = others.filter((reading) =>
    answers.some(
      ({ monoMs, values }) => Math.abs(monoMs - reading.monoMs) <= searchMs && isSame(values, reading.values),
    ),
  );
  return { lost, doubled, shifted, invented: others.length - shifted.length, excused: excusedCount };
};
