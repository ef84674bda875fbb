import { readdir, readFile } from 'node:fs/promises';
import type { LearntCrack, RoastMark } from '@roastery/contract/roasts';
import { parseAlog } from '@roastery/roasting/alog';
import { createLiveRateOfRise } from '@roastery/roasting/rate-of-rise';
import { valueAt } from '@roastery/roasting/series';
import { sharedData } from '@roastery/testing/shared-data';
import { expect, it } from 'vitest';
import { expectNext, learntFrom, type RoastNow } from './next-event.ts';

const mark = (kind: RoastMark['kind']): RoastMark => ({
  kind,
  time_seconds: 70,
  temp: 80,
  origin: 'detector',
  confidence: 1,
  provisional: false,
});
const drying: RoastNow = {
  elapsedSeconds: 200,
  beanC: 130,
  rateC: 12,
  marks: [mark('charge'), mark('turning_point')],
  learntCrack: undefined,
  dropC: null,
};

it('says the dry end with a band around it that leans late, as rates of rise fall', () => {
  const next = expectNext(drying);
  expect(next).toMatchObject({ kind: 'dry_end' });
  expect(next?.earliest).toBeCloseTo(280);
  expect(next?.latest).toBeCloseTo(370);
  expect(next?.likely).toBeGreaterThan(300);
});

const learnt = (temp: number, spread: number): LearntCrack => ({ temp, spread, source: 'lot', roasts: 7 });

it('widens the band by what is not known: at which temperature these beans crack', () => {
  const maillard = { ...drying, beanC: 180, rateC: 10, marks: [...drying.marks, mark('dry_end')] };
  const sure = expectNext({ ...maillard, learntCrack: learnt(196, 1) });
  const unsure = expectNext({ ...maillard, learntCrack: learnt(196, 4) });
  expect(sure?.kind).toBe('first_crack');
  expect((unsure?.latest ?? 0) - (unsure?.earliest ?? 0)).toBeGreaterThan((sure?.latest ?? 0) - (sure?.earliest ?? 0));
  expect(Math.abs((unsure?.likely ?? 0) - (sure?.likely ?? 0))).toBeLessThan(0.5);
});

it('says whose roasts it learnt from', () => {
  expect(learntFrom({ source: 'lot', roasts: 7 })).toBe('from 7 roasts of this lot on this machine');
  expect(learntFrom({ source: 'machine', roasts: 1 })).toBe('from 1 roast on this machine');
  expect(learntFrom({ source: 'literature', roasts: 0 })).toContain('no first crack has been marked yet');
});

it('keeps quiet where it would have to guess', () => {
  expect(expectNext({ ...drying, marks: [mark('charge')] }), 'before the turning point').toBeNull();
  expect(expectNext({ ...drying, rateC: -1 }), 'while it cools').toBeNull();
  expect(expectNext({ ...drying, beanC: 85, rateC: 12 }), 'minutes ahead').toBeNull();
  expect(expectNext({ ...drying, beanC: 151 }), 'past it').toBeNull();
  const cracking = { ...drying, marks: [...drying.marks, mark('dry_end')], beanC: 190 };
  expect(expectNext(cracking), 'before it knows what was learnt').toBeNull();
  expect(expectNext({ ...cracking, rateC: 4, learntCrack: learnt(196, 9) }), 'a band of minutes').toBeNull();
  const developing = { ...cracking, marks: [...cracking.marks, mark('first_crack')], beanC: 200 };
  expect(expectNext(developing), 'the drop without a recipe').toBeNull();
  expect(expectNext({ ...developing, dropC: 209 })?.kind).toBe('drop');
});

const data = sharedData();
it.skipIf(!data.present)(
  `real roasts: ${data.title('the band holds what happened at eight of ten moments')}`,
  async () => {
    const folder = data.path('alog');
    let asked = 0;
    const shares: number[] = [];
    for (const name of (await readdir(folder)).filter((file) => file.endsWith('.alog'))) {
      const roast = parseAlog(await readFile(`${folder}/${name}`, 'utf8'));
      const at = (kind: string) => roast.marks.find((found) => found.kind === kind)?.timeSeconds;
      const [charge, crack] = [at('charge'), at('first_crack')];
      if (charge === undefined || crack === undefined) continue;
      const crackC = valueAt(roast.timesSeconds, roast.beanTempC, crack) ?? Number.NaN;
      const rate = createLiveRateOfRise();
      const held: number[] = [];
      for (const [index, time] of roast.timesSeconds.entries()) {
        const beanC = roast.beanTempC[index] ?? null;
        const rateC = time < charge ? null : rate.push(time, beanC);
        // The crack is forecast from dry end on.
        if (time < charge + 120 || time > crack - 20 || (beanC ?? 0) < 150) continue;
        const next = expectNext({
          elapsedSeconds: time - charge,
          beanC,
          rateC,
          marks: [mark('turning_point'), mark('dry_end')],
          learntCrack: learnt(crackC, 0.1),
          dropC: null,
        });
        if (next === null) continue;
        asked += 1;
        held.push(next.earliest <= crack - charge && crack - charge <= next.latest ? 1 : 0);
      }
      // Files are sampled ten times as often as others: each roast counts once.
      if (held.length > 0) shares.push(held.reduce((sum, one) => sum + one, 0) / held.length);
    }
    expect(asked).toBeGreaterThan(1000);
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThanOrEqual(0.8);
  },
  30_000,
);
