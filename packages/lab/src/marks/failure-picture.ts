import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { isReading } from '@roastery/roasting/curves/series';
import { formatDuration } from '@roastery/roasting/units';

export interface FailurePicture {
  readonly title: string;
  readonly samples: readonly DetectorSample[];
  /** When people say that it happened: from the key to the break of the curve. */
  readonly truth: { readonly from: number; readonly until: number };
  /** When the detector says that it happened; null where it says nothing. */
  readonly found: number | null;
}

const width = 640;
const height = 240;
const margin = { left: 44, right: 12, top: 34, bottom: 26 };
/** The curve is shown this long before the first and after the last mark. */
const aroundSeconds = 90;
const fewestDegrees = 20;
const ticks = 4;

const one = (value: number) => value.toFixed(1);

/** The bean temperature around a mark that the detector places wrongly or misses, as SVG. */
export function failurePicture({ title, samples, truth, found }: FailurePicture): string {
  const from = Math.min(truth.from, found ?? truth.from) - aroundSeconds;
  const until = Math.max(truth.until, found ?? truth.until) + aroundSeconds;
  const shown = samples.flatMap(({ timeSeconds, beanTempC }) =>
    isReading(beanTempC) && timeSeconds >= from && timeSeconds <= until ? [{ timeSeconds, beanTempC }] : [],
  );
  const temps = shown.map(({ beanTempC }) => beanTempC);
  const lowC = Math.floor(Math.min(...temps) / 10) * 10;
  const highC = Math.max(lowC + fewestDegrees, Math.ceil(Math.max(...temps) / 10) * 10);
  const [first, last] = [shown[0]?.timeSeconds ?? from, shown.at(-1)?.timeSeconds ?? until];
  const x = (timeSeconds: number) =>
    margin.left + ((timeSeconds - first) / (last - first)) * (width - margin.left - margin.right);
  const y = (tempC: number) =>
    height - margin.bottom - ((tempC - lowC) / (highC - lowC)) * (height - margin.top - margin.bottom);
  const steps = Array.from({ length: ticks + 1 }, (_, step) => step / ticks);
  const curve = shown.map(({ timeSeconds, beanTempC }) => `${one(x(timeSeconds))},${one(y(beanTempC))}`).join(' ');
  const span = Math.max(2, x(truth.until) - x(truth.from));
  const bottom = height - margin.bottom;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${margin.left}" y="15" font-size="13" fill="#222">${title}</text>`,
    `<text x="${margin.left}" y="29" fill="#777">grey: marked; red: found</text>`,
    `<rect x="${one(x(truth.from))}" y="${margin.top}" width="${one(span)}" height="${bottom - margin.top}" fill="#bbb"/>`,
    ...steps.flatMap((share) => {
      const [tempC, timeSeconds] = [lowC + share * (highC - lowC), first + share * (last - first)];
      return [
        `<line x1="${margin.left}" x2="${width - margin.right}" y1="${one(y(tempC))}" y2="${one(y(tempC))}" stroke="#e4e4e4"/>`,
        `<text x="${margin.left - 6}" y="${one(y(tempC) + 4)}" text-anchor="end" fill="#555">${Math.round(tempC)} °C</text>`,
        `<text x="${one(x(timeSeconds))}" y="${height - 9}" text-anchor="middle" fill="#555">${formatDuration(timeSeconds)}</text>`,
      ];
    }),
    `<polyline points="${curve}" fill="none" stroke="#1b5e8c" stroke-width="1.6"/>`,
    ...(found === null
      ? []
      : [
          `<line x1="${one(x(found))}" x2="${one(x(found))}" y1="${margin.top}" y2="${bottom}" stroke="#c62828" stroke-width="2"/>`,
        ]),
    '</svg>',
    '',
  ].join('\n');
}
