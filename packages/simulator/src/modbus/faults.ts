import { parseOrThrow } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { Random } from '../model/random.ts';
import type { Damage } from './framing.ts';

const probability = z.number().min(0).max(1).default(0);

/** Faults of line and machine. Probabilities count per request; an empty object is a machine without faults. */
export const faultsShape = z.strictObject({
  /** Takes requests and never answers. */
  silence: z.boolean().default(false),
  /** Units that never answer while the others do. */
  deadUnits: z.array(z.number().int().min(0).max(247)).default([]),
  /** New connections are closed at once. */
  refuseConnections: z.boolean().default(false),
  /** Answers that never come. */
  lossProbability: probability,
  /** Answers that come this late, ms. */
  lateProbability: probability,
  lateMs: z.number().min(0).max(60_000).default(1000),
  /** Answers refused with an exception. */
  exceptionProbability: probability,
  exceptionCode: z.number().int().min(1).max(11).default(4),
  /** Modbus TCP: another transaction id; on serial lines a wrong check value. */
  wrongTransactionProbability: probability,
  /** Wrong CRC or LRC; on Modbus TCP garbled data. */
  wrongCheckProbability: probability,
  garbledProbability: probability,
  cutShortProbability: probability,
  wrongLengthProbability: probability,
  /** The connection is closed instead of an answer. */
  closeProbability: probability,
  /** Channels whose probe gives nothing. */
  brokenProbes: z.array(z.string()).default([]),
});
export type Faults = z.infer<typeof faultsShape>;
export type FaultsInput = z.input<typeof faultsShape>;

export const noFaults: Faults = parseOrThrow(faultsShape, {});

/** What becomes of one request. */
export type Fate =
  | { readonly kind: 'silence' }
  | { readonly kind: 'close' }
  | { readonly kind: 'answer'; readonly delayMs: number; readonly damage: Damage; readonly exception: number | null };

/** Draws what becomes of the next request to a unit. */
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
  ];
  return {
    kind: 'answer',
    delayMs: random.chance(faults.lateProbability) ? faults.lateMs : 0,
    damage: damages.find(([, likely]) => random.chance(likely))?.[0] ?? 'none',
    exception: random.chance(faults.exceptionProbability) ? faults.exceptionCode : null,
  };
};
