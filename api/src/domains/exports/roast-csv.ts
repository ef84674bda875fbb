import { nearestSample } from '@roastery/roasting/artisan/alog-controls';
import { csvStart, writeCsvRow } from '../../sheets/csv.ts';
import { cToF, rateCToF, type TemperatureUnit } from '@roastery/roasting/units';
import { type ExportedRoast, markName, sinceRecordingBegan, type WrittenUnit } from './exported-roast.ts';

/** Marks by the index of the sample nearest to them. */
const marksBySample = ({ roast, timesSeconds }: ExportedRoast): Map<number, string[]> => {
  const found = new Map<number, string[]>();
  for (const mark of roast.marks) {
    const best = nearestSample(timesSeconds, mark.time_seconds);
    if (best >= 0) found.set(best, [...(found.get(best) ?? []), markName[mark.kind]]);
  }
  return found;
};

/** Thousandths: no trace of the conversion, and more than any probe has. */
const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

/** Heads and values in the unit that the person reads. */
const inUnit = ({ channels, rates }: ExportedRoast, unit: TemperatureUnit) => {
  if (unit === 'C') return { columns: channels, rates };
  const columns = channels.map((channel) =>
    channel.unit === '°C'
      ? {
          ...channel,
          unit: '°F' as const,
          values: channel.values.map((value) => (value === null ? null : thousandths(cToF(value)))),
        }
      : channel,
  );
  return { columns, rates: rates.map((rate) => (typeof rate === 'number' ? thousandths(rateCToF(rate)) : rate)) };
};

export const curveHead = (channels: readonly { readonly label: string; readonly unit: WrittenUnit }[]): string[] =>
  channels.map(({ label, unit }) => (unit === '' ? label : `${label} (${unit})`));

const linesAtOnce = 200;

/**
 * The curve as CSV, one line per sample, marks on the nearest sample; the head first, then some hundred lines at a
 * time, in the unit that the person reads. Other programs and our own upload read it.
 */
export function* roastCsv(exported: ExportedRoast, unit: TemperatureUnit = 'C'): Generator<string> {
  const { timesSeconds } = exported;
  const { columns, rates } = inUnit(exported, unit);
  const heads = ['Time (s)', 'Since charge (s)', ...curveHead(columns), `Rate of rise (°${unit}/min)`, 'Event'];
  yield csvStart + writeCsvRow(heads);
  const marks = marksBySample(exported);
  let text = '';
  for (let index = 0; index < timesSeconds.length; index++) {
    const seconds = timesSeconds[index] ?? 0;
    text += writeCsvRow([
      sinceRecordingBegan(exported, seconds),
      // A number: a spreadsheet would treat `-0:15` as a formula, and with a quote in front it is not a time.
      seconds,
      ...columns.map(({ values }) => values[index]),
      rates[index],
      marks.get(index)?.join('; '),
    ]);
    if (index % linesAtOnce !== linesAtOnce - 1) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
