import type { DetectorSample, RoastDetector } from '@roastery/roasting/detection/detector';
import { isRetraction } from '@roastery/roasting/curves/findings';
import type { Measurement } from '../bench.ts';
import { artisanMarks, artisanModes } from './artisan-rule.ts';
import { readEvery } from './conditions.ts';
import { lag, lost, noise, wholeDegrees } from './field-conditions.ts';
import { marksNotCounted, truthOf, type CurveTruth } from './curve-truth.ts';
import { ownerFolders, recordedRoasts, samplesOf } from './recorded-roasts.ts';

/** Anything that finds the roasts of a recording. `truth` is null for a stretch without a roast. */
export interface JudgedRule {
  readonly name: string;
  readonly find: (samples: readonly DetectorSample[], truth: CurveTruth | null) => FoundRoast[];
}

/** Whatever finds marks the way the detector does. */
export const judgedDetector = (
  name: string,
  create: (options: { readonly charging: 'hot' | 'cold' }) => RoastDetector,
): JudgedRule => ({
  name,
  find: (samples, truth) => foundIn(samples, create({ charging: truth?.cold === true ? 'cold' : 'hot' })),
});

/** Both modes of Artisan's rule. The drop is searched from the marked charge, so that a missed charge does not cost it. */
export const judgedArtisan: readonly JudgedRule[] = artisanModes.map((mode) => ({
  name: `Artisan ${mode}`,
  find: (samples, truth) => {
    const { charge, drop } = artisanMarks(samples, mode, truth?.charge.from);
    return charge === null && drop === null ? [] : [{ charge: charge ?? Number.NEGATIVE_INFINITY, drop, saidAt: null }];
  },
}));

type Apply = (samples: readonly DetectorSample[], seed: number) => DetectorSample[];
const every =
  (seconds: number): Apply =>
  (samples, seed) =>
    readEvery(seconds)(samples, undefined, seed);
const eachTemp =
  (change: (tempC: number) => number): Apply =>
  (samples) =>
    samples.map((sample) => ({ ...sample, beanTempC: sample.beanTempC === null ? null : change(sample.beanTempC) }));
const wholeFahrenheit = (tempC: number) => (Math.round(tempC * 1.8 + 32) - 32) / 1.8;
const asRecorded: Apply = (samples) => [...samples];

const conditions: readonly { readonly name: string; readonly controls?: true; readonly apply: Apply }[] = [
  { name: 'as recorded', apply: asRecorded },
  { name: 'with heat and fan', controls: true, apply: asRecorded },
  ...[0.25, 0.5, 1, 2, 3, 5].map((seconds) => ({ name: `every ${seconds} s`, apply: every(seconds) })),
  { name: 'whole °C', apply: wholeDegrees },
  { name: 'whole °F', apply: eachTemp(wholeFahrenheit) },
  { name: 'noise 0.5 °C', apply: noise(0.5) },
  { name: '1 in 10 lost', apply: lost(0.1) },
  { name: 'lag 8 s', apply: lag(8) },
  { name: 'reads 25 °C low', apply: eachTemp((tempC) => tempC - 25) },
];

interface FoundRoast {
  readonly charge: number;
  readonly drop: number | null;
  /** The time of the sample at which the roast was first said; null where unknown. */
  readonly saidAt: number | null;
}

/** The roasts as they stand at the end of the recording. */
function foundIn(samples: readonly DetectorSample[], detector: RoastDetector): FoundRoast[] {
  const found: FoundRoast[] = [];
  let open: FoundRoast | null = null;
  const close = () => {
    if (open) found.push(open);
    open = null;
  };
  const take = (findings: ReturnType<RoastDetector['push']>, now: number) => {
    for (const finding of findings) {
      if (isRetraction(finding)) {
        if (finding.retract === 'charge') open = null;
        else if (finding.retract === 'drop' && open) open = { ...open, drop: null };
      } else if (finding.kind === 'charge') {
        open = { drop: null, saidAt: now, ...open, charge: finding.timeSeconds };
      } else if (finding.kind === 'drop' && open) {
        open = { ...open, drop: finding.timeSeconds };
        if (!finding.provisional) close();
      }
    }
  };
  for (const sample of samples) {
    const findings = detector.push(sample);
    if (findings.length === 0 && detector.state === 'idle') close();
    take(findings, sample.timeSeconds);
  }
  take(detector.finish(), samples.at(-1)?.timeSeconds ?? 0);
  close();
  return found;
}

interface OwnerScore {
  charges: number;
  chargeWithin5: number;
  chargeMissed: number;
  /** Seconds from the charge until it was first said. */
  saidAfter: number[];
  drops: number;
  dropWithin10: number;
  dropEarly: number;
  dropMissed: number;
  /** Roasts beside the true one. */
  beside: number;
  /** Stretches of recordings without a roast, and roasts found in them. */
  idle: number;
  inIdle: number;
}

const emptyScore = (): OwnerScore => ({
  charges: 0,
  chargeWithin5: 0,
  chargeMissed: 0,
  saidAfter: [],
  drops: 0,
  dropWithin10: 0,
  dropEarly: 0,
  dropMissed: 0,
  beside: 0,
  idle: 0,
  inIdle: 0,
});

/** A charge further away belongs to another roast. */
const sameRoastSeconds = 60;
const outside = (time: number, { from, until }: { from: number; until: number }) =>
  time < from ? time - from : Math.max(0, time - until);

