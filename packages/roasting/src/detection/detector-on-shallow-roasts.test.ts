import { lag, noise } from '@roastery/testing/marks/field-conditions';
import { detectorRoasts } from '@roastery/testing/marks/detected-roasts';
import { describe, expect, it } from 'vitest';
import { createRoastDetector, isRetraction, type DetectorSample } from './detector.ts';

const chargedAt = 120;
const dropAt = 660;

interface Batch {
  /** How far the beans lower the probe before it turns. */
  readonly fallC: number;
  readonly levelC?: number;
  /** How the drum drifts before its charge, °C/s. */
  readonly drift?: number;
  readonly interval?: number;
}

/**
 * Few beans in a hot drum: the probe falls by `fallC`, turns after about 40 s, recovers 70 % within 100 s of the turn
 * and keeps rising until the drop.
 */
function fewBeans({ fallC, levelC = 150, drift = 0, interval = 1 }: Batch): DetectorSample[] {
  const end = levelC + 45;
  const curve = (since: number) => {
    const left = fallC * 1.35 * (1 - Math.exp(-since / 12));
    const risen = (end - levelC + fallC * 1.35) * (1 - Math.exp(-((since / 230) ** 1.4)));
    return levelC - left + risen;
  };
  const samples: DetectorSample[] = [];
  for (let time = 0; time < dropAt + 60; time += interval) {
    const top = curve(dropAt - chargedAt);
    const beanTempC =
      time < chargedAt
        ? levelC + drift * (time - chargedAt)
        : time < dropAt
          ? curve(time - chargedAt)
          : top - 40 * (1 - Math.exp(-(time - dropAt) / 15));
    samples.push({ timeSeconds: time, beanTempC });
  }
  return samples;
}

const shapeOf = (samples: readonly DetectorSample[]) => {
  const tempAt = (time: number) => samples.findLast(({ timeSeconds }) => timeSeconds <= time)?.beanTempC ?? Number.NaN;
  const roast = samples.filter(({ timeSeconds }) => timeSeconds > chargedAt && timeSeconds < chargedAt + 200);
  const lowest = roast.reduce((low, each) => ((each.beanTempC ?? 999) < (low.beanTempC ?? 999) ? each : low));
  const fall = tempAt(chargedAt - 1) - (lowest.beanTempC ?? 0);
  return { fall, back: (tempAt(lowest.timeSeconds + 100) - (lowest.beanTempC ?? 0)) / fall };
};

/** The detector's errors on a recording with one roast; none if it is right. */
const wrongIn = (samples: readonly DetectorSample[], story: string, within = 5): string[] => {
  const { roasts, retracted } = detectorRoasts(samples);
  const [roast] = roasts;
  if (!roast || roasts.length > 1 || retracted > 0)
    return [`${story}: ${roasts.length} roasts, ${retracted} taken back`];
  const charge = roast.charge - chargedAt;
  const drop = (roast.drop ?? Number.POSITIVE_INFINITY) - dropAt;
  if (Math.abs(charge) <= within && Math.abs(drop) <= 10) return [];
  return [`${story}: charge ${charge.toFixed(1)} s off, drop ${drop.toFixed(1)} s`];
};

describe('detector: few beans', () => {
  it.each([8, 12, 16, 20, 25])('keeps a charge that falls by %i °C and recovers fast', (fallC) => {
    for (const interval of [0.25, 0.5, 1, 2, 3]) {
      const samples = fewBeans({ fallC, interval });
      const shape = shapeOf(samples);
      expect(shape.fall).toBeGreaterThan(7);
      expect(shape.fall).toBeLessThan(27);
      expect(shape.back).toBeGreaterThan(0.7);
      expect(wrongIn(samples, `every ${interval} s`)).toEqual([]);
    }
  });

  it.each([8, 10, 12, 15])('finds the roast through a probe with a lag of %i s', (seconds) => {
    for (const fallC of [12, 18, 25]) {
      expect(wrongIn(lag(seconds)(fewBeans({ fallC }), 0), `${fallC} °C`, seconds)).toEqual([]);
    }
  });

  it('finds the roast in a drum that drifts down or up before the charge', () => {
    for (const drift of [-0.12, -0.06, 0.06, 0.12]) {
      for (const fallC of [12, 18, 25])
        expect(wrongIn(fewBeans({ fallC, drift }), `${fallC} °C, ${drift} °C/s`)).toEqual([]);
    }
  });

  it('finds the roast under noise of 0.5 °C', () => {
    for (let seed = 0; seed < 6; seed++) {
      expect(wrongIn(noise(0.5)(fewBeans({ fallC: 14 }), seed), `seed ${seed}`, 8)).toEqual([]);
    }
  });

  it('ignores a wrong first reading', () => {
    for (const wild of [311, 6553.5, 0, 399]) {
      for (const count of [1, 2]) {
        const samples = fewBeans({ fallC: 60, levelC: 155 }).map((sample, index) =>
          index < count ? { ...sample, timeSeconds: index * 0.25, beanTempC: wild } : sample,
        );
        expect(wrongIn(samples, `${count} × ${wild}`)).toEqual([]);
        const idle = samples.filter(({ timeSeconds }) => timeSeconds < 100);
        expect(detectorRoasts(idle), `${count} × ${wild}, idle`).toEqual({ roasts: [], retracted: 0 });
      }
    }
  });
});

