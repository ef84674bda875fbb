import { formatDuration } from '@roastery/roasting/units';
import { phasesOf } from '@roastery/roasting/curves/phases';
import type { ReaderFormats } from '../../format/reader-formats.ts';
import { sheetMoments, type WrittenCell, type WrittenSheet } from '../../sheets/write-workbook.ts';
import type { RoastListTable } from './export-jobs.ts';
import { type ExportedRoast, markName, sinceRecordingBegan } from './exported-roast.ts';
import { curveHead } from './roast-csv.ts';
import { rowsInLines } from './row-lines.ts';

const phaseName = { drying: 'Drying', maillard: 'Maillard', development: 'Development' } as const;

const weightLoss = ({ batch_size_kg: green, end_weight_kg: roasted }: ExportedRoast['roast']): number | null =>
  green === null || roasted === null ? null : (green - roasted) / green;

/** Labels and figures on a first sheet; an upload reads the words before the brackets. */
const summaryRows = (
  { roast, recordedAtMs }: ExportedRoast,
  timeZone: string,
  formats: ReaderFormats,
): WrittenCell[][] => {
  const { weightUnit, weightNumber } = formats;
  const percent = (share: number | null): string => (share === null ? '' : formats.percent(share));
  const { phases } = phasesOf(
    roast.marks.map((mark) => ({ kind: mark.kind, timeSeconds: mark.time_seconds, tempC: mark.temp })),
  );
  return [
    ['Batch number', roast.batch_number ?? roast.source_batch],
    ['Imported as batch', roast.source_batch],
    ['Roast', roast.roast_number],
    ['Coffee', roast.coffee_name],
    ['Origin', roast.coffee_origin],
    ['Process', roast.coffee_process],
    [`Roasted at (${timeZone})`, sheetMoments(timeZone)(roast.start_time)],
    ['Machine', roast.machine_name],
    ['Roasted by', roast.roasted_by],
    ['Profile', roast.profile_name],
    ['Roast level', roast.roast_level],
    [`Batch (${weightUnit})`, weightNumber(roast.batch_size_kg)],
    [`Roasted weight (${weightUnit})`, weightNumber(roast.end_weight_kg)],
    ['Weight loss', percent(weightLoss(roast))],
    ['Duration', formatDuration(roast.duration_seconds)],
    ['Charge temp (°C)', roast.charge_temp],
    ['Drop temp (°C)', roast.drop_temp],
    ['First crack', formatDuration(roast.first_crack_time)],
    ['First crack temp (°C)', roast.first_crack_temp],
    ['Development', formatDuration(roast.development_time_seconds)],
    ['Development ratio', percent(roast.development_time_ratio)],
    ...phases.map((phase) => [
      `${phaseName[phase.name]} phase`,
      `${formatDuration(phase.durationSeconds)} ${percent(phase.share)}`.trim(),
    ]),
    ['Color', roast.color],
    ['Cupping score', roast.cupping_score],
    ['Notes', roast.notes],
    ['Recording began (UTC)', new Date(recordedAtMs).toISOString()],
  ];
};

const curveRows = function* (exported: ExportedRoast): Generator<WrittenCell[]> {
  yield ['Time (s)', 'Since charge', ...curveHead(exported.channels), 'Rate of rise (°C/min)'];
  for (const [index, seconds] of exported.timesSeconds.entries()) {
    yield [
      sinceRecordingBegan(exported, seconds),
      formatDuration(seconds),
      ...exported.channels.map(({ values }) => values[index]),
      exported.rates[index],
    ];
  }
};

const markRows = (exported: ExportedRoast): WrittenCell[][] => [
  ['Mark', 'Since charge', 'Time (s)', 'Temperature (°C)', 'Set by', 'Confidence', 'Recording time (s)'],
  ...exported.roast.marks.map((mark) => [
    markName[mark.kind],
    formatDuration(mark.time_seconds),
    mark.time_seconds,
    mark.temp,
    mark.origin,
    mark.confidence,
    sinceRecordingBegan(exported, mark.time_seconds),
  ]),
];

const channelRows = (exported: ExportedRoast): WrittenCell[][] => [
  ['Column', 'Channel', 'Name', 'Unit'],
  ...curveHead(exported.channels).map((head, place) => {
    const channel = exported.channels[place];
    return [head, channel?.name, channel?.label, channel?.unit];
  }),
];

/** A roast as a workbook: summary, curve, marks, and the recorded channel of each column. */
export const roastWorkbook = (exported: ExportedRoast, timeZone: string, formats: ReaderFormats): WrittenSheet[] => [
  { name: 'Summary', headRows: 0, widths: [28, 40], rows: summaryRows(exported, timeZone, formats) },
  {
    name: 'Curve',
    headRows: 1,
    widths: [10, 13, ...exported.channels.map(() => 17), 21],
    rows: curveRows(exported),
  },
  { name: 'Marks', headRows: 1, widths: [18, 13, 10, 18, 12, 12, 20], rows: markRows(exported) },
  { name: 'Channels', headRows: 1, widths: [24, 20, 20, 8], rows: channelRows(exported) },
];

function* listRows(rows: Uint8Array, { timeZone, heads }: RoastListTable): Generator<WrittenCell[]> {
  const moment = sheetMoments(timeZone);
  yield [...heads];
  for (const [number, startedAt, ...cells] of rowsInLines(rows)) yield [number, moment(String(startedAt)), ...cells];
}

/** A list of roasts as a workbook; `rows` are those of `gatherRoastList`. */
export const roastListWorkbook = (rows: Uint8Array, table: RoastListTable): WrittenSheet[] => [
  { name: 'Roasts', headRows: 1, widths: table.widths, rows: listRows(rows, table) },
];
