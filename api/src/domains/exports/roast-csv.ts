import { writeCsv, type CsvRow } from '../../sheets/csv.ts';
import { formatDuration } from '@roastery/roasting/units';
import { sinceRecordingBegan, type ExportedRoast } from './gather-roast.ts';
import { markName } from './mark-names.ts';

/** Index of the sample nearest to each mark. */
const marksBySample = ({ roast, timesSeconds }: ExportedRoast): Map<number, string[]> => {
  const found = new Map<number, string[]>();
  for (const mark of roast.marks) {
    let best = -1;
    for (const [index, time] of timesSeconds.entries()) {
      const nearest = timesSeconds[best];
      if (nearest === undefined || Math.abs(time - mark.time_seconds) < Math.abs(nearest - mark.time_seconds)) {
        best = index;
      }
    }
    if (best >= 0) found.set(best, [...(found.get(best) ?? []), markName[mark.kind]]);
  }
  return found;
};

export const curveHead = ({ channels }: ExportedRoast): string[] =>
  channels.map(({ label, unit }) => (unit === '' ? label : `${label} (${unit})`));

/** The curve as CSV, a line a sample, marks on the sample nearest to them. Other programs and our own upload read it. */
export const roastCsv = (exported: ExportedRoast): string => {
  const marks = marksBySample(exported);
  const rows: CsvRow[] = exported.timesSeconds.map((seconds, index) => [
    sinceRecordingBegan(exported, seconds),
    formatDuration(seconds),
    ...exported.channels.map(({ values }) => values[index]),
    exported.rates[index],
    marks.get(index)?.join('; '),
  ]);
  return writeCsv([['Time (s)', 'Since charge', ...curveHead(exported), 'Rate of rise', 'Event'], ...rows]);
};
