import { channelUnit } from '@roastery/contract/channels';
import { type MarkKind, markKinds } from '@roastery/roasting/marks';
import type { Reading } from '@roastery/roasting/curves/series';
import { formatDuration, parseMassUnit, toKg } from '@roastery/roasting/units';
import type { SheetRows } from '../../../sheets/read-workbook.ts';
import { assembleRoast, type FileCurve } from '../assemble-roast.ts';
import { sheetsOf } from '../file-content.ts';
import { type ImportedBatch, refusedFile } from '../imported-roast.ts';
import { momentInCell } from '../moments.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn } from '../table-cells.ts';
import type { TableRow } from '../table-layout.ts';
import {
  curveKindOf,
  curveName,
  exhaustSheet,
  generalNames,
  isCurveSheet,
  markWords,
  plainWord,
} from './cropster-words.ts';

/** Columns of the first sheet that have never moved, for languages with unknown terms. */
const generalPlaces = { lot: 1, profile: 2, machine: 3, operator: 4, date: 7 } as const;

const generalWords = new Set(Object.values(generalNames).flat());

/** Cropster writes the sheets of the roast and of its comments first; a person may have moved them. */
const sheetsBeside = (sheets: readonly SheetRows[]) => {
  const others = sheets.filter(({ name }) => !isCurveSheet(name));
  const general =
    others.find(({ rows }) => (rows[0] ?? []).filter((head) => generalWords.has(plainWord(textIn(head)))).length > 1) ??
    others[0];
  return { general, comments: others.find((sheet) => sheet !== general && (sheet.rows[0]?.length ?? 0) > 2) };
};

/** The sheet of the roast as a whole: heads in its first row, this roast in its second. */
const generalOf = (sheet: SheetRows | undefined) => {
  const [heads = [], values = []] = sheet?.rows ?? [];
  const words = heads.map((head) => plainWord(textIn(head)));
  const cell = (name: keyof typeof generalNames) => {
    const place = words.findIndex((word) => generalNames[name].includes(word));
    const fixed = name in generalPlaces ? generalPlaces[name as keyof typeof generalPlaces] : -1;
    return values[place >= 0 ? place : fixed];
  };
  return {
    cell,
    text: (name: keyof typeof generalNames): string | null => textIn(cell(name)) || null,
    id: textIn(values[0]),
  };
};

/** `PR-0007` → `PR-000` and 7: its zeros stand on the bags, too. */
const batchOf = (id: string): ImportedBatch | null => {
  const found = /^(\D{0,20}0*)([1-9]\d{0,8})$/.exec(id);
  return found === null ? null : { prefix: found[1] ?? '', number: Number(found[2]) };
};

/** Seconds and readings of a sheet of one curve. */
const samplesIn = (rows: readonly TableRow[]) =>
  rows.slice(1).flatMap((row) => {
    const [seconds, value] = [numberIn(row[0]), numberIn(row[1])];
    return seconds === null ? [] : [{ seconds, value }];
  });

const isFahrenheit = ({ rows }: SheetRows): boolean => /fahrenheit|°\s*F/i.test(textIn(rows[0]?.[1]));

const weightIn = (value: number | null, unit: string | null): number | null => {
  const known = parseMassUnit(unit ?? 'kg');
  return value === null || value <= 0 || known === null ? null : toKg(value, known);
};

interface Comment {
  readonly seconds: number;
  readonly kind: MarkKind | undefined;
  readonly text: string;
}

/** Time, temperature, kind and value of a comment. */
const commentsIn = (sheet: SheetRows | undefined): Comment[] => {
  const rows = sheet?.rows.slice(1) ?? [];
  return rows.flatMap((row) => {
    const seconds = numberIn(row[0]);
    const word = textIn(row[2]);
    if (seconds === null || word === '') return [];
    const kind = markKinds.find((one) => markWords[one]?.includes(plainWord(word)));
    return [{ seconds, kind, text: [word, textIn(row[3])].filter((text) => text !== '').join(' ') }];
  });
};

/** Cropster: a workbook with a sheet for the roast, one for comments and one for each curve, in the user's language. */
export const cropster: RoastFileFormat = {
  format: 'cropster',
  recognise: async (bytes) => {
    const names = (await sheetsOf(bytes)).map(({ name }) => name);
    return names.some((name) => isCurveSheet(name) && curveKindOf(name) === 'bean_temp') ? 'certain' : 'no';
  },
  read: async (bytes, choices) => {
    const sheets = await sheetsOf(bytes);
    const curveSheets = sheets.filter(({ name }) => isCurveSheet(name));
    const beanSheet = curveSheets.find(({ name }) => curveKindOf(name) === 'bean_temp');
    if (beanSheet === undefined) throw refusedFile('The workbook has no sheet with a bean temperature.');
    const samples = samplesIn(beanSheet.rows);
    const timesSeconds = samples.map(({ seconds }) => seconds);
    const exhaust = exhaustSheet(curveSheets.map(({ name }) => name));
    const curves = curveSheets.map((sheet): FileCurve => {
      const bySecond = new Map(samplesIn(sheet.rows).map(({ seconds, value }) => [seconds, value]));
      const values = timesSeconds.map((seconds): Reading => bySecond.get(seconds) ?? null);
      const is = sheet.name === exhaust ? 'exhaust_temp' : curveKindOf(sheet.name);
      const known = is === 'temperature' || is === 'other' ? {} : { is };
      const unit = is === 'other' ? '' : is === 'temperature' ? '°C' : channelUnit(is);
      return { label: curveName(sheet.name), unit, values, ...known };
    });
    const beside = sheetsBeside(sheets);
    const comments = commentsIn(beside.comments);
    const marks = comments.flatMap(({ kind, seconds }) => (kind === undefined ? [] : [{ kind, timeSeconds: seconds }]));
    const notes = comments
      .filter(({ kind }) => kind === undefined)
      .map(({ seconds, text }) => `${formatDuration(seconds)} ${text}`);
    const general = generalOf(beside.general);
    const weightUnit = general.text('startUnit') ?? general.text('endUnit');
    const color = numberIn(general.cell('groundColor')) || numberIn(general.cell('wholeColor')) || null;
    return assembleRoast(
      {
        timesSeconds,
        curves,
        marks: [
          { kind: 'charge', timeSeconds: timesSeconds.find((seconds) => seconds >= 0) ?? 0 },
          ...marks.filter(({ kind }) => kind !== 'charge'),
          ...(marks.some(({ kind }) => kind === 'drop')
            ? []
            : [{ kind: 'drop' as const, timeSeconds: timesSeconds.at(-1) ?? 0 }]),
        ],
        facts: {
          coffee_name: general.text('lot'),
          profile_name: general.text('profile'),
          machine_name: general.text('machine'),
          roasted_by: general.text('operator'),
          batch_size_kg: weightIn(numberIn(general.cell('startWeight')), weightUnit),
          end_weight_kg: weightIn(numberIn(general.cell('endWeight')), general.text('endUnit') ?? weightUnit),
          color: color !== null && color > 0 && color <= 200 ? color : null,
          cupping_score: numberIn(general.cell('score')) || null,
          notes:
            [general.text('roastingNotes'), general.text('cuppingNotes'), notes.join('\n')]
              .filter((text) => text !== null && text !== '')
              .join('\n\n') || null,
        },
        batch: batchOf(general.id),
        recordedAt: momentInCell(general.cell('date'), 'dmy'),
        temperatureUnit: isFahrenheit(beanSheet) ? 'F' : 'C',
      },
      choices,
    );
  },
};
