import { parseOrThrow } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { Random } from '../model/random.ts';
import type { Damage } from './framing.ts';

const probability = z.number().min(0).max(1).default(0);
const delay = z.number().min(0).max(60_000);
/** One delay, or the range of many, ms. */
const delays = z.union([delay, z.tuple([delay, delay])]);

/** Faults of line and machine. Probabilities count per request; an empty object is a machine without faults. */
export const faultsShape = z.strictObject({
  /** Accepts requests and never answers. */
  silence: z.boolean().default(false),
  /** Units that never answer while the others do. */
  deadUnits: z.array(z.number().int().min(0).max(247)).default([]),
  /** New connections are closed at once. */
  refuseConnections: z.boolean().default(false),
  /** Answers that never come. */
  lossProbability: probability,
  /** Answers that come this late, ms. */
  lateProbability: probability,
  lateMs: delays.default(1000),
  /** Answers that come twice, at once or this much later. */
  repeatAtOnceProbability: probability,
  repeatProbability: probability,
  repeatMs: delays.default(500),
  /** The answer to the next request of last time, sent before it is requested again. */
  earlyProbability: probability,
  /** Answers that are held back and sent in one piece with the next one, or alone after this time. */
  joinProbability: probability,
  joinMs: delays.default(1000),
  /** Answers with a valid checksum but the number of another unit or function. */
  otherUnitProbability: probability,
  otherFunctionProbability: probability,
  /** Answers that are an exception. */
  exceptionProbability: probability,
  exceptionCode: z.number().int().min(1).max(11).default(4),
  /** Modbus TCP: another transaction id; on serial lines a wrong checksum. */
  wrongTransactionProbability: probability,
  /** Wrong CRC or LRC; on Modbus TCP garbled data. */
  wrongCheckProbability: probability,
  garbledProbability: probability,
  cutShortProbability: probability,
  wrongLengthProbability: probability,
  /** The connection is closed instead of an answer. */
  closeProbability: probability,
  /** Channels whose probe has no value. */
  brokenProbes: z.array(z.string()).default([]),
});
export type Faults = z.infer<typeof faultsShape>;
export type FaultsInput = z.input<typeof faultsShape>;

export const noFaults: Faults = parseOrThrow(faultsShape, {});

/** The fault of one request. */
export type Fate =
  | { readonly kind: 'silence' }
  | { readonly kind: 'close' }
  | {
      readonly kind: 'answer';
      readonly delayMs: number;
      readonly damage: Damage;
      readonly exception: number | null;
      /** The answer is repeated after this time. */
      readonly repeatAfterMs: number | undefined;
      readonly isJoined: boolean;
      readonly joinMs: number;
      /** An unrequested answer follows. */
      readonly hasEarly: boolean;
    };

const draw = (delayMs: number | readonly [number, number], random: Random): number =>
  typeof delayMs === 'number' ? delayMs : random.between(...delayMs);

const drawRepeat = (faults: Faults, random: Random): number | undefined => {
  if (random.chance(faults.repeatAtOnceProbability)) return 0;
  return random.chance(faults.repeatProbability) ? draw(faults.repeatMs, random) : undefined;
};

/** Draws the fault of the next request to a unit. */
export const drawFate = (faults: Faults, unit: number, random: Random): Fate => {
  if (faults.silence || faults.deadUnits.includes(unit) || random.chance(faults.lossProbability)) {
    return { kind: 'silence' };
  }
  if (random.chance(faults.closeProbability)) return { kind: 'close' };
  const damages: readonly [Damage, number][] = [
    ['wrong_transaction', faults.wrongTransactionProbability],
    ['wrong_check', faults.wrongCheckProbability],
    ['garbled', faults.garbledProbability],
    ['cut_short', faults.cutShortProbability],
    ['wrong_length', faults.wrongLengthProbability],
    ['other_unit', faults.otherUnitProbability],
    ['other_function', faults.otherFunctionProbability],
  ];
  return {
    kind: 'answer',
    delayMs: random.chance(faults.lateProbability) ? draw(faults.lateMs, random) : 0,
    damage: damages.find(([, likely]) => random.chance(likely))?.[0] ?? 'none',
    exception: random.chance(faults.exceptionProbability) ? faults.exceptionCode : null,
    repeatAfterMs: drawRepeat(faults, random),
    isJoined: random.chance(faults.joinProbability),
    joinMs: draw(faults.joinMs, random),
    hasEarly: random.chance(faults.earlyProbability),
  };
};

/** Whether an answer met no fault at all. */
export const isSound = (fate: Fate): boolean =>
  fate.kind === 'answer' &&
  fate.delayMs === 0 &&
  fate.damage === 'none' &&
  fate.exception === null &&
  fate.repeatAfterMs === undefined &&
  !fate.isJoined &&
  !fate.hasEarly;
