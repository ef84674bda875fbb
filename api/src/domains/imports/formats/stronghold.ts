import type { Reading } from '@roastery/roasting/curves/series';
import type { SheetRows } from '../../../sheets/read-workbook.ts';
import { assembleRoast, type FileCurve } from '../assemble-roast.ts';
import { sheetsOf } from '../file-content.ts';
import { refusedFile } from '../imported-roast.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn, textIn, timeIn } from '../table-cells.ts';

type Column = Omit<FileCurve, 'values'> & { readonly stepsOfTen?: true };
interface Model {
  readonly name: string;
  /** The content of each column after the time; undefined for a rate of rise and for the notes. */
  readonly columns: readonly (Column | undefined)[];
}

const internal: Column = { label: 'Internal', unit: '°C', is: 'exhaust_temp' };
const bean = (label: string): Column => ({ label, unit: '°C', is: 'bean_temp' });
const drumSurface: Column = { label: 'Drum surface', unit: '°C' };
const hotAirTemp: Column = { label: 'Hot air temp', unit: '°C' };
/** Outputs are set in steps of 0 to 10. */
const hotAir: Column = { label: 'Hot air', unit: '%', is: 'heat_power', stepsOfTen: true };
const halogen: Column = { label: 'Halogen', unit: '%', stepsOfTen: true };
const drumHeater: Column = { label: 'Drum heater', unit: '%', stepsOfTen: true };
const agitation: Column = { label: 'Bean agitation', unit: '%', is: 'drum_speed', stepsOfTen: true };
const blower: Column = { label: 'Blower', unit: '%', is: 'fan_speed', stepsOfTen: true };

const fourProbes = [internal, bean('Bean surface'), drumSurface, hotAirTemp, undefined, undefined];
const threeHeaters = [hotAir, halogen, drumHeater, agitation];

/** The heads are translated, and people edit them: a model is identified by the number of its columns, time and notes included. */
const models: Readonly<Record<number, Model>> = {
  9: { name: 'S7 Pro', columns: [internal, bean('Tower drum'), hotAirTemp, undefined, hotAir, halogen, agitation] },
  10: {
    name: 'S2',
    columns: [internal, bean('Bean surface'), hotAirTemp, undefined, undefined, hotAir, halogen, agitation],
  },
  12: {
    name: 'S7X',
    columns: [...fourProbes, ...threeHeaters],
  },
  13: {
    name: 'S8X or S9X',
    columns: [...fourProbes, ...threeHeaters, blower],
  },
};

const modelOf = (sheets: readonly SheetRows[]): Model | undefined => models[sheets[0]?.rows[0]?.length ?? 0];

const clockOf = (cell: SheetRows['rows'][number][number] | undefined): number | null => {
  const time = timeIn(cell);
  return time?.isClock === true ? time.value : null;
};

/** Stronghold: a workbook with one sheet, one row per second, the last column for notes (`1st` is the first crack). */
export const stronghold: RoastFileFormat = {
  format: 'stronghold',
  recognise: async (bytes) => {
    const sheets = await sheetsOf(bytes);
    const [heads = [], first = [], second = []] = sheets[0]?.rows ?? [];
    if (modelOf(sheets) === undefined || clockOf(first[0]) === null || clockOf(second[0]) === null) return 'no';
    const words = heads.map((head) => textIn(head).toLowerCase());
    if (words.some((word) => word === 'halogen') || words.some((word) => word === 'bean agitation')) return 'certain';
    const isShape =
      first.slice(1, 4).every((cell) => numberIn(cell) !== null) && words.filter((w) => /ror/.test(w)).length > 0;
    return isShape ? 'certain' : 'no';
  },
  read: async (bytes, choices) => {
    const sheets = await sheetsOf(bytes);
    const model = modelOf(sheets);
    if (model === undefined) throw refusedFile('The workbook has no Stronghold columns.');
    const rows = (sheets[0]?.rows ?? []).slice(1).filter((row) => clockOf(row[0]) !== null);
    const timesSeconds = rows.map((row) => clockOf(row[0]) ?? 0);
    const curves = model.columns.flatMap((column, place): FileCurve[] => {
      if (column === undefined) return [];
      const { stepsOfTen, ...curve } = column;
      const values = rows.map((row): Reading => {
        const number = numberIn(row[place + 1]);
        return number === null ? null : number * (stepsOfTen ? 10 : 1);
      });
      return [{ ...curve, values }];
    });
    const crack = rows.findIndex((row) => /^1st/i.test(textIn(row[model.columns.length + 1])));
    const crackSeconds = timesSeconds[crack];
    return assembleRoast(
      {
        timesSeconds,
        curves,
        marks: [
          { kind: 'charge', timeSeconds: timesSeconds[0] ?? 0 },
          ...(crackSeconds === undefined ? [] : [{ kind: 'first_crack' as const, timeSeconds: crackSeconds }]),
          { kind: 'drop', timeSeconds: timesSeconds.at(-1) ?? 0 },
        ],
        facts: { machine_name: `Stronghold ${model.name}` },
        temperatureUnit: 'C',
      },
      choices,
    );
  },
};
