import { addressText, decodingText, type BitCandidate, type Candidate } from '@roastery/contract/decodings';

const bars = '▁▂▃▄▅▆▇█';
const barsShown = 12;

/** The newest values as a sparkline; flat if they did not change. */
export const sparkline = (values: readonly number[]): string => {
  const shown = values.slice(-barsShown);
  const low = Math.min(...shown);
  const span = Math.max(...shown) - low;
  return shown.map((value) => bars[span === 0 ? 0 : Math.round(((value - low) / span) * (bars.length - 1))]).join('');
};

const otherReadings = 3;
const signed = (change: number): string => `${change > 0 ? '+' : change < 0 ? '−' : '±'}${Math.abs(change).toFixed(1)}`;

/**
 * Candidates for a terminal: number, address, value, change since the scan began, sparkline, decoding, and alternative
 * decodings.
 */
export const candidateTable = (candidates: readonly Candidate[], unit: number, rows: number): string => {
  const lines = candidates.slice(0, rows).map(({ place, readings: [best, ...others] }, index) => {
    const value = best.values.at(-1) ?? Number.NaN;
    const change = value - (best.values[0] ?? value);
    const cells = [
      String(index + 1).padStart(3),
      addressText(place, unit).padEnd(10),
      `${value.toFixed(1)} °C`.padStart(9),
      signed(change).padStart(7),
      sparkline(best.values).padEnd(barsShown),
      decodingText(best.decoding).padEnd(16),
    ];
    const also = others
      .slice(0, otherReadings)
      .map(({ decoding, values }) => `${decodingText(decoding)}: ${values.at(-1)?.toFixed(1)}`);
    return `${cells.join('  ')}${also.length > 0 ? `  (${also.join('; ')})` : ''}`.trimEnd();
  });
  return lines.length === 0
    ? '  no register that could be a temperature\n'
    : `    #  register        now   change  curve         read as\n${lines.join('\n')}\n`;
};

/** Coils and discrete inputs for a terminal: number, address, present value, how often it changed, and when. */
export const bitTable = (bits: readonly BitCandidate[], unit: number, rows: number): string => {
  const lines = bits
    .slice(0, rows)
    .map(({ place, changes }, index) =>
      [
        String(index + 1).padStart(3),
        addressText(place, unit).padEnd(10),
        String(place.words.at(-1)).padStart(3),
        String(changes).padStart(7),
        sparkline(place.words),
      ].join('  '),
    );
  return `    #  bit         now  changes  curve\n${lines.join('\n')}\n`;
};
