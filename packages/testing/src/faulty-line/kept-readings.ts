import { planReads, readItems } from '@roastery/device-agent/core/read-plan';
import type { MachineMap } from '@roastery/contract/machine-map';
import type { AskedQuestion } from './faulty-line.ts';
import type { ReadingTime, StampedSample } from './layouts.ts';

/** Two requests for the bean temperature this close to each other belong to one reading. */
const sameReadingMs = 60;
/** A sample lies between the first and the last request of its reading, except for the time of an answer. */
const slackMs = 40;

const codes = { coil: 1, discrete: 2, holding: 3, input: 4 } as const;

/** The machine's requests, one list for each reading: a reading begins with the bean temperature. */
const readingsOf = (map: MachineMap, asked: readonly AskedQuestion[]): AskedQuestion[][] => {
  const plan = planReads(readItems(map), map);
  const beans = plan.find(({ items }) => items.some(({ name }) => name === 'bean_temp'));
  const readings: AskedQuestion[][] = [];
  let beansAt = -Infinity;
  for (const question of asked) {
    const isBeans =
      beans !== undefined &&
      question.unit === beans.unit &&
      question.code === codes[beans.table] &&
      question.start === beans.start;
    const current = readings.at(-1);
    if (current === undefined || (isBeans && (question.at - beansAt > sameReadingMs || current.length >= plan.length)))
      readings.push([question]);
    else current.push(question);
    if (isBeans) beansAt = question.at;
  }
  return readings;
};

/** The times at which the machine was read. */
export const readingTimes = (map: MachineMap, asked: readonly AskedQuestion[]): ReadingTime[] =>
  readingsOf(map, asked).map((questions) => ({ from: questions[0]?.at ?? 0, to: questions.at(-1)?.at ?? 0 }));

/** Of the readings whose every answer was sound, how many are completely in the record. */
export const keptReadings = (
  map: MachineMap,
  asked: readonly AskedQuestion[],
  samples: readonly StampedSample[],
): { readonly sound: number; readonly kept: number; readonly readings: number } => {
  const { length } = planReads(readItems(map), map);
  const readings = readingsOf(map, asked).filter((questions) => questions.length >= length);
  const sound = readings.filter((questions) => questions.every((question) => question.isSound));
  const whole = samples.filter(({ values }) => values.every((value) => value !== null)).map(({ mono }) => mono);
  const kept = sound.filter((questions) => {
    const [from, to] = [(questions[0]?.at ?? 0) - slackMs, (questions.at(-1)?.at ?? 0) + slackMs];
    return whole.some((mono) => mono >= from && mono <= to);
  });
  return { sound: sound.length, kept: kept.length, readings: readings.length };
};
