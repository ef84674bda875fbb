import { createRoastDetector, isRetraction, type DetectorSample } from '@roastery/roasting/detection/detector';
import { markOf } from '@roastery/roasting/marks';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { aimsOnAllSides } from '../marks/aim-tables.ts';
import { artisanModes, type ArtisanMode } from '@roastery/testing/marks/artisan-rule';
import { conditions } from '@roastery/testing/marks/conditions';
import {
  correctedMarks,
  count,
  emptyScore,
  marksAsFirstSaid,
  marksByArtisan,
  type Said,
  type Score,
  type Truth,
} from '@roastery/testing/marks/detection-score';
import { fieldKinds, fieldSeries } from '@roastery/testing/marks/field-roast';
import { chargedCold, recordedRoasts, recordedRoastsPresent, samplesOf } from '@roastery/testing/marks/recorded-roasts';
import { judgedArtisan, judgedDetector, ownerTables } from '@roastery/testing/marks/owner-tables';
import { doubtAboutCharge, doubtAboutDrop } from '@roastery/testing/marks/doubtful-marks';
import { changedConditions } from '@roastery/testing/marks/changed-conditions';

const seedsOfAKind = 40;

/** Artisan's rule in both modes. */
type ArtisanScores = Readonly<Record<ArtisanMode, Score>>;
const emptyArtisanScores = (): ArtisanScores => ({ standard: emptyScore(), sensitive: emptyScore() });
const countArtisan = (scores: ArtisanScores, samples: readonly DetectorSample[], truth: Truth, asked = truth): void => {
  for (const mode of artisanModes) count(scores[mode], asked, marksByArtisan(samples, truth, mode));
};

/** Each figure of a score beside both modes of Artisan's rule; ours must be no worse than Standard, the usual one. */
const beside = (name: string, ours: Score, { standard, sensitive }: ArtisanScores): Measurement[] => {
  const row = (what: string, of: (score: Score) => number, better: 'more' | 'fewer', all: number): Measurement => ({
    what: `${name}: ${what}`,
    value: of(ours),
    unit: `of ${all}`,
    against: { what: `Artisan Standard; Sensitive ${of(sensitive)}`, value: of(standard) },
    aim: better === 'more' ? { of: 'value', atLeast: of(standard) } : { of: 'value', atMost: of(standard) },
  });
  return [
    row('charge within 5 s', (score) => score.chargeWithin5, 'more', ours.charges),
    row('charge within 10 s', (score) => score.chargeWithin10, 'more', ours.charges),
    row('charge missed or elsewhere', (score) => score.chargeMissed + score.chargeFalse, 'fewer', ours.charges),
    row('drop within 10 s', (score) => score.dropWithin10, 'more', ours.drops),
    row('drop missed', (score) => score.dropMissed, 'fewer', ours.drops),
    row('false drop', (score) => score.dropFalse, 'fewer', ours.drops),
  ];
};

const onRecordedRoasts = (): Measurement[] => {
  const roasts = recordedRoasts();
  return conditions.flatMap(({ name, apply }) => {
    const [corrected, first, beansOnly, artisan] = [emptyScore(), emptyScore(), emptyScore(), emptyArtisanScores()];
    for (const [seed, { roast }] of roasts.entries()) {
      const truth: Truth = {
        charge: markOf(roast.marks, 'charge')?.timeSeconds,
        drop: markOf(roast.marks, 'drop')?.timeSeconds,
      };
      const samples = apply(samplesOf(roast), truth.charge, seed);
      const blind = apply(samplesOf(roast, { withControls: false }), truth.charge, seed);
      // The machine map states the charging on a board. In a file it follows from the first temperature.
      const charging = chargedCold(roast) ? 'cold' : 'hot';
      count(corrected, truth, correctedMarks(samples, truth));
      count(beansOnly, truth, correctedMarks(blind, truth));
      count(first, truth, marksAsFirstSaid(samples, truth, { charging }));
      countArtisan(artisan, samples, truth);
    }
    return [
      ...beside(`${name}, corrected`, corrected, artisan),
      ...beside(`${name}, bean temperature only`, beansOnly, artisan),
      ...beside(`${name}, as first said`, first, artisan),
    ];
  });
};

