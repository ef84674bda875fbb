import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAlog, type ArtisanRoast } from '@roastery/roasting/alog';
import type { DetectorSample } from '@roastery/roasting/detector';
import { markOf } from '@roastery/roasting/marks';
import { isReading, valueAt } from '@roastery/roasting/series';
import { sharedData } from '../shared-data.ts';

/** Real Artisan files lie beside the repository, not in it. */
const data = sharedData();
const folder = data.path('alog');

export const recordedRoastsPresent = data.present;
export const recordedRoastsTitle = recordedRoastsPresent
  ? ''
  : ' (skipped: no ../shared/data/alog beside the repository)';

export interface RecordedRoast {
  /** The two digits that its file name begins with. */
  readonly id: string;
  readonly file: string;
  readonly text: string;
  readonly roast: ArtisanRoast;
}

export function recordedRoasts(): RecordedRoast[] {
  if (!recordedRoastsPresent) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.alog'))
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(folder, file), 'utf8');
      return { id: file.slice(0, 2), file, text, roast: parseAlog(text) };
    });
}

/** What an agent would have read: bean temperature, and heat and fan where the file has them. */
export function samplesOf(roast: ArtisanRoast, { withControls = true } = {}): DetectorSample[] {
  const channel = (...names: string[]) =>
    roast.channels.find(({ name, values }) => names.includes(name) && values.some((value) => isReading(value)));
  const heat = withControls ? channel('Heater', 'Burner') : undefined;
  const fan = withControls ? channel('Fan', 'Air') : undefined;
  return roast.timesSeconds.map((timeSeconds, index) => ({
    timeSeconds,
    beanTempC: roast.beanTempC[index] ?? null,
    heatPower: heat?.values[index] ?? null,
    fanSpeed: fan?.values[index] ?? null,
  }));
}

/** Whether its beans went into a cold machine. */
export function chargedCold({ marks, timesSeconds, beanTempC }: ArtisanRoast): boolean {
  const charge = markOf(marks, 'charge');
  const temp = charge && valueAt(timesSeconds, beanTempC, charge.timeSeconds);
  return isReading(temp) && temp <= 60;
}

/** Marks that people set where the curve itself contradicts them, or can't confirm them. */
export const doubtfulCharges: Readonly<Record<string, string>> = {
  '16': 'marked when the probe had fallen 19 °C already',
  '18': 'charged cold',
  '19': 'charged cold, the heat was on before the recording began',
  '21': 'the probe rises unchanged for 6 s more',
  '22': 'the probe rises for 38 s more, to 148 °C, before it falls',
  '26': 'charged cold',
  '27': 'charged cold',
  '28': 'charged cold',
  '29': 'charged cold',
  '30': 'no reading at all',
};
export const doubtfulDrops: Readonly<Record<string, string>> = {
  '04': 'the recording ends 2 s later, still rising',
  '30': 'no reading at all',
};