const still = (seconds: number, tempC: number, from: number): DetectorSample[] =>
  Array.from({ length: seconds }, (_, k) => ({ timeSeconds: from + k, beanTempC: tempC }));
/** A door: a fall that returns to its former level. */
const door = (from: number, deep: number, tempC: number): DetectorSample[] =>
  Array.from({ length: 100 }, (_, k) => ({
    timeSeconds: from + k,
    beanTempC: tempC - (k < 15 ? deep * (1 - Math.exp(-k / 4)) : deep * Math.exp(-(k - 15) / 15)),
  }));

describe('detector: after a retracted charge', () => {
  it('finds the next charge after a door', () => {
    for (const [deep, pause] of [
      [14, 5],
      [25, 5],
      [25, 60],
    ] as const) {
      const before = [...still(60, 150, 0), ...door(60, deep, 150), ...still(pause, 150, 160)];
      const later = 160 + pause - chargedAt + 20;
      const batch = fewBeans({ fallC: 30 })
        .filter(({ timeSeconds }) => timeSeconds >= chargedAt - 20)
        .map((sample) => ({ ...sample, timeSeconds: sample.timeSeconds + later }));
      const { roasts } = detectorRoasts([...before, ...batch]);
      expect(roasts.length, `${deep} °C, ${pause} s`).toBe(1);
      expect(Math.abs((roasts[0]?.charge ?? 0) - chargedAt - later)).toBeLessThanOrEqual(5);
    }
  });

  it('moves the charge to beans charged before the verdict on the door', () => {
    const samples = [...still(60, 180, 0), ...door(60, 20, 180).slice(0, 45)];
    const later = 105 - chargedAt;
    const batch = fewBeans({ fallC: 60, levelC: 177 })
      .filter(({ timeSeconds }) => timeSeconds >= chargedAt)
      .map((sample) => ({ ...sample, timeSeconds: sample.timeSeconds + later }));
    const { roasts } = detectorRoasts([...samples, ...batch]);
    expect(roasts.length).toBe(1);
    expect(Math.abs((roasts[0]?.charge ?? 0) - 105)).toBeLessThanOrEqual(5);
  });

  it('opens no lasting roast after the fall of a drop', () => {
    // The drum dips, warms up again by itself, and is then cooled.
    const roast = fewBeans({ fallC: 60, levelC: 180 });
    const after = Array.from({ length: 400 }, (_, k) => {
      const warmed = 185 + 8 * Math.sin((Math.min(k, 120) / 120) * Math.PI * 0.5);
      return { timeSeconds: dropAt + 60 + k, beanTempC: k < 120 ? warmed : 193 - 0.75 * Math.min(k - 120, 90) };
    });
    const detector = createRoastDetector();
    const findings = [...roast, ...after].flatMap((sample) => detector.push(sample));
    const charges = findings.filter((finding) => !isRetraction(finding) && finding.kind === 'charge');
    expect(
      new Set(charges.map((finding) => (isRetraction(finding) ? 0 : Math.round(finding.timeSeconds / 100)))).size,
    ).toBe(1);
  });
});

/** An idle drum at 160 °C whose probe shows `changeC` from second 100 on. */
const idle = (changeC: (since: number) => number, seconds = 600): DetectorSample[] =>
  Array.from({ length: seconds }, (_, timeSeconds) => ({
    timeSeconds,
    beanTempC: 160 + (timeSeconds < 100 ? 0 : changeC(timeSeconds - 100)),
  }));
/** A drum that is heated by 4 °C/min. */
const heatedC = (time: number) => 165 + 0.07 * (time - chargedAt);

const completed = (samples: readonly DetectorSample[]) => detectorRoasts(samples).roasts;

