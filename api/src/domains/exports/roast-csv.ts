import { nearestSample } from '@roastery/roasting/alog-controls';
import { csvStart, writeCsvRow } from '../../sheets/csv.ts';
import { type ExportedRoast, markName, sinceRecordingBegan } from './exported-roast.ts';

/** Marks by the index of the sample nearest to them. */
const marksBySample = ({ roast, timesSeconds }: ExportedRoast): Map<number, string[]> => {
  const found = new Map<number, string[]>();
  for (const mark of roast.marks) {
    const best = nearestSample(timesSeconds, mark.time_seconds);
    if (best >= 0) found.set(best, [...(found.get(best) ?? []), markName[mark.kind]]);
  }
  return found;
};

export const curveHead = ({ channels }: ExportedRoast): string[] =>
  channels.map(({ label, unit }) => (unit === '' ? label : `${label} (${unit})`));

const linesAtOnce = 200;

/**
 * The curve as CSV, one line per sample, marks on the nearest sample; the head first, then some hundred lines at a
 * time. Other programs and our own upload read it.
 */
export function* roastCsv(exported: ExportedRoast): Generator<string> {
  const { timesSeconds, channels, rates } = exported;
  yield (
    csvStart + writeCsvRow(['Time (s)', 'Since charge (s)', ...curveHead(exported), 'Rate of rise (°C/min)', 'Event'])
  );
  const marks = marksBySample(exported);
  let text = '';
  for (let index = 0; index < timesSeconds.length; index++) {
    const seconds = timesSeconds[index] ?? 0;
    text += writeCsvRow([
      sinceRecordingBegan(exported, seconds),
      // A number: a spreadsheet would treat `-0:15` as a formula, and with a quote in front it is not a time.
      seconds,
      ...channels.map(({ values }) => values[index]),
      rates[index],
      marks.get(index)?.join('; '),
    ]);
    if (index % linesAtOnce !== linesAtOnce - 1) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
