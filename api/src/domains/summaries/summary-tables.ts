import type { Preferences } from '@roastery/contract/auth';
import { rateCToF } from '@roastery/roasting/units';
import type { FileJob } from '../../file-reading/file-job.ts';
import { formatDays } from '../../format/format.ts';
import type { ReaderFormats } from '../../format/reader-formats.ts';
import type { Letterhead } from '../exports/letterhead.ts';
import type { PeriodSummary, SummaryFigures } from './period-summary.ts';

/** A summary to be made a file. */
export interface SummaryRequest {
  readonly summary: PeriodSummary;
  readonly format: 'pdf' | 'xlsx';
  readonly letterhead: Letterhead;
  readonly preferences: Preferences;
  /** When it was asked for. */
  readonly created: string;
}

export const makeSummary: FileJob<SummaryRequest, Uint8Array<ArrayBuffer>> = { name: 'make summary' };

/** As a person reads it, and as a program calculates with it in the unit that the first column or the head names. */
export interface SummaryCell {
  readonly text: string;
  readonly value: string | number | null;
}

export interface SummaryTable {
  readonly title: string;
  readonly heads: readonly SummaryCell[];
  readonly rows: readonly (readonly SummaryCell[])[];
  /** Instead of rows. */
  readonly empty: string;
}

const word = (text: string, unit?: string): SummaryCell => ({
  text,
  value: unit === undefined ? text : `${text} (${unit})`,
});
/** A change is only for reading: a program has both figures. */
const change = (text: string): SummaryCell => ({ text, value: null });
const signed = (text: string, value: number): string => (value > 0 ? `+${text}` : text);
const rounded = (value: number): number => Number(value.toPrecision(12));

const cell = (value: number | null, text: (value: number) => string): SummaryCell =>
  value === null ? { text: '--', value: null } : { text: text(value), value: rounded(value) };

/** How one person reads the figures. */
const cellsOf = (formats: ReaderFormats, { temperature_unit: degree }: Preferences, currency: string) => {
  const degrees = (rms: number): number => (degree === 'F' ? rateCToF(rms) : rms);
  /** Of the figures as they are shown. */
  const difference = (now: number | null, before: number | null, unit: string): SummaryCell => {
    if (now === null || before === null) return change('--');
    const shown = (Math.round(now * 10) - Math.round(before * 10)) / 10;
    return change(`${signed(formats.decimal(shown), shown)} ${unit}`);
  };
  return {
    weightUnit: formats.weightUnit,
    degreeUnit: `°${degree}`,
    weight: (kg: number | null) =>
      cell(formats.weightNumber(kg), (value) => `${formats.grouped(value, 1)} ${formats.weightUnit}`),
    count: (count: number) => cell(count, (value) => formats.grouped(value, 0)),
    money: (amount: number) => cell(amount, (value) => formats.money(value, currency)),
    deviation: (rms: number | null) =>
      cell(rms === null ? null : degrees(rms), (value) => `${formats.decimal(value)} °${degree}`),
    share: (part: number | null) => cell(part === null ? null : part * 100, (value) => formats.percent(value / 100)),
    growth: (now: number, before: number | null) =>
      change(before === null || before === 0 ? '--' : signed(formats.percent((now - before) / before), now - before)),
    points: (now: number | null, before: number | null) => difference(now && now * 100, before && before * 100, 'pts'),
    degrees: (now: number | null, before: number | null) =>
      difference(now && degrees(now), before && degrees(before), `°${degree}`),
  };
};

/** The tables of a summary, as one person reads them: the same in every format. */
export const summaryTables = (summary: PeriodSummary, formats: ReaderFormats, preferences: Preferences) => {
  const { date_language: region } = preferences;
  const { figures, earlier, currency } = summary;
  const cells = cellsOf(formats, preferences, currency);
  const { weight, count, money, deviation, share, growth } = cells;
  const days = formatDays(summary.days, region);
  const before = earlier && formatDays(earlier.days, region);
  const heads = (unit?: string): SummaryCell[] => [
    word(days, unit),
    ...(before === null ? [] : [word(before, unit), change('Change')]),
  ];
  const row = (
    name: SummaryCell,
    of: (figures: SummaryFigures) => SummaryCell,
    changed: (then: SummaryFigures) => SummaryCell,
  ): SummaryCell[] => [name, of(figures), ...(earlier === null ? [] : [of(earlier.figures), changed(earlier.figures)])];
  const overview: SummaryTable = {
    title: 'Overview',
    heads: [word(''), ...heads()],
    rows: [
      row(
        word('Roasted', cells.weightUnit),
        ({ kg }) => weight(kg),
        ({ kg }) => growth(figures.kg, kg),
      ),
      row(
        word('Roasts'),
        ({ roasts }) => count(roasts),
        ({ roasts }) => growth(figures.roasts, roasts),
      ),
      row(
        word('Green coffee used', cells.weightUnit),
        ({ green_kg: kg }) => weight(kg),
        ({ green_kg: kg }) => growth(figures.green_kg, kg),
      ),
      row(
        word('Cost of green coffee', currency),
        ({ cost }) => money(cost),
        ({ cost }) => growth(figures.cost, cost),
      ),
      row(
        word('Weight loss', '%'),
        ({ loss }) => share(loss),
        ({ loss }) => cells.points(figures.loss, loss),
      ),
      row(
        word('Deviation from the reference', cells.degreeUnit),
        (then) => deviation(then.deviation),
        (then) => cells.degrees(figures.deviation, then.deviation),
      ),
    ],
    empty: '',
  };
  const coffees: SummaryTable = {
    title: 'Top coffees',
    heads: [word('Coffee'), word('Roasts'), ...heads(cells.weightUnit)],
    rows: summary.coffees.map(({ name, kg, roasts, earlierKg }) => [
      word(name ?? 'Without a coffee'),
      count(roasts),
      weight(kg),
      ...(earlier === null ? [] : [weight(earlierKg), growth(kg, earlierKg)]),
    ]),
    empty: 'No roasts.',
  };
  const recipes: SummaryTable = {
    title: 'Consistency: the recipes that deviate most from their reference',
    heads: [word('Recipe'), word('Compared'), ...heads(cells.degreeUnit)],
    rows: summary.recipes.map(({ name, compared, deviation: rms, earlierDeviation }) => [
      word(name),
      count(compared),
      deviation(rms),
      ...(earlier === null ? [] : [deviation(earlierDeviation), cells.degrees(rms, earlierDeviation)]),
    ]),
    empty: 'No recipe has two roasts to compare.',
  };
  const lots: SummaryTable = {
    title: 'Runs out within 30 days, at the use of the last 30',
    heads: [word('Coffee'), word('Lot'), word('In stock', cells.weightUnit), word('Days left')],
    rows: summary.lots.map((lot) => [
      word(lot.coffee_name),
      word(lot.lot_number),
      weight(lot.current_weight),
      count(Math.floor(lot.estimated_runout_days ?? 0)),
    ]),
    empty: 'Nothing.',
  };
  const unpriced = weight(figures.kg_without_cost).text;
  return {
    days,
    before,
    tables: [overview, coffees, recipes, lots],
    /** Below the overview. */
    note: figures.kg_without_cost > 0 ? `Without the cost of ${unpriced} from lots that have no price.` : null,
  };
};
