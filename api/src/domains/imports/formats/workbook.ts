import { channelUnits } from '@roastery/contract/channels';
import { kgOfTyped, parseMassUnit } from '@roastery/roasting/units';
import { markOrigins, type Mark } from '@roastery/roasting/marks';
import type { SheetRows } from '../../../sheets/read-workbook.ts';
import { labelWithoutUnit } from '../channel-names.ts';
import { cutName } from '../head-vocabulary.ts';
import { isWorkbook, sheetsOf } from '../file-content.ts';
import {
  noFacts,
  timeOfRecording,
  type ImportedChannel,
  type ImportedFacts,
  type ReadingChoices,
} from '../imported-roast.ts';
import { type FileMoment, momentIn } from '../moments.ts';
import { readTable } from '../read-table.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn } from '../table-cells.ts';
import { markNamed } from '../mark-names.ts';
import { findTable, isComplete } from '../table-layout.ts';
import { headInRows, withoutUnsetMarks } from './artisan-table.ts';

/** Rows of a summary: a word, and its meaning for the roast. */
const factNames: Readonly<Record<string, keyof ImportedFacts>> = {
  coffee: 'coffee_name',
  'coffee name': 'coffee_name',
  bean: 'coffee_name',
  beans: 'coffee_name',
  origin: 'coffee_origin',
  process: 'coffee_process',
  machine: 'machine_name',
  roaster: 'machine_name',
  'roasted by': 'roasted_by',
  operator: 'roasted_by',
  profile: 'profile_name',
  recipe: 'profile_name',
  roast: 'roast_number',
  'roast level': 'roast_level',
  batch: 'batch_size_kg',
  'roasted weight': 'end_weight_kg',
  // Its name in earlier workbooks.
  'end weight': 'end_weight_kg',
  color: 'color',
  'cupping score': 'cupping_score',
  notes: 'notes',
};
/** `Batch (lb)` in kg; without a unit it is kg. */
const weightIn = (label: string, value: number | null): number | null => {
  const unit = parseMassUnit(/\(([^()]*)\)/.exec(label)?.[1] ?? 'kg');
  return value === null || unit === null ? value : kgOfTyped(value, unit);
};

const numberFacts = new Set<keyof ImportedFacts>(['batch_size_kg', 'end_weight_kg', 'color', 'cupping_score']);

interface Summary {
  readonly facts: ImportedFacts;
  readonly recordedAt: FileMoment | null;
}

const readSummary = (sheets: readonly SheetRows[]): Summary => {
  const rows = sheets.find(({ name }) => /^summary$/i.test(name.trim()))?.rows ?? [];
  let facts = noFacts;
  let recordedAt: FileMoment | null = null;
  for (const [label, value] of rows) {
    const name = cutName(textIn(label))
      .replace(/\(.*\)/, '')
      .trim()
      .toLowerCase();
    const text = textIn(value);
    if (text === '') continue;
    if (name === 'recording began') recordedAt = momentIn(text, 'ymd');
    const fact = factNames[name];
    if (fact !== undefined) {
      const number = numberFacts.has(fact) ? numberIn(value) : null;
      const isWeight = fact === 'batch_size_kg' || fact === 'end_weight_kg';
      const read = isWeight ? weightIn(cutName(textIn(label)), number) : numberFacts.has(fact) ? number : text;
      facts = { ...facts, [fact]: read };
    }
  }
  return { facts, recordedAt };
};

/** Our own sheet of marks: a mark, its time in the recording, its temperature and its origin, one row each. */
const readMarks = (sheets: readonly SheetRows[]): Mark[] => {
  const rows = sheets.find(({ name }) => /^marks$/i.test(name.trim()))?.rows ?? [];
  const head = rows[0]?.map((cell) => textIn(cell).toLowerCase()) ?? [];
  const place = (name: string) => head.findIndex((cell) => cell.startsWith(name));
  const [time, temp, origin, confidence] = ['recording time', 'temperature', 'set by', 'confidence'].map(place);
  return rows.slice(1).flatMap((row) => {
    const kind = markNamed(textIn(row[0]));
    const timeSeconds = numberIn(row[time ?? -1]);
    if (kind === undefined || timeSeconds === null) return [];
    return [
      {
        kind,
        timeSeconds,
        tempC: numberIn(row[temp ?? -1]),
        origin: markOrigins.find((known) => known === textIn(row[origin ?? -1])) ?? 'person',
        confidence: numberIn(row[confidence ?? -1]) ?? 1,
        provisional: false,
      },
    ];
  });
};

/** Our own sheet of channels: the name of each column of the curve in the recording. */
const renamed = (channels: readonly ImportedChannel[], sheets: readonly SheetRows[]): ImportedChannel[] => {
  const rows = sheets.find(({ name }) => /^channels$/i.test(name.trim()))?.rows ?? [];
  const named = new Map(rows.slice(1).map(([head, name, label, unit]) => [textIn(head), { name, label, unit }]));
  return channels.map((channel) => {
    const own = named.get(channel.label);
    const name = textIn(own?.name);
    if (own === undefined || !/^[a-z][a-z0-9_]{0,39}$/.test(name)) {
      return { ...channel, label: labelWithoutUnit(channel.label) };
    }
    const unit = channelUnits.find((known) => known === textIn(own.unit)) ?? '';
    return { ...channel, name, label: textIn(own.label) || channel.label, unit };
  });
};

/** The sheet with the readings: one whose columns are known before one whose columns have to be assigned. */
const tableIn = (sheets: readonly SheetRows[], choices: ReadingChoices): SheetRows | undefined => {
  const found = sheets.flatMap((sheet) => {
    const layout = findTable(sheet.rows, choices);
    return layout === undefined ? [] : [{ sheet, layout }];
  });
  return (found.find(({ layout }) => isComplete(layout)) ?? found[0])?.sheet ?? sheets[0];
};

/** A workbook of one roast: the sheet with a table of readings, a summary and a list of marks. */
export const workbook: RoastFileFormat = {
  format: 'xlsx',
  recognise: (bytes) => (isWorkbook(bytes) ? 'possible' : 'no'),
  read: async (bytes, choices) => {
    const sheets = await sheetsOf(bytes);
    const table = tableIn(sheets, choices);
    const artisan = headInRows(table?.rows ?? []);
    const { recordedAt, ...curve } = readTable(table?.rows ?? [], choices, artisan);
    const ofCurve = artisan === undefined ? curve.marks : withoutUnsetMarks(curve.marks, curve.timesSeconds);
    const marks = readMarks(sheets);
    const summary = readSummary(sheets);
    return {
      ...curve,
      channels: renamed(curve.channels, sheets),
      marks: marks.length > 0 ? marks : ofCurve,
      batch: null,
      facts: summary.facts,
      ...timeOfRecording(artisan?.recordedAt ?? summary.recordedAt ?? recordedAt, choices),
    };
  },
};
