import { readdirSync, readFileSync } from 'node:fs';
import { randomStream } from '@roastery/testing/marks/random';
import { sharedData } from '@roastery/testing/shared-data';
import { describe, expect, it } from 'vitest';
import { parseAlog } from '../artisan/alog.ts';
import { interpolateControlProfile, validateControlProfile } from './control-profile.ts';
import { controls, plannedAt } from './guide.ts';
import { recordedPerSecond, stepsOfRecord, type RecordedControls } from './recorded-steps.ts';

const seconds = (end: number) => Array.from({ length: end + 1 }, (_, second) => second);
const roast = (end: number, of: (second: number) => { burner?: number; exhaust?: number; drumRpm?: number }) => ({
  timesSeconds: seconds(end),
  columns: Object.fromEntries(controls.map((control) => [control, seconds(end).map((at) => of(at)[control] ?? null)])),
});

/** The largest difference of the points from the record at any second. */
const worstError = (record: RecordedControls, end: number, tolerance: number): number => {
  const { points, interpolated } = stepsOfRecord(record, end, tolerance);
  const recorded = recordedPerSecond(record, end);
  const perSecond = interpolated ? interpolateControlProfile(points) : [];
  return Math.max(
    ...seconds(end).flatMap((second) => {
      const planned = interpolated ? perSecond[second] : plannedAt({ points, interpolated }, second);
      return controls.map((control) => Math.abs((planned?.[control] ?? Number.NaN) - (recorded[control][second] ?? 0)));
    }),
  );
};

describe('control points of a recorded roast', () => {
  it('are one for each turn of a knob, and one at the end', () => {
    const turned = roast(600, (second) => ({
      burner: second < 120 ? 90 : second < 480 ? 65 : 30,
      exhaust: second < 300 ? 40 : 55,
      drumRpm: 58,
    }));
    expect(stepsOfRecord(turned, 600, 2)).toEqual({
      points: [
        { timeSeconds: 0, burner: 90, exhaust: 40, drumRpm: 58 },
        { timeSeconds: 120, burner: 65, exhaust: 40, drumRpm: 58 },
        { timeSeconds: 300, burner: 65, exhaust: 55, drumRpm: 58 },
        { timeSeconds: 480, burner: 30, exhaust: 55, drumRpm: 58 },
        { timeSeconds: 600, burner: 30, exhaust: 55, drumRpm: 58 },
      ],
      interpolated: false,
      missing: [],
    });
  });

  it('are the ends of lines where a control is moved gradually', () => {
    const ramp = roast(720, (second) => ({ burner: 100 - second / 7.2, exhaust: 30 + second / 12, drumRpm: 60 }));
    const { points, interpolated } = stepsOfRecord(ramp, 720, 1);
    expect([points.length, interpolated]).toEqual([2, true]);
  });

  it('keep the value of a new point where nothing was recorded, and the limits of a recipe', () => {
    const burnerOnly = roast(60, (second) => ({ burner: second < 30 ? 120 : 0, exhaust: 10 }));
    expect(stepsOfRecord(burnerOnly, 60, 1)).toEqual({
      points: [
        { timeSeconds: 0, burner: 100, exhaust: 30, drumRpm: 60 },
        { timeSeconds: 30, burner: 0, exhaust: 30, drumRpm: 60 },
        { timeSeconds: 60, burner: 0, exhaust: 30, drumRpm: 60 },
      ],
      interpolated: false,
      missing: ['drumRpm'],
    });
  });

  it('hold the last reading over a gap and after the end of the recording', () => {
    const record = { timesSeconds: [5, 10, 15, 20], columns: { burner: [80, null, null, 40] } };
    const { points } = stepsOfRecord(record, 30, 1);
    expect(points.map(({ timeSeconds, burner }) => [timeSeconds, burner])).toEqual([
      [0, 80],
      [20, 40],
      [30, 40],
    ]);
  });

  it('stay within the tolerance at every second, and can be saved', () => {
    for (let seed = 0; seed < 40; seed++) {
      const random = randomStream(seed);
      const end = 60 + Math.floor(random() * 600);
      let [burner, exhaust, drumRpm] = [random() * 100, random() * 100, random() * 100];
      const pace = random() < 0.5 ? 0 : random() * 0.4;
      const record = roast(end, () => {
        if (random() < 0.02) burner = random() * 100;
        if (random() < 0.02) exhaust = random() * 100;
        drumRpm += pace * (random() - 0.4);
        burner -= pace;
        return { burner: burner + random(), exhaust: exhaust + random(), drumRpm };
      });
      for (const tolerance of [0, 1, 3, 5]) {
        const { points } = stepsOfRecord(record, end, tolerance);
        expect(worstError(record, end, tolerance), `seed ${seed}, ±${tolerance}`).toBeLessThanOrEqual(tolerance);
        expect(validateControlProfile(points), `seed ${seed}`).toEqual([]);
        expect([points[0]?.timeSeconds, points.at(-1)?.timeSeconds]).toEqual([0, end]);
      }
    }
  });

  const shared = sharedData();
  it.skipIf(!shared.present)(`are few for real roasts, and within the tolerance${shared.title('')}`, () => {
    let roasts = 0;
    for (const name of readdirSync(shared.path('alog')).filter((file) => file.endsWith('.alog'))) {
      const file = parseAlog(readFileSync(shared.path('alog', name), 'utf8'));
      const mark = (kind: string) => file.marks.find((one) => one.kind === kind)?.timeSeconds;
      const [charge, drop] = [mark('charge') ?? 0, mark('drop') ?? 0];
      const turns = [...file.controls.burner, ...file.controls.air, ...file.controls.drum];
      if (drop <= charge || turns.length < 3) continue;
      roasts++;
      const column = (of: 'burner' | 'air' | 'drum') =>
        file.timesSeconds.map(
          (at) => file.controls[of].findLast(({ timeSeconds }) => timeSeconds <= at)?.value ?? null,
        );
      const record = {
        timesSeconds: file.timesSeconds.map((at) => at - charge),
        columns: { burner: column('burner'), exhaust: column('air'), drumRpm: column('drum') },
      };
      const { points } = stepsOfRecord(record, drop - charge, 2);
      expect(worstError(record, Math.round(drop - charge), 2), name).toBeLessThanOrEqual(2);
      expect(points.length, name).toBeLessThanOrEqual(turns.length + 2);
    }
    expect(roasts).toBeGreaterThan(5);
  });
});
