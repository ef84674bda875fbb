import { lttbIndices } from '@roastery/roasting/curves/decimate';
import { bridgeableMissing, type Reading } from '@roastery/roasting/curves/series';
import { cToF, formatDuration, rateCToF, type TemperatureUnit } from '@roastery/roasting/units';
import type { ReaderFormats } from '../../format/reader-formats.ts';
import { reportChannels } from './export-jobs.ts';
import { type ExportedRoast, markName } from './exported-roast.ts';
import type { Pdf, ReportText } from './report-text.ts';

export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Line {
  readonly label: string;
  readonly values: readonly Reading[];
  readonly color: string;
  readonly width: number;
  readonly dash: readonly number[];
  readonly y: (value: number) => number;
}

const ink = { grid: '#e7e5e4', axis: '#78716c', mark: '#44403c' };
/** The document's axis for the rate of rise, °C/min. */
const lowestRate = -20;
const highestRate = 50;
const drawnPoints = 800;
const labelRows = 3;

/** Missing readings in a row that are bridged; a longer gap stays one. */
const withoutShortGaps = (values: readonly Reading[]): Reading[] => {
  const drawn = [...values];
  let last = -1;
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const missing = index - last - 1;
    const before = values[last];
    if (last >= 0 && missing > 0 && missing <= bridgeableMissing && before !== null && before !== undefined) {
      for (let at = last + 1; at < index; at++) drawn[at] = before + ((value - before) * (at - last)) / (index - last);
    }
    last = index;
  }
  return drawn;
};

const drawLine = (pdf: Pdf, times: readonly number[], line: Line, x: (seconds: number) => number): void => {
  const values = withoutShortGaps(line.values);
  pdf.save().lineWidth(line.width).strokeColor(line.color).lineJoin('round');
  if (line.dash.length > 0) pdf.dash(line.dash[0] ?? 1, { space: line.dash[1] ?? 1 });
  let isDown = false;
  for (const index of lttbIndices(times, values, drawnPoints)) {
    const value = values[index];
    if (value === null || value === undefined) {
      isDown = false;
      continue;
    }
    const at = [x(times[index] ?? 0), line.y(value)] as const;
    if (isDown) pdf.lineTo(...at);
    else pdf.moveTo(...at);
    isDown = true;
  }
  pdf.stroke().restore();
};

const scaleOf = (from: number, to: number, start: number, end: number) => (value: number) =>
  start + ((value - from) / (to - from || 1)) * (end - start);

/** The window of the report: from a little before the charge to a little after the drop. */
const shownSeconds = ({ roast, timesSeconds }: ExportedRoast): { from: number; to: number } => {
  const last = timesSeconds.at(-1) ?? 60;
  const to = Math.min(last, (roast.duration_seconds ?? last) + 30);
  return { from: Math.max(timesSeconds[0] ?? 0, -30), to: Math.max(60, to) };
};

const drawMarks = (
  pdf: Pdf,
  text: ReportText,
  exported: ExportedRoast,
  plot: Frame,
  scales: { x: (seconds: number) => number; temp: (tempC: number) => number },
  unit: TemperatureUnit,
  formats: ReaderFormats,
): void => {
  const freeFrom = Array.from({ length: labelRows }, () => plot.x);
  for (const mark of exported.roast.marks) {
    const at = scales.x(mark.time_seconds);
    if (at < plot.x - 1 || at > plot.x + plot.width + 1) continue;
    pdf.save().lineWidth(0.5).strokeColor(ink.mark).dash(2, { space: 2 });
    pdf
      .moveTo(at, plot.y)
      .lineTo(at, plot.y + plot.height)
      .stroke()
      .restore();
    if (mark.temp !== null) pdf.circle(at, scales.temp(mark.temp), 2).fillAndStroke('#ffffff', ink.mark);
    const temp = mark.temp === null ? '' : ` ${formats.decimal(unit === 'F' ? cToF(mark.temp) : mark.temp)}°`;
    const label = `${markName[mark.kind]} ${formatDuration(mark.time_seconds)}${temp}`;
    const width = text.width(label, { size: 6.5 });
    const left = Math.min(Math.max(at - width / 2, plot.x), plot.x + plot.width - width);
    // Labels that would overlap move to a row above.
    const row = Math.max(
      0,
      freeFrom.findIndex((free) => left >= free),
    );
    freeFrom[row] = left + width + 6;
    text.line(label, left, plot.y - 10 - row * 8, { size: 6.5, color: ink.mark });
  }
};

