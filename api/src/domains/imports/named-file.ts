import type { Upload, UploadFormat } from '@roastery/contract/imports';

/** Formats whose title may be a program's default: then the coffee's name is taken from the file's name. */
const titled: readonly UploadFormat[] = ['alog', 'artisan_json'];

/** `logs/25-06-29 Balik.alog` → `25-06-29 Balik`. */
export const stemOf = (fileName: string): string =>
  (fileName.split(/[/\\]/).at(-1) ?? '').replace(/\.[A-Za-z0-9]{1,5}$/, '').trim();

/** `IKAWA 2019-12-07 121826`, `2021_4_30_17_56_49`: a date with a time, taken as UTC like a date in a file. */
const momentIn = (stem: string): string | null => {
  const found = /(20\d{2})[-_](\d{1,2})[-_](\d{1,2})[ _T-](\d{1,2})[_:.-]?(\d{2})(?:[_:.-]?(\d{2}))?(?!\d)/.exec(stem);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const moment = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // 31 February is not a date.
  return moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day && hour < 24 ? moment.toISOString() : null;
};

type Named = Pick<Upload, 'coffee_name' | 'start_time' | 'source_batch' | 'format'>;

/** Facts from the file's name that the file itself lacks: the coffee, the time, Roest's batch. */
export const completedByName = <Facts extends Named>(fileName: string, facts: Facts): Facts => {
  const stem = stemOf(fileName);
  const [, title, batch] = /^(.+) - Batch (\d{1,9})$/.exec(stem) ?? [];
  return {
    ...facts,
    coffee_name: facts.coffee_name ?? title ?? (titled.includes(facts.format) ? stem.slice(0, 200) || null : null),
    start_time: facts.start_time ?? momentIn(stem),
    source_batch: facts.source_batch ?? batch ?? null,
  };
};