function countRoast(score: OwnerScore, truth: CurveTruth, found: readonly FoundRoast[]): void {
  const { charge, drop } = truth;
  const away = (roast: FoundRoast) => Math.abs(outside(roast.charge, charge));
  const ofDrop = (roast: FoundRoast) => roast.drop !== null && Math.abs(outside(roast.drop, drop)) <= sameRoastSeconds;
  const nearest = found.toSorted((a, b) => away(a) - away(b))[0];
  const mine = nearest && away(nearest) <= sameRoastSeconds ? nearest : undefined;
  if (truth.asked.charge) {
    score.charges++;
    if (!mine) score.chargeMissed++;
    else {
      if (mine.saidAt !== null) score.saidAfter.push(mine.saidAt - charge.from);
      if (away(mine) <= 5) score.chargeWithin5++;
    }
  }
  const its = mine ?? found.find(ofDrop);
  if (truth.asked.drop) {
    score.drops++;
    const off = its?.drop === undefined || its.drop === null ? null : outside(its.drop, drop);
    if (off === null) score.dropMissed++;
    else if (off < -10) score.dropEarly++;
    else if (off <= 10) score.dropWithin10++;
  }
  score.beside += found.length - (its ? 1 : 0);
}

/** Shorter stretches show nothing. */
const idleSeconds = 120;

/** Before the charge and after the drop there is no roast. */
function idleStretches(samples: readonly DetectorSample[], { charge, drop }: CurveTruth): DetectorSample[][] {
  const before = samples.filter(({ timeSeconds }) => timeSeconds < charge.from - 10);
  const after = samples.filter(({ timeSeconds }) => timeSeconds > drop.until + sameRoastSeconds);
  return [before, after].filter((stretch) => {
    return (stretch.at(-1)?.timeSeconds ?? 0) - (stretch[0]?.timeSeconds ?? 0) >= idleSeconds;
  });
}

function scoresOf({ find }: JudgedRule, condition: (typeof conditions)[number]): Map<string, OwnerScore> {
  const scores = new Map<string, OwnerScore>();
  for (const [seed, { file, roast, owner, maker }] of recordedRoasts(ownerFolders).entries()) {
    const truth = truthOf(file, roast);
    if (!truth) continue;
    const name = `${owner}, ${maker}`;
    const score = scores.get(name) ?? emptyScore();
    scores.set(name, score);
    const samples = condition.apply(samplesOf(roast, { withControls: condition.controls === true }), seed);
    countRoast(score, truth, find(samples, truth));
    if (truth.cold) continue;
    for (const stretch of idleStretches(samples, truth)) {
      score.idle++;
      score.inIdle += find(stretch, null).length;
    }
  }
  return scores;
}

const sum = (scores: readonly OwnerScore[]): OwnerScore =>
  scores.reduce((total, score) => {
    const added = { ...total, saidAfter: [...total.saidAfter, ...score.saidAfter] };
    for (const [key, value] of Object.entries(score)) {
      if (typeof value === 'number') Object.assign(added, { [key]: value + Number(total[key as keyof OwnerScore]) });
    }
    return added;
  }, emptyScore());

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

const head = [
  'charge ≤ 5 s',
  'missed',
  'said after, 9 in 10',
  'drop ≤ 10 s',
  '> 10 s early',
  'missed',
  'beside',
  'in idle',
];

const row = (name: string, score: OwnerScore): string => {
  const said = [0.5, 0.9].map((share) => quantile(score.saidAfter, share)?.toFixed(0) ?? '–');
  const cells = [
    `${score.chargeWithin5}/${score.charges}`,
    `${score.chargeMissed}`,
    `${said.join(', ')} s`,
    `${score.dropWithin10}/${score.drops}`,
    `${score.dropEarly}`,
    `${score.dropMissed}`,
    `${score.beside}`,
    `${score.inIdle}/${score.idle}`,
  ];
  return [name.padEnd(34), ...cells.map((cell, at) => cell.padStart((head[at] ?? '').length))].join('  ');
};

const percent = (part: number, whole: number) => (whole === 0 ? 100 : (100 * part) / whole);

/**
 * Every whole roast by owner and maker, against the marks where the curve agrees with them, under each condition. `say`
 * prints the tables and the marks that do not count; a condition's name chooses one.
 */
export function ownerTables(say: (line: string) => void, judged: readonly JudgedRule[], only?: string): Measurement[] {
  say('\nmarks that do not count');
  for (const { file, mark, reason } of marksNotCounted) say(`${file}  ${mark}: ${reason}`);
  return conditions
    .filter(({ name }) => only === undefined || name === only)
    .flatMap((condition) =>
      judged.flatMap((rule) => {
        const scores = scoresOf(rule, condition);
        if (scores.size === 0) return [];
        const all = sum([...scores.values()]);
        say(`\n${condition.name}, ${rule.name}`.padEnd(36) + head.join('  '));
        say(row('all', all));
        for (const [name, score] of [...scores].sort(([a], [b]) => (a < b ? -1 : 1))) say(row(name, score));
        const title = `by owner, ${condition.name}, ${rule.name}`;
        return [
          {
            what: `${title}: charge within 5 s`,
            value: percent(all.chargeWithin5, all.charges),
            unit: `% of ${all.charges}`,
          },
          { what: `${title}: charge missed`, value: all.chargeMissed, unit: `of ${all.charges}` },
          {
            what: `${title}: drop within 10 s`,
            value: percent(all.dropWithin10, all.drops),
            unit: `% of ${all.drops}`,
          },
          { what: `${title}: drop more than 10 s early`, value: all.dropEarly, unit: `of ${all.drops}` },
          { what: `${title}: roasts in recordings without one`, value: all.inIdle, unit: `of ${all.idle}` },
        ];
      }),
    );
}
