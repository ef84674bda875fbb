import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAlog, type ArtisanRoast } from '@roastery/roasting/artisan/alog';
import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { markOf } from '@roastery/roasting/marks';
import { isReading, valueAt, type Reading } from '@roastery/roasting/curves/series';
import { sharedData } from '../shared-data.ts';

/** Real Artisan files are beside the repository, not in it. */
const data = sharedData();

export const recordedRoastsPresent = data.present;
export const recordedRoastsTitle = recordedRoastsPresent
  ? ''
  : ' (skipped: no ../shared/data/alog beside the repository)';

export interface RecordedRoast {
  /** The number that its file name begins with. */
  readonly id: string;
  readonly file: string;
  readonly text: string;
  readonly roast: ArtisanRoast;
  /** The owner of the roasts: the collection of the file. */
  readonly owner: string;
  /** The maker of the machine, if known. */
  readonly maker: string;
}

/** The files of 2025; crack forecasts and unit tests are about these. */
export const firstFolder = ['alog'] as const;
/** All files that the limits were chosen with. The second folder may be absent. */
export const allFolders = ['alog', 'alog2'] as const;
/** Also those of two people whom no limit had seen. */
export const ownerFolders = [...allFolders, 'alog3'] as const;

export function recordedRoasts(folders: readonly string[] = firstFolder): RecordedRoast[] {
  if (!recordedRoastsPresent) return [];
  const sources = sourcesOfFiles();
  return folders.flatMap((name) => {
    const folder = data.path(name);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((file) => file.endsWith('.alog'))
      .sort()
      .map((file) => {
        const text = readFileSync(path.join(folder, file), 'utf8');
        const roast = parseAlog(text);
        const { owner, machine } = sources.get(file) ?? { owner: name, machine: '' };
        return {
          id: file.slice(0, file.indexOf('_')),
          file,
          text,
          roast,
          owner,
          maker: makerOf(machine || (roast.machine ?? '')),
        };
      });
  });
}

/** Owner and machine of each file, from the tables in the data's README. */
function sourcesOfFiles(): Map<string, { owner: string; machine: string }> {
  const readme = data.path('README.md');
  if (!existsSync(readme)) return new Map();
  const rows = readFileSync(readme, 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells[1]?.endsWith('.alog'));
  return new Map(
    rows.map((cells) => [
      cells[1] ?? '',
      { owner: (cells[2] ?? '').split('/')[0] ?? '', machine: cells.filter((cell) => cell !== '').at(-1) ?? '' },
    ]),
  );
}

/** The first word of a machine's name; tables without a machine end in a list of indices. */
function makerOf(machine: string): string {
  return /^[\d, -]*$/.test(machine) ? 'not named' : (machine.split(/\s/)[0] ?? 'not named');
}

/** The readings of an agent: bean temperature, and heat and fan if the file has them. */
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
  return charge !== undefined && isColdCharge(valueAt(timesSeconds, beanTempC, charge.timeSeconds));
}

export function isColdCharge(chargeC: Reading | undefined): boolean {
  return isReading(chargeC) && chargeC <= 60;
}
