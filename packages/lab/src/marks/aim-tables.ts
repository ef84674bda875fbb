import { markOf } from '@roastery/roasting/marks';
import type { Measurement } from '@roastery/testing/bench';
import { artisanModes } from '@roastery/testing/marks/artisan-rule';
import { doubtAboutCharge, doubtAboutDrop, isWholeRoast } from '@roastery/testing/marks/doubtful-marks';
import { fieldConditions } from '@roastery/testing/marks/field-conditions';
import { batchOfSeries, heldOutSeeds, physicalSeries, smallBatches } from '@roastery/testing/marks/physical-roast';
import { allFolders, chargedCold, recordedRoasts, samplesOf } from '@roastery/testing/marks/recorded-roasts';
import {
  addScores,
  countRoasts,
  emptyRoastScore,
  artisanRoasts,
  detectorRoasts,
  type RoastScore,
  type RoastTruth,
} from '@roastery/testing/marks/detected-roasts';

const rules = ['ours', ...artisanModes] as const;
type Rule = (typeof rules)[number];

/** The scores of each rule on one side of a split, and the charges that Artisan finds in either mode but ours does not. */
interface Side {
  readonly scores: Readonly<Record<Rule, RoastScore>>;
  missedOursOnly: number;
}

const emptySide = (): Side => ({
  scores: { ours: emptyRoastScore(), standard: emptyRoastScore(), sensitive: emptyRoastScore() },
  missedOursOnly: 0,
});

const together = (sides: readonly Side[]): Side => ({
  scores: {
    ours: addScores(sides.map(({ scores }) => scores.ours)),
    standard: addScores(sides.map(({ scores }) => scores.standard)),
    sensitive: addScores(sides.map(({ scores }) => scores.sensitive)),
  },
  missedOursOnly: sides.reduce((sum, { missedOursOnly }) => sum + missedOursOnly, 0),
});

/**
 * Artisan finds a charge when its mark lies within 10 s. Its rule runs only from the minute before each charge on, so a rule that
 * fires on noise would otherwise find every charge.
 */
const isFound = (awaySeconds: number | undefined) => awaySeconds !== undefined && awaySeconds <= 10;
const isMissed = (awaySeconds: number | undefined) => awaySeconds === Number.POSITIVE_INFINITY;

/** Recorded roasts with credible marks, by the owner of the files and by the maker of the machine. */
export function recordedSides(condition: (typeof fieldConditions)[number]): Map<string, Side> {
  const sides = new Map<string, Side>();
  const whole = recordedRoasts(allFolders).filter(({ roast }) => isWholeRoast(roast));
  for (const [seed, { roast, owner, maker }] of whole.entries()) {
    const charge = markOf(roast.marks, 'charge')?.timeSeconds ?? 0;
    const truth: RoastTruth = { charge, drop: markOf(roast.marks, 'drop')?.timeSeconds };
    const cold = chargedCold(roast);
    const asked = { charge: !cold && doubtAboutCharge(roast) === null, drop: doubtAboutDrop(roast) === null };
    const samples = condition.apply(samplesOf(roast, { withControls: false }), seed);
    const said = detectorRoasts(samples, cold ? 'cold' : 'hot');
    const artisan = artisanModes.map((mode) => artisanRoasts(samples, mode, truth));
    for (const name of [`owner ${owner}`, `maker ${maker}`]) {
      const side = sides.get(name) ?? emptySide();
      sides.set(name, side);
      const [found] = countRoasts(side.scores.ours, [truth], said, asked);
      const theirs = artisanModes.map((mode, index) =>
        countRoasts(side.scores[mode], [truth], artisan[index] ?? { roasts: [], retracted: 0 }, asked),
      );
      if (asked.charge && isMissed(found) && theirs.some(([its]) => isFound(its))) side.missedOursOnly++;
    }
  }
  return sides;
}

/**
 * Simulated machines, those with batches below a share of the drum if one is given; Artisan's rule runs on the readings around each
 * roast.
 */
