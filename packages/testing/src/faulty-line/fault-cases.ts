import type { FaultsInput } from '@roastery/simulator/modbus/faults';

/** One answer in twenty. */
const share = 0.05;
/** Just after the answer, about a reading later, and the longest there is, ms. */
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
