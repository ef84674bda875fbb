import type { UploadChoices, UploadFormat } from '@roastery/contract/imports';
import { coldestC, hottestC } from '@roastery/roasting/units';
import { formatCount } from '../../format/format.ts';
import { completeMarks } from './complete-marks.ts';
import {
  maxColumns,
  maxReadings,
  maxSamples,
  refusedFile,
  valuesOf,
  type ImportedFacts,
  type ImportedRoast,
} from './imported-roast.ts';
import { readAlogFile } from './read-alog-file.ts';
import { readCsvFile } from './read-csv-file.ts';
import { readXlsxFile } from './read-xlsx-file.ts';

/** A day: whatever is longer is no roast, and its times would not fit a chunk. */
const maxSeconds = 86_400;
/** A roast has nine; a file may say some of them twice. */
const maxMarks = 500;

/** By what the file begins with, not by its name: a renamed file is still what it is. */
export const formatOf = (bytes: Uint8Array): UploadFormat | undefined => {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return 'xlsx';
  if (bytes.subarray(0, 4096).includes(0)) return undefined;
  const head = new TextDecoder().decode(bytes.subarray(0, 256)).trimStart();
  return head.startsWith('{') ? 'alog' : 'csv';
};

const tooManySamples = () =>
  refusedFile(`The file holds more than ${formatCount(maxSamples)} samples: cut it to one roast.`);

/** Lines of a text, counted without making them. */
const countLines = (bytes: Uint8Array): number => {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
};

/** UTF-8, else what older programs on Windows write. */
const textOf = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return new TextDecoder('windows-1252').decode(bytes);
  }
};

const read = (bytes: Uint8Array, format: UploadFormat, choices: UploadChoices) => {
  if (format === 'alog') return readAlogFile(textOf(bytes), choices);
  if (format === 'xlsx') return readXlsxFile(bytes, choices);
  if (countLines(bytes) > maxSamples + 100) throw tooManySamples();
  return readCsvFile(textOf(bytes), choices);
};

const refuseTooMuch = ({ timesSeconds, channels, marks }: ImportedRoast): void => {
  if (timesSeconds.length > maxSamples) throw tooManySamples();
  if (channels.length > maxColumns) {
    throw refusedFile(`The file holds more than ${maxColumns} curves: no roast has that many.`);
  }
  if (timesSeconds.length * channels.length > maxReadings) {
    throw refusedFile(
      `The file holds more than ${formatCount(maxReadings)} readings: cut it to one roast, or leave curves out.`,
    );
  }
  if (marks.length > maxMarks) throw refusedFile(`The file holds more than ${maxMarks} marks: cut it to one roast.`);
};

const maxFactLength = { notes: 10_000, name: 200 };

/** Texts of a file fit the fields that a person can write. */
const cutFacts = (facts: ImportedFacts): ImportedFacts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, name === 'notes' ? maxFactLength.notes : maxFactLength.name) : value,
    ]),
  ) as ImportedFacts;

/** Readings that no probe gives are missing, not measured. */
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
  return { ...roast, channels, warnings: [...roast.warnings, `${left} readings that no probe can give left out.`] };
};

const refuseEmpty = (roast: ImportedRoast): void => {
  const { timesSeconds } = roast;
  const readings = (valuesOf(roast, 'bean_temp') ?? []).filter((value) => value !== null).length;
  if (timesSeconds.length === 0) throw refusedFile('The file holds no samples, so there is no roast in it.');
  if (readings === 0)
    throw refusedFile('The file holds no reading of the bean temperature, so there is no roast in it.');
  if (readings < 10) throw refusedFile(`The file holds only ${readings} readings of the bean temperature: too few.`);
  const first = timesSeconds[0] ?? 0;
  const last = timesSeconds.at(-1) ?? 0;
  if (last - first > maxSeconds) {
    throw refusedFile('The recording is longer than a day: choose another unit of time, or cut the file.');
  }
};

/**
 * Reads a file of one roast, of whatever format it is, and completes its marks. Throws `wrong_type` or `validation` with a
 * sentence that says why it can't be taken.
 */
export const readRoastFile = async (
  bytes: Uint8Array,
  choices: UploadChoices,
): Promise<{ format: UploadFormat; roast: ImportedRoast }> => {
  if (bytes.length === 0) throw refusedFile('The file is empty.');
  const format = formatOf(bytes);
  if (format === undefined) {
    throw refusedFile('This is no file of a roast: Artisan’s .alog, CSV and XLSX can be read.');
  }
  const whole = await read(bytes, format, choices);
  refuseTooMuch(whole);
  const roast = withoutImpossibleReadings({ ...whole, facts: cutFacts(whole.facts) });
  refuseEmpty(roast);
  return { format, roast: completeMarks(roast, choices) };
};