/** Bean and exhaust temperature and rate of rise as lines, not as a picture: sharp at any size, its words selectable. */
export const drawChart = (
  pdf: Pdf,
  text: ReportText,
  exported: ExportedRoast,
  frame: Frame,
  unit: TemperatureUnit,
  formats: ReaderFormats,
): void => {
  const plot = { x: frame.x + 26, y: frame.y + 30, width: frame.width - 54, height: frame.height - 60 };
  const bottom = plot.y + plot.height;
  const shown = shownSeconds(exported);
  const isShown = (index: number): boolean => {
    const time = exported.timesSeconds[index] ?? Number.NaN;
    return time >= shown.from && time <= shown.to;
  };
  const pick = (values: readonly Reading[]): Reading[] => values.filter((_, index) => isShown(index));
  const times = exported.timesSeconds.filter((_, index) => isShown(index));
  const channel = (name: string) => pick(exported.channels.find((one) => one.name === name)?.values ?? []);
  const [bean = [], exhaust = []] = reportChannels.map(channel);
  const hottest = [...bean, ...exhaust].reduce<number>((most, value) => Math.max(most, value ?? most), 100);
  const step = unit === 'F' ? 100 : 50;
  const shownTemp = (tempC: number) => (unit === 'F' ? cToF(tempC) : tempC);
  const top = Math.ceil((shownTemp(hottest) * 1.03) / step) * step;

  const x = scaleOf(shown.from, shown.to, plot.x, plot.x + plot.width);
  const degrees = scaleOf(0, top, bottom, plot.y);
  const temp = (tempC: number) => degrees(shownTemp(tempC));
  const rate = scaleOf(lowestRate, highestRate, bottom, plot.y);

  pdf.save().lineWidth(0.5).strokeColor(ink.grid);
  for (let value = 0; value <= top; value += step) {
    pdf
      .moveTo(plot.x, degrees(value))
      .lineTo(plot.x + plot.width, degrees(value))
      .stroke();
  }
  pdf.restore();
  for (let value = 0; value <= top; value += step) {
    text.line(String(value), frame.x, degrees(value) - 4, { size: 7, color: ink.axis, width: 21, align: 'right' });
  }
  const minutes = Math.max(1, Math.ceil((shown.to - Math.max(0, shown.from)) / 60 / 16));
  for (let seconds = 0; seconds <= shown.to; seconds += minutes * 60) {
    const at = x(seconds);
    pdf.save().lineWidth(0.5).strokeColor(ink.grid).moveTo(at, plot.y).lineTo(at, bottom).stroke().restore();
    text.line(formatDuration(seconds), at - 15, bottom + 4, { size: 7, color: ink.axis, width: 30, align: 'center' });
  }
  // Round figures in the reader's unit: -10, 10, 30, 50 °C/min or -20, 0, 20 … °F/min.
  const shownRate = (celsius: number) => (unit === 'F' ? rateCToF(celsius) : celsius);
  const shownRates = scaleOf(shownRate(lowestRate), shownRate(highestRate), bottom, plot.y);
  for (let value = unit === 'F' ? -20 : lowestRate + 10; value <= shownRate(highestRate); value += 20) {
    text.line(String(value), plot.x + plot.width + 5, shownRates(value) - 4, { size: 7, color: ink.axis });
  }

  const lines: Line[] = [
    { label: 'Rate of rise', values: pick(exported.rates), color: '#2563eb', width: 0.9, dash: [], y: rate },
    { label: 'Exhaust temp', values: exhaust, color: '#a16207', width: 0.9, dash: [4, 2], y: temp },
    { label: 'Bean temp', values: bean, color: '#b91c1c', width: 1.6, dash: [], y: temp },
  ];
  const present = lines.filter(({ values }) => values.some((value) => value !== null));
  pdf.save().rect(plot.x, plot.y, plot.width, plot.height).clip();
  for (const line of present) drawLine(pdf, times, line, x);
  pdf.restore();
  drawMarks(pdf, text, exported, plot, { x, temp }, unit, formats);

  let at = plot.x;
  for (const line of [...present].reverse()) {
    const unitText = line.label === 'Rate of rise' ? `°${unit}/min, right axis` : `°${unit}`;
    const label = `${line.label} (${unitText})`;
    pdf.save().lineWidth(line.width).strokeColor(line.color);
    if (line.dash.length > 0) pdf.dash(4, { space: 2 });
    pdf
      .moveTo(at, bottom + 23)
      .lineTo(at + 16, bottom + 23)
      .stroke()
      .restore();
    text.line(label, at + 20, bottom + 19, { size: 7, color: ink.mark });
    at += 34 + text.width(label, { size: 7 });
  }
};
