import type { Link, MachineMap } from '@roastery/contract/machine-map';
import { answerHorizon } from './recent-answers.ts';
import { planReads, readItems, type PlannedRead } from './read-plan.ts';

type SerialLink = Extract<Link, { kind: 'rtu' | 'ascii' }>;

/** Above this speed the silence between two frames no longer shrinks (Modbus over Serial Line V1.02, 2.5.1.1). */
const fastBaud = 19_200;
const shortestSilenceMs = 1.75;

/** Characters of request and answer on the line, and the silence after each. */
const requestMs = (link: SerialLink, { table, count }: PlannedRead): number => {
  const bitsPerCharacter = 1 + link.dataBits + (link.parity === 'none' ? 0 : 1) + link.stopBits;
  const characterMs = (bitsPerCharacter * 1000) / link.baud;
  const data = table === 'coil' || table === 'discrete' ? Math.ceil(count / 8) : 2 * count;
  // RTU: unit, function, address, count, CRC against unit, function, length, data, CRC. ASCII: two digits per byte,
  // `:`, CR LF.
  if (link.kind === 'ascii') return (2 * 7 + 3 + 2 * (4 + data) + 3) * characterMs;
  const silenceMs = link.baud > fastBaud ? shortestSilenceMs : 3.5 * characterMs;
  return (8 + 5 + data) * characterMs + 2 * silenceMs;
};

/**
 * How long one reading of a map occupies a serial line, ms, if the machine answered at once; undefined for a network,
 * whose speed is unknown.
 */
export const lineMs = (map: MachineMap): number | undefined => {
  const { link } = map;
  if (link.kind !== 'rtu' && link.kind !== 'ascii') return undefined;
  return planReads(readItems(map), map).reduce((sum, read) => sum + requestMs(link, read) + map.gapMs, 0);
};

const oneDecimal = (hz: number): string => (Math.floor(hz * 10) / 10).toString();

/** Why the line is too slow for a map, as a sentence; undefined when the line is fast enough or a network. */
export const slowLineSentence = (map: MachineMap): string | undefined => {
  const takes = lineMs(map);
  if (takes === undefined || takes <= 1000 / map.hz || !('baud' in map.link)) return undefined;
  return `The line at ${map.link.baud} baud carries at most ${oneDecimal(1000 / takes)} readings a second of this map, which asks for ${map.hz}.`;
};

/** What to do about it. */
export const slowLineRemedy =
  'Choose fewer readings a second in the portal, a higher baud rate in the machine and the map, or remove channels from the map.';

/**
 * Explains the cost of a lost answer on a line without transaction numbers when the map only allows answers of one
 * length; undefined where requests can have different lengths. docs/whose-answer.md.
 */
export const alikeAnswersSentence = (map: MachineMap): string | undefined => {
  const { link, maxRegisters, quietMs } = map;
  const requests = planReads(readItems(map), map);
  if (link.kind === 'tcp' || maxRegisters > 1 || requests.length < 2) return undefined;
  const seconds = (answerHorizon(quietMs) / 1000).toFixed(1);
  return `All answers of this map have the same length (maxRegisters 1). After a lost or late answer the agent reads nothing for ${seconds} s, so that no value is assigned to another channel.`;
};
export const alikeAnswersRemedy =
  'Raise maxRegisters in the machine map if the machine can return several registers in one answer, or read it over Modbus TCP.';

/** Number of readings that are averaged, so that one slow answer is not reported. */
const window = 20;
/** A timer is never exact; a rate this close to the map's counts as the map's rate. */
const slack = 1.1;

/** Measures how long readings take, and which rate they reach. */
export const createPaceWatch = (hz: number) => {
  let sumMs = 0;
  let count = 0;
  let reached: number | undefined;
  return {
    /** Adds the duration of a successful reading. */
    took(ms: number): void {
      sumMs += ms;
      count += 1;
      if (count < window) return;
      const meanMs = sumMs / count;
      reached = meanMs * hz > 1000 * slack ? Math.max(0.1, Math.floor(10_000 / meanMs) / 10) : undefined;
      sumMs = 0;
      count = 0;
    },
    /** Readings per second, when there are fewer than the map requires. */
    reachedHz: (): number | undefined => reached,
  };
};

/** Reports a machine that is read more slowly than its map requires, as a sentence. */
export const slowReadingSentence = (reachedHz: number, hz: number): string =>
  `Only ${reachedHz} of ${hz} readings a second: the line or the machine is too slow for this map.`;
