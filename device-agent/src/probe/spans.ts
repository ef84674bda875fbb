import type { RegisterTable } from '@roastery/contract/machine-map';
import type { ProbeWish } from '@roastery/contract/probe';

/** Neighbours in one request. */
export interface Span {
  readonly unit: number;
  readonly table: RegisterTable;
  readonly start: number;
  readonly count: number;
}

/** Registers per request: few enough that a small controller answers, many enough that a scan takes seconds. */
const registersAtOnce = 32;
const bitsAtOnce = 128;

/** Usual temperature registers of controllers and PLCs beside roasters, beyond the first registers. */
const usualPlaces: Record<RegisterTable, readonly number[]> = {
  holding: [138, 257, 360, 407, 440, 501, 511, 769, 820, 980, 2000, 4096, 5000, 8001, 10_404, 12_393, 18_176, 32_769],
  input: [119, 290, 360, 450, 1000, 7101, 28_675],
  coil: [],
  discrete: [],
};
const beforeUsualPlace = 1;
const registersAtUsualPlace = 8;

const atOnce = (table: RegisterTable): number =>
  table === 'coil' || table === 'discrete' ? bitsAtOnce : registersAtOnce;

/** All requests of a scan without overlaps: the given addresses first, then the usual ones. */
export const spansOf = ({ units, tables, from, count, usual_places: usual }: ProbeWish): Span[] =>
  [...new Set(units)].flatMap((unit) =>
    [...new Set(tables)].flatMap((table) => {
      const size = atOnce(table);
      const until = from + count;
      const named = Array.from({ length: Math.ceil(count / size) }, (_, index): Span => {
        const start = from + index * size;
        return { unit, table, start, count: Math.min(size, until - start) };
      });
      const others = (usual ? usualPlaces[table] : [])
        .map((place) => place - beforeUsualPlace)
        .filter((start) => start >= until || start + registersAtUsualPlace <= from)
        .map((start): Span => ({ unit, table, start, count: registersAtUsualPlace }));
      return [...named, ...others];
    }),
  );

/** Two halves of a span; none of a single address. */
export const halvesOf = (span: Span): Span[] => {
  if (span.count < 2) return [];
  const first = span.count >> 1;
  return [
    { ...span, count: first },
    { ...span, start: span.start + first, count: span.count - first },
  ];
};

/** `unit 1, holding 96 to 127` */
export const spanText = ({ unit, table, start, count }: Span): string =>
  `unit ${unit}, ${table} ${start}${count > 1 ? ` to ${start + count - 1}` : ''}`;