export function physicalSide({ from, count, below = 1 }: { from: number; count: number; below?: number }): Side {
  const side = emptySide();
  for (let seed = from; seed < from + count; seed++) {
    if (batchOfSeries(seed) >= below) continue;
    const { samples, roasts } = physicalSeries(seed);
    const found = countRoasts(side.scores.ours, roasts, detectorRoasts(samples));
    for (const [index, truth] of roasts.entries()) {
      const around = samples.filter(
        ({ timeSeconds }) => timeSeconds > truth.charge - 60 && timeSeconds < (truth.drop ?? truth.charge) + 100,
      );
      const theirs = artisanModes.map((mode) =>
        countRoasts(side.scores[mode], [truth], artisanRoasts(around, mode, truth)),
      );
      if (isMissed(found[index]) && theirs.some(([its]) => isFound(its))) side.missedOursOnly++;
    }
  }
  return side;
}

const percent = (part: number, whole: number) => (whole === 0 ? 100 : (100 * part) / whole);

const columns = (name: string, { scores }: Side): string => {
  const cell = (of: (score: RoastScore) => string) => rules.map((rule) => of(scores[rule]).padStart(8)).join(' |');
  return [
    name.padEnd(28),
    cell(({ chargeWithin5, charges }) => `${chargeWithin5}/${charges}`),
    cell(({ chargeMissed }) => `${chargeMissed}`),
    cell(({ dropWithin10, drops }) => `${dropWithin10}/${drops}`),
    cell(({ dropMissed }) => `${dropMissed}`),
    cell(({ falseRoasts }) => `${falseRoasts}`),
  ].join('  ');
};

const head = `${'ours | Standard | Sensitive'.padEnd(28)}  ${[
  'charge within 5 s',
  'missed',
  'drop within 10 s',
  'missed',
  'false roasts',
]
  .map((title) => title.padStart(28))
  .join('  ')}`;

/** The aims of one side: shares of our marks, and no missed charge that Artisan finds. */
const aimsOf = (name: string, { scores: { ours }, missedOursOnly }: Side, chargeShare: number): Measurement[] => [
  {
    what: `${name}: charge within 5 s`,
    value: percent(ours.chargeWithin5, ours.charges),
    unit: `% of ${ours.charges}`,
    aim: { of: 'value', atLeast: chargeShare },
  },
  {
    what: `${name}: charge missed that Artisan finds`,
    value: missedOursOnly,
    unit: `of ${ours.charges}`,
    aim: { of: 'value', atMost: 0 },
  },
  {
    what: `${name}: drop within 10 s`,
    value: percent(ours.dropWithin10, ours.drops),
    unit: `% of ${ours.drops}`,
    aim: { of: 'value', atLeast: 97 },
  },
  {
    what: `${name}: false roasts`,
    value: percent(ours.falseRoasts, ours.roasts),
    unit: `% of ${ours.roasts}`,
    aim: { of: 'value', atMost: 1 },
  },
];

/**
 * Each owner's and each maker's roasts under each condition, and simulated machines with held-out seeds, beside both modes of
 * Artisan's rule. Prints tables with `say` and returns the aims.
 */
export function aimsOnAllSides(say: (line: string) => void): Measurement[] {
  const recorded = fieldConditions.flatMap((condition) => {
    const sides = recordedSides(condition);
    if (sides.size === 0) return [];
    const all = together([...sides].filter(([name]) => name.startsWith('owner')).map(([, side]) => side));
    say(`\n${condition.name}\n${head}\n${columns('all', all)}`);
    const shown = condition.name === 'as recorded' ? '' : 'owner';
    for (const [name, side] of [...sides]
      .filter(([each]) => each.startsWith(shown))
      .sort(([a], [b]) => (a < b ? 1 : -1)))
      say(columns(name, side));
    const aims = aimsOf(`recorded, ${condition.name}`, all, condition.chargeShare);
    // Combined faults are shown without an aim.
    return condition.combined ? aims.map(({ what, value, unit }) => ({ what, value, unit })) : aims;
  });
  const imagined = physicalSide(heldOutSeeds);
  say(`\nimagined machines, held-out seeds\n${head}\n${columns('all', imagined)}`);
  const small = physicalSide(smallBatches);
  say(`\nbatches below ${100 * smallBatches.below} % of the drum\n${head}\n${columns('all', small)}`);
  return [
    ...recorded,
    ...aimsOf('simulated machines, held-out seeds', imagined, 97),
    ...aimsOf('simulated small batches, held-out seeds', small, 97),
  ];
}