/** Modified recorded roasts; those without a charge count too. */
const onChangedRoasts = (): Measurement[] =>
  changedConditions.flatMap(({ name, hotOnly, apply }) => {
    const [ours, artisan] = [emptyScore(), emptyArtisanScores()];
    let never = 0;
    const roasts = recordedRoasts().filter(
      ({ roast }) => doubtAboutCharge(roast) === null && !(hotOnly && chargedCold(roast)),
    );
    for (const [seed, { roast }] of roasts.entries()) {
      const truth: Truth = {
        charge: markOf(roast.marks, 'charge')?.timeSeconds,
        drop: markOf(roast.marks, 'drop')?.timeSeconds,
      };
      const samples = apply(samplesOf(roast), truth, seed);
      const said = marksOfEach(samples, 'hot');
      const from = (truth.charge ?? 0) - 60;
      const mine = said.find(({ charge }) => charge !== null && charge > from) ?? { charge: null, drop: null };
      const early = mine.drop !== null && truth.drop !== undefined && mine.drop < truth.drop - 10;
      never += said.filter(({ charge, drop }) => charge !== null && charge <= from && drop !== null).length;
      // A recording that ends at the drop shows no drop.
      const asked = doubtAboutDrop(roast) !== null ? { ...truth, drop: undefined } : truth;
      count(ours, asked, { charge: mine.charge, drop: mine.drop, falseDrops: early ? 1 : 0 });
      countArtisan(artisan, samples, truth, asked);
    }
    const title = `changed roasts, ${name}`;
    return [
      ...beside(title, ours, artisan),
      { what: `${title}: roasts that were none`, value: never, unit: '', aim: { of: 'value' as const, atMost: 0 } },
    ];
  });

const onImaginedMachines = (): Measurement[] =>
  fieldKinds.flatMap((kind) => {
    const [ours, artisan] = [emptyScore(), emptyArtisanScores()];
    for (let seed = 0; seed < seedsOfAKind; seed++) {
      const { samples, roasts, charging } = fieldSeries(kind, seed);
      const said = marksOfEach(samples, charging);
      for (const truth of roasts) {
        const mine = said.find(({ charge }) => charge !== null && Math.abs(charge - truth.charge) < 60);
        const { charge = null, drop = null } = mine ?? {};
        const early = drop !== null && drop < truth.drop - 10;
        count(ours, truth, { charge, drop, falseDrops: early ? 1 : 0 });
        const around = samples.filter(
          ({ timeSeconds }) => timeSeconds > truth.charge - 60 && timeSeconds < truth.drop + 300,
        );
        countArtisan(artisan, around, truth);
      }
    }
    return beside(`imagined, ${kind}`, ours, artisan);
  });

/** The marks of each roast in a series as they stand in the end. */
const marksOfEach = (samples: ReturnType<typeof fieldSeries>['samples'], charging: 'hot' | 'cold'): Said[] => {
  const detector = createRoastDetector({ charging });
  const said: Said[] = [];
  let charge: number | null = null;
  let drop: number | null = null;
  const close = () => {
    if (charge !== null) said.push({ charge, drop, falseDrops: 0 });
    [charge, drop] = [null, null];
  };
  for (const sample of samples) {
    for (const finding of detector.push(sample)) {
      if (isRetraction(finding)) {
        if (finding.retract === 'charge') [charge, drop] = [null, null];
        if (finding.retract === 'drop') drop = null;
      } else if (finding.kind === 'charge') charge = finding.timeSeconds;
      else if (finding.kind === 'drop') {
        drop = finding.timeSeconds;
        if (!finding.provisional) close();
      }
    }
  }
  close();
  return said;
};

const run: Bench['run'] = (say) => {
  if (!recordedRoastsPresent) say('recorded roasts left out: needs ../shared/data/alog, which is absent');
  return Promise.resolve([
    ...ownerTables(say, [judgedDetector('detector', createRoastDetector), ...judgedArtisan]),
    ...aimsOnAllSides(say),
    ...onRecordedRoasts(),
    ...onChangedRoasts(),
    ...onImaginedMachines(),
  ]);
};

export default {
  title: 'Charge and drop against what people marked, beside a restatement of Artisan’s rule',
  mustReach: true,
  run,
} satisfies Bench;
