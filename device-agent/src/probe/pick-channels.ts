import { channelUnit, knownChannels } from '@roastery/contract/channels';
import { rankBits, rankTemperatures, type Candidate } from '@roastery/contract/decodings';
import type { PickedPlace, PickedSignal } from '@roastery/contract/map-draft';
import type { ProbeSeries } from '@roastery/contract/probe-series';
import { bitTable, candidateTable } from './candidate-table.ts';

export interface Terminal {
  /** Prompts for one line; undefined when the person quit. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly write: (text: string) => void;
}

const rowsShown = 12;
const rowsWhenMore = 60;
const temperatures = knownChannels.filter((name) => channelUnit(name) === '°C');
const channelWords: Record<string, string> = {
  bean_temp: 'the bean temperature',
  exhaust_temp: 'the exhaust temperature',
  burner_front_temp: 'the front burner temperature',
  burner_back_temp: 'the back burner temperature',
};

const help = `Number: choose the row. "3 2": row 3 with its second reading (the others are in brackets).
d 187.5: the machine's display shows 187.5 °C. w: read again. m: more rows. Enter: the machine has none.
`;

const rank = (series: ProbeSeries, shown: number | undefined): Candidate[] =>
  rankTemperatures(series.places(), shown === undefined ? {} : { shown });

/**
 * Lets a person assign rows to channels. `again` watches the registers for a while longer. Undefined when they quit.
 */
export const pickChannels = async (
  series: ProbeSeries,
  unit: number,
  terminal: Terminal,
  again: () => Promise<void>,
): Promise<PickedPlace[] | undefined> => {
  const picks: PickedPlace[] = [];
  terminal.write(help);
  for (const channel of temperatures) {
    let shown: number | undefined;
    let rows = rowsShown;
    let candidates = rank(series, shown);
    const show = (): void => terminal.write(candidateTable(candidates, unit, rows));
    if (channel === 'bean_temp') show();
    for (;;) {
      const answer = (await terminal.ask(`Which row is ${channelWords[channel] ?? channel}? `))?.trim();
      if (answer === undefined) return undefined;
      if (answer === '') break;
      const display = /^d\s+(-?\d+(?:[.,]\d+)?)$/.exec(answer)?.[1];
      if (display !== undefined || answer === 'w' || answer === 'm') {
        if (display !== undefined) shown = Number(display.replace(',', '.'));
        if (answer === 'w') await again();
        if (answer === 'm') rows = rowsWhenMore;
        candidates = rank(series, shown);
        show();
        continue;
      }
      const [, row, reading] = /^(\d+)(?:\s+(\d+))?$/.exec(answer) ?? [];
      const chosen = candidates[Number(row) - 1];
      const read = chosen?.readings[Number(reading ?? 1) - 1];
      if (!chosen || !read) {
        terminal.write(`"${answer}" is not a row of the table.\n${help}`);
        continue;
      }
      picks.push({ channel, place: chosen.place, decoding: read.decoding });
      break;
    }
  }
  return picks;
};

const signals = [
  ['charge', 'at the charge'],
  ['drop', 'at the drop'],
] as const;

/**
 * Lets a person choose the coil or discrete input for charge and drop; no prompt if there are none. `again` watches
 * them for a while longer. Undefined when the person quit.
 */
export const pickSignals = async (
  series: ProbeSeries,
  unit: number,
  terminal: Terminal,
  again: () => Promise<void>,
): Promise<PickedSignal[] | undefined> => {
  let bits = rankBits(series.places());
  if (bits.length === 0) return [];
  const picks: PickedSignal[] = [];
  let rows = rowsShown;
  const show = (): void => terminal.write(bitTable(bits, unit, rows));
  terminal.write('Bits that the machine sets. Open the charge flap, then w: which one changed?\n');
  show();
  for (const [event, words] of signals) {
    for (;;) {
      const answer = (await terminal.ask(`Which row goes up ${words}? (Enter: none) `))?.trim();
      if (answer === undefined) return undefined;
      if (answer === '') break;
      if (answer === 'w' || answer === 'm') {
        if (answer === 'w') await again();
        else rows = rowsWhenMore;
        bits = rankBits(series.places());
        show();
        continue;
      }
      const chosen = /^\d+$/.test(answer) ? bits[Number(answer) - 1] : undefined;
      if (!chosen) {
        terminal.write(
          `"${answer}" is not a row of the table. w: read again, m: more rows, Enter: the machine has none.\n`,
        );
        continue;
      }
      picks.push({ event, place: chosen.place });
      break;
    }
  }
  return picks;
};