/**
 * Very few beans: the probe falls by 9 °C, recovers within two minutes, and warms up slowly, as after a door in a
 * heated drum. The drop lowers it by 35 °C.
 */
const slowRoast = ({ interval = 1, seconds = 720, droppedC = 35 } = {}): DetectorSample[] => {
  const samples: DetectorSample[] = [];
  for (let timeSeconds = 0; timeSeconds < chargedAt + seconds + 300; timeSeconds += interval) {
    const since = Math.max(0, Math.min(timeSeconds - chargedAt, seconds));
    const fallen = 14 * (1 - Math.exp(-since / 10)) * Math.exp(-since / 75);
    const open = droppedC * (1 - Math.exp(-Math.max(0, timeSeconds - chargedAt - seconds) / 12));
    samples.push({ timeSeconds, beanTempC: 150 + 0.06 * since - fallen - open });
  }
  return samples;
};

describe('detector: a charge that looks like a door', () => {
  it.each([1, 2, 3, 5])('reports the roast at its drop, read every %i s under noise of 0.5 °C', (interval) => {
    for (let seed = 0; seed < 5; seed++) {
      const { roasts } = detectorRoasts(noise(0.5)(slowRoast({ interval }), seed));
      expect(roasts.length, `seed ${seed}`).toBe(1);
      expect(Math.abs((roasts[0]?.charge ?? 0) - chargedAt), `seed ${seed}`).toBeLessThanOrEqual(20);
      expect(Math.abs((roasts[0]?.drop ?? 0) - chargedAt - 720), `seed ${seed}`).toBeLessThanOrEqual(10);
    }
  });

  it.each([15, 25, 40])('reports no roast between two doors, the second %i °C deep, in a heated drum', (deep) => {
    for (const pause of [0, 120]) {
      const heated = Array.from({ length: 400 }, (_, k) => ({ timeSeconds: 160 + k, beanTempC: 150 + 0.12 * k }));
      const second = door(560 + pause, deep, 198);
      const later = 660 + pause;
      const samples = [
        ...still(60, 150, 0),
        ...door(60, 14, 150),
        ...heated,
        ...still(pause, 198, 560),
        ...second,
        ...still(300, 198, later),
      ];
      expect(completed(samples), `held for ${pause} s`).toEqual([]);
    }
  });
});

describe('detector: falls that are not a small batch', () => {
  it.each([14, 20, 28])('discards a door of %i °C in a drum that is heated right after it', (deep) => {
    for (const heatAt of [100, 130, 160]) {
      const heated = idle((since) => {
        const open = since < 40 ? 1 - Math.exp(-since / 8) : Math.exp(-(since - 40) / 25);
        return -deep * open + 0.15 * Math.max(0, Math.min(since, 400) - heatAt);
      });
      expect(completed(heated), `heated from ${heatAt} s on`).toEqual([]);
    }
  });

  it.each([12, 18, 25])('discards a fall of %i °C from a moved probe', (deep) => {
    const moved = idle((since) => -deep * (1 - Math.exp(-since / 8)) + 0.15 * Math.max(0, Math.min(since, 400) - 90));
    expect(completed(moved)).toEqual([]);
  });

  it('keeps a batch in a drum that was being heated, when it returns to the line of the drum', () => {
    const samples = Array.from({ length: dropAt + 60 }, (_, time) => {
      const since = Math.min(time, dropAt) - chargedAt;
      const fallen = since < 0 ? 0 : 60 * (1 - Math.exp(-since / 10)) * Math.exp(-since / 130);
      const dropped = time < dropAt ? 0 : 50 * (1 - Math.exp(-(time - dropAt) / 15));
      return { timeSeconds: time, beanTempC: heatedC(Math.min(time, dropAt)) - fallen - dropped };
    });
    expect(wrongIn(samples, 'heated at 4 °C/min')).toEqual([]);
  });

  it('does not report a drop as the next charge when the empty drum warms the probe again', () => {
    const stood = fewBeans({ fallC: 60, levelC: 180 }).filter(({ timeSeconds }) => timeSeconds < dropAt);
    const top = stood.at(-1)?.beanTempC ?? 0;
    const standing = Array.from({ length: 60 }, (_, k) => ({ timeSeconds: dropAt + k, beanTempC: top }));
    const emptied = Array.from({ length: 300 }, (_, k) => {
      const open = k < 60 ? 1 - Math.exp(-k / 20) : Math.exp(-(k - 60) / 40);
      return { timeSeconds: dropAt + 60 + k, beanTempC: top - 70 * open - 0.05 * k };
    });
    expect(completed([...stood, ...standing, ...emptied])).toHaveLength(1);
  });
});
