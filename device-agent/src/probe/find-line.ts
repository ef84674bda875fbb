import type { Link } from '@roastery/contract/machine-map';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { createBus } from '../machine/bus.ts';
import { openLine, type OpenLine } from '../machine/line-port.ts';

/** Factory settings of controllers, the most usual first; odd parity is the rarest. */
const settings = [
  [9600, 'none'],
  [19_200, 'even'],
  [9600, 'even'],
  [19_200, 'none'],
  [38_400, 'none'],
  [115_200, 'none'],
  [38_400, 'even'],
  [57_600, 'none'],
  [115_200, 'even'],
  [57_600, 'even'],
  [4800, 'none'],
  [4800, 'even'],
  [2400, 'none'],
  [2400, 'even'],
  [9600, 'odd'],
  [19_200, 'odd'],
  [38_400, 'odd'],
] as const;
/** This many settings are tried with many unit numbers when the usual ones do not answer. */
const settingsForManyUnits = 4;
const serialUnits = [1, 2, 3] as const;
const furtherSerialUnits = [4, 5, 6, 7, 8, 9, 10] as const;
const networkUnits = [1, 2, 3, 4, 5, 255, 0] as const;
/** How long an answer may take, ms: most controllers are quick; the second round is for the slow ones. */
const quickMs = 250;
const slowMs = 600;
/** Pause between two requests: a machine has other tasks, and a wrong speed causes noise. */
const betweenMs = 50;
const openDeadlineMs = 1500;
/** A line that rests after a failure, or could not be opened, is tried again after this. */
const restStepMs = 30;
const restPatienceMs = 2500;
/** How often a search retries the given settings, so that a machine with them is found. */
const returnEveryMs = 10_000;

type SerialLink = Extract<Link, { kind: 'rtu' | 'ascii' }>;
const isSerial = (link: Link): link is SerialLink => link.kind === 'rtu' || link.kind === 'ascii';

interface Attempt {
  readonly link: Link;
  readonly units: readonly number[];
  readonly timeoutMs: number;
}

/** The line as given first, then the usual settings; longer deadlines and unusual settings last. */
const attempts = (link: Link, firstUnits: readonly number[]): Attempt[] => {
  if (!isSerial(link)) return [{ link, units: [...new Set([...firstUnits, ...networkUnits])], timeoutMs: slowMs }];
  const links: SerialLink[] = [
    link,
    ...settings
      // ASCII with a parity bit has characters of seven bits.
      .map(([baud, parity]): SerialLink => {
        const dataBits = link.kind === 'ascii' && parity !== 'none' ? 7 : 8;
        return { ...link, baud, parity, dataBits };
      })
      .filter(({ baud, parity }) => baud !== link.baud || parity !== link.parity),
  ];
  const units = [...new Set([...firstUnits, ...serialUnits])];
  return [
    ...links.map((one) => ({ link: one, units, timeoutMs: quickMs })),
    ...links.map((one) => ({ link: one, units, timeoutMs: slowMs })),
    ...links
      .slice(0, settingsForManyUnits)
      .map((one) => ({ link: one, units: furtherSerialUnits, timeoutMs: quickMs })),
  ];
};

/**
 * Whether a unit answers; a refusal is an answer. It reads one register, nothing else. Throws `LinkError` when a serial
 * adapter is gone or in use: that says nothing about the unit. A gateway may refuse connections of its own accord.
 */
const answers = async (
  { link, timeoutMs }: Attempt,
  unit: number,
  signal: AbortSignal,
  clock: Clock,
  openLink: OpenLine,
): Promise<boolean> => {
  let trouble: unknown;
  const open: OpenLine = async (...line) => {
    trouble = undefined;
    try {
      return await openLink(...line);
    } catch (error) {
      trouble = error;
      throw error;
    }
  };
  const bus = createBus(link, { timeoutMs, quietMs: timeoutMs / 2, gapMs: 0, isFresh: true }, clock, open);
  const until = clock.monotonic() + restPatienceMs;
  try {
    while (!signal.aborted) {
      const answer = await bus.read({ unit, table: 'holding', start: 0, count: 1 });
      // A gateway's own exception says nothing about the unit.
      if (answer.kind === 'exception') return answer.code !== 10 && answer.code !== 11;
      if (answer.kind === 'data') return true;
      if (answer.kind !== 'resting' && trouble === undefined) return false;
      if (clock.monotonic() > until) break;
      await pause(restStepMs, signal, clock);
    }
  } finally {
    bus.close();
  }
  if (trouble !== undefined && isSerial(link) && !signal.aborted) throw trouble;
  return false;
};

