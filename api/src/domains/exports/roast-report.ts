import { phasesOf } from '@roastery/roasting/curves/phases';
import { formatDuration, type TemperatureUnit } from '@roastery/roasting/units';
import type { ReaderFormats } from '../../format/reader-formats.ts';
import { type ExportedRoast, markName } from './exported-roast.ts';
import type { Letterhead } from './letterhead.ts';
import { drawChart } from './report-chart.ts';
import {
  drawLetterhead,
  drawTable,
  grey,
  inner,
  page,
  rule,
  type Sheet,
  type Table,
  writeReport,
} from './report-sheet.ts';

const lossOf = (
  { batch_size_kg: green, end_weight_kg: roasted }: ExportedRoast['roast'],
  formats: ReaderFormats,
): string => (green === null || roasted === null ? '--' : formats.percent((green - roasted) / green));

const drawHead = (sheet: Sheet, { roast }: ExportedRoast, letterhead: Letterhead): number => {
  const { text, formats } = sheet;
  const y = drawLetterhead(sheet, letterhead, 'Roast report');
  text.line(roast.coffee_name ?? 'Unnamed Roast', page.margin, y + 12, { size: 20, weight: 600, width: inner });
  const from = [roast.coffee_origin, roast.coffee_process, roast.roast_level].filter((part) => part !== null);
  const imported = roast.is_numbered || roast.source_batch === null ? [] : [`Batch ${roast.source_batch} (imported)`];
  const number = roast.batch_number === null ? imported : [`Batch ${roast.batch_number}`];
  const under = [...number, ...from, roast.roast_number, formats.moment(roast.start_time, letterhead.timeZone)].join(
    ' · ',
  );
  text.line(under, page.margin, y + 38, { size: 9, color: grey, width: inner });
  return y + 60;
};

/** Label over value, four in a row. */
const drawFigures = ({ pdf, text }: Sheet, all: readonly (readonly [string, string])[], top: number): number => {
  // Figures that were not measured are left out.
  const figures = all.filter(([, value]) => value !== '--');
  const width = inner / 4;
  for (const [place, [label, value]] of figures.entries()) {
    const x = page.margin + (place % 4) * width;
    const y = top + Math.floor(place / 4) * 32;
    text.line(label, x, y, { size: 7, color: grey, width: width - 8 });
    text.line(value, x, y + 9, { size: 11, weight: 600, width: width - 8 });
  }
  const bottom = top + Math.ceil(figures.length / 4) * 32;
  rule(pdf, bottom);
  return bottom + 10;
};

const phaseName = { drying: 'Drying', maillard: 'Maillard', development: 'Development' } as const;

const drawTables = (sheet: Sheet, { roast }: ExportedRoast, unit: TemperatureUnit, top: number): number => {
  const { phases } = phasesOf(
    roast.marks.map((mark) => ({ kind: mark.kind, timeSeconds: mark.time_seconds, tempC: mark.temp })),
  );
  const marks: Table = {
    heads: ['Mark', 'Time', 'Bean temp'],
    widths: [110, 50, 70],
    rows: roast.marks.map((mark) => [
      markName[mark.kind],
      formatDuration(mark.time_seconds),
      sheet.formats.temperature(mark.temp, unit),
    ]),
  };
  const spans: Table = {
    heads: ['Phase', 'Time', 'Share', 'Average RoR'],
    widths: [84, 46, 46, 78],
    rows: phases.map((phase) => [
      phaseName[phase.name],
      formatDuration(phase.durationSeconds),
      phase.share === null ? '--' : sheet.formats.percent(phase.share),
      sheet.formats.rate(phase.meanRateC, unit),
    ]),
  };
  const left = marks.rows.length === 0 ? top : drawTable(sheet, marks, page.margin, top);
  const right = spans.rows.length === 0 ? top : drawTable(sheet, spans, page.margin + inner - 254, top);
  return Math.max(left, right) + 8;
};

const drawNotes = ({ pdf, text }: Sheet, notes: string | null, top: number): void => {
  if (notes === null || notes.trim() === '') return;
  const style = { size: 8.5 } as const;
  let y = top;
  const start = (): void => text.line('Notes', page.margin, y, { size: 7, color: grey });
  start();
  y += 12;
  for (const line of text.wrap(notes.trim(), inner, style)) {
    if (y > page.height - page.margin - 24) {
      pdf.addPage();
      y = page.margin;
    }
    text.line(line, page.margin, y, style);
    y += 12;
  }
};

/** Page number and roast at the foot of each page. */
const drawFeet = ({ pdf, text }: Sheet, { roast }: ExportedRoast): void => {
  const { start, count } = pdf.bufferedPageRange();
  for (let number = start; number < start + count; number++) {
    pdf.switchToPage(number);
    const style = { size: 7, color: grey, width: inner } as const;
    const y = page.height - page.margin;
    text.line(roast.said_number, page.margin, y, style);
    text.line(`${number + 1} / ${count}`, page.margin, y, { ...style, align: 'right' });
  }
};

/**
 * The report of a roast for a shop's customers: A4, embedded fonts, the chart as lines, selectable text. It contains
 * no costs and no stock.
 */
export const roastReport = async (
  exported: ExportedRoast,
  letterhead: Letterhead,
  unit: TemperatureUnit,
  formats: ReaderFormats,
): Promise<Uint8Array<ArrayBuffer>> => {
  const { roast } = exported;
  const title = `${roast.said_number} · ${roast.coffee_name ?? 'Unnamed Roast'}`;
  return writeReport({ title, author: letterhead.name, created: roast.start_time }, formats, (sheet) => {
    let y = drawHead(sheet, exported, letterhead);
    y = drawFigures(
      sheet,
      [
        ['Duration', formatDuration(roast.duration_seconds)],
        ['Development', developmentOf(exported, formats)],
        ['First crack', formatDuration(roast.first_crack_time)],
        ['Drop temp', formats.temperature(roast.drop_temp, unit)],
        ['Batch', formats.weight(roast.batch_size_kg)],
        ['Roasted weight', formats.weight(roast.end_weight_kg)],
        ['Weight loss', lossOf(roast, formats)],
        ['Charge temp', formats.temperature(roast.charge_temp, unit)],
        ['Machine', roast.machine_name ?? '--'],
        ['Roasted by', roast.roasted_by ?? '--'],
        ['Profile', roast.profile_name ?? '--'],
        ['Color', formats.number(roast.color)],
        ['Cupping score', formats.number(roast.cupping_score)],
      ],
      y,
    );
    if (exported.timesSeconds.length === 0) {
      sheet.text.line('No curve data available', page.margin, y, { size: 9, color: grey });
      y += 24;
    } else {
      drawChart(sheet.pdf, sheet.text, exported, { x: page.margin, y, width: inner, height: 300 }, unit, formats);
      y += 308;
    }
    y = drawTables(sheet, exported, unit, y);
    drawNotes(sheet, roast.notes, y);
    drawFeet(sheet, exported);
  });
};

const developmentOf = ({ roast }: ExportedRoast, formats: ReaderFormats): string => {
  const { development_time_seconds: seconds, development_time_ratio: ratio } = roast;
  if (seconds === null) return '--';
  return ratio === null ? formatDuration(seconds) : `${formatDuration(seconds)} · ${formats.percent(ratio)}`;
};
