import { closestRoasts, isSameBatch } from '@roastery/roasting/forecast/forecast-basis';
import { markOf } from '@roastery/roasting/marks';
import { pastCurveOf, pastCurveStepSeconds, turnOf, type PastCurve } from '@roastery/roasting/forecast/past-curve';
import { rateOfRise } from '@roastery/roasting/curves/rate-of-rise';
import type { RoastTrack } from '@roastery/roasting/forecast/roast-moment';
import { isReading, valueAt, type Reading } from '@roastery/roasting/curves/series';
import { truthOf } from '@roastery/testing/marks/curve-truth';
import { doubtAboutDrop } from '@roastery/testing/marks/doubtful-marks';
import { allFolders, recordedRoasts, samplesOf } from '@roastery/testing/marks/recorded-roasts';

/** A recorded roast as the bench forecasts it. Times are seconds since charge. */
export interface ForecastRoast {
  readonly id: string;
  readonly owner: string;
  readonly machine: string;
  /** The maker of the machine, if known. */
  readonly maker: string;
  readonly roastedAt: string;
  readonly coffee: string;
  readonly greenKg: number | null;
  readonly timesSeconds: readonly number[];
  readonly tempsC: readonly Reading[];
  /** The readings with heat and fan, as the cockpit has them. */
  readonly track: RoastTrack;
  /** As the roast page draws it, °C/min. */
  readonly ratesC: readonly Reading[];
  readonly turnSeconds: number;
  readonly dropSeconds: number;
  readonly dropIsCredible: boolean;
  readonly crackSeconds: number | null;
  readonly curve: PastCurve;
}

/** Every whole recorded roast. Recordings that begin at the charge have no mark of it. */
export function forecastRoasts(folders: readonly string[] = allFolders): ForecastRoast[] {
  return recordedRoasts(folders)
    .filter(({ file, roast }) => truthOf(file, roast) !== null)
    .map(({ id, roast, owner, maker }) => {
      const charge = markOf(roast.marks, 'charge')?.timeSeconds ?? roast.timesSeconds[0] ?? 0;
      const drop = markOf(roast.marks, 'drop')?.timeSeconds ?? 0;
      const crack = markOf(roast.marks, 'first_crack')?.timeSeconds;
      const rates = rateOfRise(roast.timesSeconds, roast.beanTempC, { chargeSeconds: charge, dropSeconds: drop });
      const read = samplesOf(roast)
        .map((sample, index) => ({ ...sample, time: sample.timeSeconds - charge, rateC: rates[index] ?? null }))
        .filter(({ time, beanTempC }) => isReading(beanTempC) && time >= -60);
      const rising = read.filter(({ time }, index) => index === 0 || time > (read[index - 1]?.time ?? time));
      const timesSeconds = rising.map(({ time }) => time);
      const tempsC = rising.map(({ beanTempC }) => beanTempC);
      const curve = pastCurveOf(timesSeconds, tempsC, drop - charge);
      return {
        id,
        owner,
        machine: roast.machine ?? '',
        maker,
        roastedAt: roast.roastedAt ?? '',
        coffee: (roast.beans ?? '').trim().toLowerCase(),
        greenKg: roast.greenKg,
        timesSeconds,
        tempsC,
        track: {
          timesSeconds,
          beanTempC: tempsC,
          heatPower: rising.map(({ heatPower }) => heatPower ?? null),
          fanSpeed: rising.map(({ fanSpeed }) => fanSpeed ?? null),
        },
        ratesC: rising.map(({ rateC }) => rateC),
        turnSeconds: turnOf(curve) * pastCurveStepSeconds,
        dropSeconds: drop - charge,
        dropIsCredible: doubtAboutDrop(roast) === null,
        crackSeconds: crack === undefined ? null : crack - charge,
        curve,
      };
    });
}

/** A roast second by second, as the server learns from it. */
export function storedTrack({ track, dropSeconds }: ForecastRoast): RoastTrack {
  const timesSeconds = Array.from({ length: Math.floor(dropSeconds) + 1 }, (_, second) => second);
  const everySecond = (values: RoastTrack['beanTempC'] = []) =>
    timesSeconds.map((second) => valueAt(track.timesSeconds, values, second));
  return {
    timesSeconds,
    beanTempC: everySecond(track.beanTempC),
    heatPower: everySecond(track.heatPower),
    fanSpeed: everySecond(track.fanSpeed),
  };
}

/** The earlier roasts of its machine, newest first. */
export function roastsBefore(roasts: readonly ForecastRoast[], roast: ForecastRoast): ForecastRoast[] {
  const place = roasts.indexOf(roast);
  return roasts
    .filter(({ owner, machine }) => owner === roast.owner && machine === roast.machine)
    .filter(
      (other) =>
        other.roastedAt < roast.roastedAt || (other.roastedAt === roast.roastedAt && roasts.indexOf(other) < place),
    )
    .sort((a, b) => (a.roastedAt < b.roastedAt ? 1 : -1));
}

/** The curves from which the product would forecast a roast, newest first. Files name no recipe. */
export function pastCurves(before: readonly ForecastRoast[], roast: ForecastRoast): PastCurve[] {
  const past = before.map((other) => ({
    curve: other.curve,
    sameRecipe: false,
    sameCoffee: roast.coffee !== '' && other.coffee === roast.coffee,
    sameBatch: isSameBatch(other.greenKg, roast.greenKg),
  }));
  return closestRoasts(past).roasts.map(({ curve }) => curve);
}
