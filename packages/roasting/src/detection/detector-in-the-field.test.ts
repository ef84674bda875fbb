import { normal, randomStream } from '@roastery/testing/marks/random';
import { fieldKinds, fieldSeries } from '@roastery/testing/marks/field-roast';
import { describe, expect, it } from 'vitest';
import { detectRoasts } from './detect-marks.ts';
import { createRoastDetector, isRetraction, type DetectedKind } from './detector.ts';
import { markOf } from '../marks.ts';

describe('detector: simulated machines', () => {
  it.each(fieldKinds)('finds every roast and no other: %s', (kind) => {
    for (let seed = 100; seed < 106; seed++) {
      const { samples, roasts, charging } = fieldSeries(kind, seed);
      const found = detectRoasts(samples, { charging });
      const story = `${kind}, seed ${seed}`;
      expect(found.length, story).toBe(roasts.length);
      for (const [n, { charge, drop }] of roasts.entries()) {
        const marks = found[n]?.marks ?? [];
        expect(Math.abs((markOf(marks, 'charge')?.timeSeconds ?? 0) - charge), story).toBeLessThan(10);
        expect(Math.abs((markOf(marks, 'drop')?.timeSeconds ?? 0) - drop), story).toBeLessThan(10);
        expect(found[n]?.complete, story).toBe(true);
      }
    }
  });

  it('reports marks in the order of a roast when the clock jumps', () => {
    const order: readonly DetectedKind[] = ['charge', 'turning_point', 'dry_end', 'drop'];
    for (let seed = 0; seed < 60; seed++) {
      const random = randomStream(seed);
      const { samples } = fieldSeries(fieldKinds[seed % fieldKinds.length] ?? 'slow probe', seed);
      const detector = createRoastDetector({ charging: random() < 0.5 ? 'hot' : 'cold' });
      const said = new Map<DetectedKind, number>();
      let pace = 1;
      let now = 0;
      let before = 0;
      for (const sample of samples) {
        if (random() < 0.01) pace = [1, 0.02, 0.1, 0.5, 5, 10][Math.floor(random() * 6)] ?? 1;
        now += (sample.timeSeconds - before) * pace;
        before = sample.timeSeconds;
        const was = detector.state;
        const findings = detector.push({ ...sample, timeSeconds: now, fanSpeed: Math.floor(random() * 100) });
        if (was !== 'roasting') said.clear();
        for (const finding of findings) {
          if (isRetraction(finding)) said.delete(finding.retract);
          else said.set(finding.kind, finding.timeSeconds);
        }
        const times = order.flatMap((kind) => said.get(kind) ?? []);
        expect(times, `seed ${seed} at ${now}`).toEqual(times.toSorted((a, b) => a - b));
      }
    }
  });

  it('reports no drop for a plug that is loose for 1.5 s at 4 Hz', () => {
    const random = randomStream(7);
    const { samples, roasts } = fieldSeries('long stall', 3);
    const [roast] = roasts;
    const looseAt = (roast?.drop ?? 0) - 60;
    const detector = createRoastDetector();
    const drops = Array.from({ length: Math.floor(looseAt + 30) * 4 }, (_, index) => index / 4).flatMap(
      (timeSeconds) => {
        const at = samples.findLast((sample) => sample.timeSeconds <= timeSeconds)?.beanTempC ?? null;
        const loose = timeSeconds > looseAt && timeSeconds < looseAt + 1.5;
        const beanTempC = loose ? 0 : at === null ? null : at + 0.1 * normal(random);
        return detector
          .push({ timeSeconds, beanTempC })
          .filter((finding) => !isRetraction(finding) && finding.kind === 'drop');
      },
    );
    expect(drops.filter((finding) => !isRetraction(finding) && finding.timeSeconds > looseAt - 5)).toEqual([]);
    expect(detector.state).toBe('roasting');
  });

  it('reports no charge for a drum that cools between two batches', () => {
    const detector = createRoastDetector();
    const findings = Array.from({ length: 900 }, (_, timeSeconds) => {
      const since = timeSeconds - 120;
      const cooled =
        since <= 0 ? 0 : since < 240 ? 12 * (1 - Math.exp(-since / 50)) + since * 0.12 : 40.7 - (since - 240) * 0.2;
      return detector.push({ timeSeconds, beanTempC: 212 - cooled });
    }).flat();
    expect(findings).toEqual([]);
  });
});