export interface FoundLine {
  readonly link: Link;
  readonly units: readonly number[];
}

export interface FindProgress {
  /** Requests so far, and the maximum. */
  readonly asked: number;
  readonly of: number;
  /** `rtu /dev/ttyUSB0 9600 baud, no parity, unit 1` */
  readonly where: string;
}

export interface FindOptions {
  readonly clock?: Clock;
  readonly open?: OpenLine;
  readonly returnAfterMs?: number;
}

/**
 * Requests one holding register with the usual speeds, parities and unit numbers, one after the other, until a unit
 * gives a valid answer: a frame with a wrong checksum does not count. Then finds the other units on that line. In
 * between it returns to the line and the units it was given: a machine that is switched on during the search is found
 * there within seconds. Undefined if no unit answers, or when `signal` aborted. Throws `LinkError` when there is no
 * such adapter or address, or when the adapter is gone for seconds.
 */
export const findLine = async (
  link: Link,
  firstUnits: readonly number[],
  signal: AbortSignal,
  trying: (progress: FindProgress) => void,
  { clock = realClock, open = openLine, returnAfterMs = returnEveryMs }: FindOptions = {},
): Promise<FoundLine | undefined> => {
  // A missing adapter answers at no speed, and is a different error.
  (await open(link, openDeadlineMs, { data: () => undefined, closed: () => undefined }, clock)).close();
  const tries = attempts(link, firstUnits);
  const of = tries.reduce((sum, { units }) => sum + units.length, 0);
  let asked = 0;
  const answering = async (attempt: Attempt): Promise<number[]> => {
    const found: number[] = [];
    for (const unit of attempt.units) {
      if (signal.aborted) return found;
      asked += 1;
      trying({ asked: Math.min(asked, of), of, where: `${linkLabel(attempt.link)}, unit ${unit}` });
      if (await answers(attempt, unit, signal, clock, open)) found.push(unit);
      await pause(betweenMs, signal, clock);
    }
    return found;
  };
  const withOthers = async (attempt: Attempt, units: readonly number[]): Promise<FoundLine | undefined> => {
    const all = isSerial(attempt.link) ? [...attempt.units, ...serialUnits, ...furtherSerialUnits] : attempt.units;
    const silent = [...new Set(all)].filter((unit) => !units.includes(unit));
    // The line is right, so waiting for a slow unit beside a quick one is useful.
    const others = await answering({ ...attempt, units: silent, timeoutMs: slowMs });
    return signal.aborted ? undefined : { link: attempt.link, units: [...units, ...others].toSorted((a, b) => a - b) };
  };
  const asNamed: Attempt = { link, units: firstUnits, timeoutMs: slowMs };
  let leftAt = clock.monotonic();
  for (const attempt of tries) {
    if (clock.monotonic() - leftAt >= returnAfterMs) {
      const back = await answering(asNamed);
      if (back.length > 0) return withOthers(asNamed, back);
      leftAt = clock.monotonic();
    }
    const units = await answering(attempt);
    if (signal.aborted) return undefined;
    if (units.length > 0) return withOthers(attempt, units);
  }
  return undefined;
};

/** `rtu /dev/ttyUSB0 9600 baud, no parity` or `tcp 192.168.0.20:502` */
export const linkLabel = (link: Link): string =>
  isSerial(link)
    ? `${link.kind} ${link.path} ${link.baud} baud, ${link.parity === 'none' ? 'no' : link.parity} parity`
    : `${link.kind} ${link.host}:${link.port}`;
