import type { Upload, UploadFormat } from '@roastery/contract/imports';
import { type FileMoment, instantOf, momentIn } from './moments.ts';

/** Formats whose title may be a program's default: then the coffee's name is taken from the file's name. */
const titled: readonly UploadFormat[] = ['alog', 'artisan_json'];

/** `logs/25-06-29 Balik.alog` → `25-06-29 Balik`. */
export const stemOf = (fileName: string): string =>
  (fileName.split(/[/\\]/).at(-1) ?? '').replace(/\.[A-Za-z0-9]{1,5}$/, '').trim();

/** `IKAWA 2019-12-07 121826`, `2021_4_30_17_56_49`: a date with a time on the clock of the computer. */
const momentOfName = (stem: string): FileMoment | null => {
  const found = /(20\d{2})[-_](\d{1,2})[-_](\d{1,2})[ _T-](\d{1,2})[_:.-]?(\d{2})(?:[_:.-]?(\d{2}))?(?!\d)/.exec(stem);
  if (found === null) return null;
  const [year, month, day, hour, minute, second = '00'] = found.slice(1);
  return momentIn(`${year}-${month}-${day} ${hour}:${minute}:${second}`, 'ymd');
};

type Named = Pick<Upload, 'coffee_name' | 'start_time' | 'source_batch' | 'format'> &
  Partial<Pick<Upload, 'time_zone'>>;

/** Facts from the file's name that the file itself lacks: the coffee, the time in this zone, Roest's batch. */
export const completedByName = <Facts extends Named>(fileName: string, facts: Facts, timeZone = 'UTC'): Facts => {
  const stem = stemOf(fileName);
  const named = facts.start_time === null ? momentOfName(stem) : null;
  const [, title, batch] = /^(.+) - Batch (\d{1,9})$/.exec(stem) ?? [];
  return {
    ...facts,
    coffee_name: facts.coffee_name ?? title ?? (titled.includes(facts.format) ? stem.slice(0, 200) || null : null),
    ...(named === null ? {} : { start_time: new Date(instantOf(named, timeZone)).toISOString(), time_zone: timeZone }),
    source_batch: facts.source_batch ?? batch ?? null,
  };
};
