import type { Link } from '@roastery/contract/machine-map';
import type { FaultsInput } from '@roastery/simulator/modbus/faults';

/** One answer in twenty. */
const share = 0.05;
/** Just after the answer, about a reading later, and the longest possible delay, ms. */
const delaysMs = [5, 250, 1000];

/** Each fault by itself, each delay of those that have one. */
export const faultCases: readonly { readonly name: string; readonly faults: FaultsInput }[] = [
  { name: 'none', faults: {} },
  { name: 'lost', faults: { lossProbability: share } },
  ...delaysMs.map((ms) => ({ name: `late by ${ms} ms`, faults: { lateProbability: share, lateMs: ms } })),
  { name: 'late by anything', faults: { lateProbability: share, lateMs: [1, 1000] } },
  { name: 'early', faults: { earlyProbability: share } },
  { name: 'repeated at once', faults: { repeatAtOnceProbability: share } },
  ...delaysMs.map((ms) => ({ name: `repeated after ${ms} ms`, faults: { repeatProbability: share, repeatMs: ms } })),
  {
    name: 'repeated after anything, others lost',
    faults: { repeatProbability: share, repeatMs: [1, 1000], lossProbability: share },
  },
  { name: 'cut', faults: { cutShortProbability: share } },
  { name: 'joined', faults: { joinProbability: share } },
  { name: 'garbled', faults: { garbledProbability: share } },
  { name: 'of another unit', faults: { otherUnitProbability: share } },
  { name: 'of another unit, late', faults: { otherUnitProbability: share, lateProbability: share, lateMs: [1, 1000] } },
  { name: 'of another function', faults: { otherFunctionProbability: share } },
];

type Delays = [fromMs: number, toMs: number];
/** Within the reading. */
const soonMs: Delays = [1, 100];
/** Up to a second, also if a late answer is held back for the next one. */
const anyMs: Delays = [1, 900];

const delayed = (ms: Delays): Readonly<Record<string, FaultsInput>> => ({
  late: { lateProbability: share, lateMs: ms },
  repeated: { repeatProbability: share, repeatMs: ms },
});
const others: Readonly<Record<string, FaultsInput>> = {
  lost: { lossProbability: share },
  early: { earlyProbability: share },
  joined: { joinProbability: share, joinMs: soonMs },
  'repeated at once': { repeatAtOnceProbability: share },
  cut: { cutShortProbability: share },
  garbled: { garbledProbability: share },
  'of another unit': { otherUnitProbability: share },
  'of another function': { otherFunctionProbability: share },
};

const pairsOf = (faults: Readonly<Record<string, FaultsInput>>) =>
  Object.entries(faults).flatMap(([name, one], index, all) =>
    all.slice(index + 1).map(([other, two]) => ({ name: `${name} and ${other}`, faults: { ...one, ...two } })),
  );

const faultPairs: readonly { readonly name: string; readonly faults: FaultsInput }[] = [
  ...pairsOf({ ...delayed(soonMs), ...others }).map(({ name, faults }) => ({ name: `${name}, soon`, faults })),
  ...pairsOf({ ...delayed(anyMs), ...others }).filter(({ name }) => /^(late|repeated) and /.test(name)),
];
/**
 * Every pair of faults, each in one of twenty answers; with short and all delays. On Modbus TCP an unrequested answer
 * that completes a truncated one looks like registers: no request had its number.
 */
export const faultPairsOn = (kind: Link['kind']): typeof faultPairs =>
  faultPairs.filter(({ name }) => kind !== 'tcp' || name !== 'early and cut, soon');
