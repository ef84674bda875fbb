import type { Link } from '@roastery/contract/machine-map';
import { pause } from '@roastery/runtime/backoff';
import { createBus } from '../machine/bus.ts';

const bauds = [9600, 19_200, 38_400, 115_200, 57_600] as const;
const parities = ['none', 'even', 'odd'] as const;
const serialUnits = [1, 2, 3] as const;
const networkUnits = [1, 2, 3, 4, 5, 255, 0] as const;
const timing = { timeoutMs: 250, quietMs: 120, gapMs: 20 };
/** A line that rests after a failure is asked again after this. */
const restStepMs = 30;
const restPatienceMs = 2500;

/** The line as it was named first, then as machines usually have it. */
const linksToTry = (link: Link): Link[] => {
  if (link.kind === 'tcp' || link.kind === 'rtu-over-tcp') return [link];
  const others = bauds.flatMap((baud) => parities.map((parity) => ({ ...link, baud, parity })));
  return [link, ...others.filter(({ baud, parity }) => baud !== link.baud || parity !== link.parity)];
};

const units = (link: Link, first: number): number[] => [
  ...new Set([first, ...(link.kind === 'tcp' || link.kind === 'rtu-over-tcp' ? networkUnits : serialUnits)]),
];

/** Whether anybody answers at a unit; a refusal is an answer. */
const answers = async (bus: ReturnType<typeof createBus>, unit: number, signal: AbortSignal): Promise<boolean> => {
  const until = performance.now() + restPatienceMs;
  while (!signal.aborted) {
    const answer = await bus.read({ unit, table: 'holding', start: 0, count: 1 });
    if (answer.kind === 'data' || answer.kind === 'exception') return true;
    if (answer.kind !== 'resting' || performance.now() > until) return false;
    await pause(restStepMs, signal);
  }
  return false;
};

export interface FoundLine {
  readonly link: Link;
  readonly units: readonly number[];
}

/** Asks for one register with the usual speeds, parities and unit numbers. Undefined where nobody answers. */
export const findLine = async (
  link: Link,
  firstUnit: number,
  signal: AbortSignal,
  trying: (words: string) => void,
): Promise<FoundLine | undefined> => {
  for (const candidate of linksToTry(link)) {
    const answering: number[] = [];
    for (const unit of units(candidate, firstUnit)) {
      if (signal.aborted) return undefined;
      trying(`${linkWords(candidate)}, unit ${unit}`);
      const bus = createBus(candidate, timing);
      try {
        if (await answers(bus, unit, signal)) answering.push(unit);
      } finally {
        bus.close();
      }
    }
    if (answering.length > 0) return { link: candidate, units: answering };
  }
  return undefined;
};

/** `rtu /dev/ttyUSB0 9600 baud, no parity` or `tcp 192.168.0.20:502` */
export const linkWords = (link: Link): string =>
  link.kind === 'tcp' || link.kind === 'rtu-over-tcp'
    ? `${link.kind} ${link.host}:${link.port}`
    : `${link.kind} ${link.path} ${link.baud} baud, ${link.parity === 'none' ? 'no' : link.parity} parity`;
