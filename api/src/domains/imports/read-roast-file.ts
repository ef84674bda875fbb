import type { UploadFormat } from '@roastery/contract/imports';
import { parseShape } from '@roastery/contract/parse-shape';
import { roastFieldsShape } from '@roastery/contract/roasts';
import { coldestC, hottestC } from '@roastery/roasting/units';
import { formatCount } from '../../format/format.ts';
import { writeCsv } from '../../sheets/csv.ts';
import { completeMarks } from './complete-marks.ts';
import { sheetsOf, tooManySamples } from './file-content.ts';
import { recogniseFormat } from './formats/formats.ts';
import {
  lacksColumns,
  maxColumns,
  maxReadings,
  maxSamples,
  refusedFile,
  valuesOf,
  type ImportedFacts,
  type ImportedRoast,
  type ReadingChoices,
} from './imported-roast.ts';
import type { RoastFileFormat } from './roast-file-format.ts';

/** A day: a longer recording is not a roast, and its times would not fit a chunk. */
const maxSeconds = 86_400;
/** A roast has nine marks; a file may repeat some. */
const maxMarks = 500;

const refuseTooMuch = ({ timesSeconds, channels, marks }: ImportedRoast): void => {
  if (timesSeconds.length > maxSamples) throw tooManySamples();
  if (channels.length > maxColumns) {
    throw refusedFile(`The file has more than ${maxColumns} curves, too many for a roast.`);
  }
  if (timesSeconds.length * channels.length > maxReadings) {
    throw refusedFile(
      `The file has more than ${formatCount(maxReadings)} readings. Reduce it to one roast, or remove curves.`,
    );
  }
  if (marks.length > maxMarks) throw refusedFile(`The file has more than ${maxMarks} marks. Reduce it to one roast.`);
};

const maxFactLength = { notes: 10_000, name: 200 };

/** Texts of a file are cut to the limits of the fields. */
const cutFacts = (facts: ImportedFacts): ImportedFacts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, name === 'notes' ? maxFactLength.notes : maxFactLength.name) : value,
    ]),
  ) as ImportedFacts;

const limited = ['color', 'cupping_score', 'batch_size_kg', 'end_weight_kg'] as const;
const limitedWords: Record<(typeof limited)[number], string> = {
  color: 'color',
  cupping_score: 'cupping score',
  batch_size_kg: 'batch weight',
  end_weight_kg: 'roasted weight',
};

/** Numbers that the fields of a roast do not take are left out, with a remark: a form and an import of many files take the same. */
const withinFields = (roast: ImportedRoast): ImportedRoast => {
  const outside = limited.filter((name) => !parseShape(roastFieldsShape.shape[name], roast.facts[name]).success);
  if (outside.length === 0) return roast;
  const facts = { ...roast.facts, ...Object.fromEntries(outside.map((name) => [name, null])) };
  const remarks = outside.map(
    (name) => `The ${limitedWords[name]} of the file, ${roast.facts[name]}, is impossible: left out.`,
  );
  return { ...roast, facts, warnings: [...roast.warnings, ...remarks] };
};

/** Readings outside a probe's range are missing. */
const withoutImpossibleReadings = (roast: ImportedRoast): ImportedRoast => {
  let left = 0;
  const channels = roast.channels.map((channel) => ({
    ...channel,
    values: channel.values.map((value) => {
      const isSound = value === null || channel.unit !== '°C' || (value > coldestC && value < hottestC);
      if (isSound && (value === null || Math.abs(value) < 1e6)) return value;
      left += 1;
      return null;
    }),
  }));
  if (left === 0) return roast;
  return { ...roast, channels, warnings: [...roast.warnings, `${left} impossible readings: skipped.`] };
};

const refuseEmpty = (roast: ImportedRoast): void => {
  const { timesSeconds } = roast;
  const readings = (valuesOf(roast, 'bean_temp') ?? []).filter((value) => value !== null).length;
  if (timesSeconds.length === 0) throw refusedFile('The file has no samples, so it contains no roast.');
  if (readings === 0) throw refusedFile('The file has no bean temperature readings, so it contains no roast.');
  if (readings < 10) throw refusedFile(`The file has only ${readings} bean temperature readings, too few for a roast.`);
  const first = timesSeconds[0] ?? 0;
  const last = timesSeconds.at(-1) ?? 0;
  if (last - first > maxSeconds) {
    throw refusedFile('The recording is longer than a day. Choose another time unit, or shorten the file.');
  }
};

/** A program's text that was opened in a spreadsheet and saved as a workbook: its one sheet as text again. */
const textOfSheet = async (bytes: Uint8Array): Promise<Uint8Array | undefined> => {
  const [sheet, ...others] = (await sheetsOf(bytes)).filter(({ rows }) => rows.length > 0);
  if (sheet === undefined || others.length > 0 || sheet.rows.length > maxSamples) return undefined;
  const rows = sheet.rows.map((row) =>
    Array.from(row, (cell) => (cell instanceof Date ? cell.toISOString().slice(0, 19) : cell)),
  );
  return new TextEncoder().encode(writeCsv(rows));
};

/** The format that reads the file, and the bytes that it reads. */
const readerOf = async (bytes: Uint8Array): Promise<{ known: RoastFileFormat; bytes: Uint8Array } | undefined> => {
  const known = await recogniseFormat(bytes);
  const text = known?.format === 'xlsx' ? await textOfSheet(bytes) : undefined;
  const ofText = text && (await recogniseFormat(text));
  if (text !== undefined && ofText !== undefined && ofText.format !== 'csv') return { known: ofText, bytes: text };
  return known && { known, bytes };
};

/**
 * Reads a file of one roast, of any format, and completes its marks. A table whose columns have to be assigned has no samples.
 * Throws `wrong_type` or `validation` with a sentence that says why it can't be imported.
 */
export const readRoastFile = async (
  bytes: Uint8Array,
  choices: ReadingChoices,
): Promise<{ format: UploadFormat; roast: ImportedRoast }> => {
  if (bytes.length === 0) throw refusedFile('The file is empty.');
  const reader = await readerOf(bytes);
  if (reader === undefined) {
    throw refusedFile('This file can’t be read as a roast: it is neither text nor a workbook.');
  }
  const { known } = reader;
  const whole = await known.read(reader.bytes, choices);
  refuseTooMuch(whole);
  const roast = withoutImpossibleReadings(withinFields({ ...whole, facts: cutFacts(whole.facts) }));
  if (lacksColumns(roast)) return { format: known.format, roast };
  refuseEmpty(roast);
  return { format: known.format, roast: completeMarks(roast, choices) };
};
