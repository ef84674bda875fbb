/** One figure of a bench. Computers differ, so the ratio to something measured in the same run is what counts. */
export interface Measurement {
  what: string;
  value: number;
  /** As written after the figure: `ms`, `samples/s`, `MB`, `% of a core`. */
  unit: string;
  /** The same work by another method, in the same unit, in this run. */
  against?: { what: string; value: number };
  /** The aim: of the value, or of value ÷ against. */
  aim?: { of: 'value' | 'ratio'; atMost: number } | { of: 'value' | 'ratio'; atLeast: number };
}

/**
 * A bench is a file in `benches/` whose default export is one of these:
 * `export default { title, run } satisfies Bench`. It runs in a process of its own.
 */
export interface Bench {
  title: string;
  /** Takes so long that `npm run bench` alone leaves it out. */
  onlyWhenNamed?: boolean;
  /** A missed aim is a failure of `npm run bench`, not only a remark in the table. */
  mustReach?: boolean;
  /** @param say prints progress */
  run(say: (line: string) => void): Promise<Measurement[]>;
}

/** The figure of an aim, and whether it is reached; `undefined` without an aim. */
export function judge(measurement: Measurement): { figure: number; reached: boolean } | undefined {
  const { aim, value, against } = measurement;
  if (aim === undefined) return undefined;
  const figure = aim.of === 'value' ? value : value / (against?.value ?? Number.NaN);
  return { figure, reached: 'atMost' in aim ? figure <= aim.atMost : figure >= aim.atLeast };
}

/** A table for the terminal, columns aligned, one row per measurement. */
export function benchTable(measurements: readonly Measurement[]): string {
  const rows = measurements.map((measurement) => {
    const { what, value, unit, against, aim } = measurement;
    const verdict = judge(measurement);
    return [
      what,
      `${figure(value)} ${unit}`,
      against === undefined ? '' : `${figure(against.value)} ${unit} (${against.what})`,
      against === undefined ? '' : `${figure(value / against.value)} ×`,
      aim === undefined
        ? ''
        : `${'atMost' in aim ? `≤ ${figure(aim.atMost)}` : `≥ ${figure(aim.atLeast)}`}${aim.of === 'ratio' ? ' ×' : ''}`,
      verdict === undefined ? '' : verdict.reached ? 'reached' : 'MISSED',
    ];
  });
  const table = [['what', 'measured', 'against', 'ratio', 'aim', ''], ...rows];
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Three significant digits, and thousands in groups. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/**
 * The value below which `share` of the samples lie (nearest rank).
 * @param samples in any order, at least one
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}
