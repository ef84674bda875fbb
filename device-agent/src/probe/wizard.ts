import { machineMapShape, type Link, type MachineMap } from '@roastery/contract/machine-map';
import { channelChanges, draftMap, type PickedPlace, type PickedSignal } from '@roastery/contract/map-draft';
import { parseShape } from '@roastery/contract/parse-shape';
import type { ProbeBlock, ProbeWish } from '@roastery/contract/probe';
import { rankBits, rankTemperatures } from '@roastery/contract/decodings';
import { createProbeSeries } from '@roastery/contract/probe-series';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { writeFileAtomically } from '../atomic-file.ts';
import { createBus } from '../machine/bus.ts';
import { LinkError } from '../machine/line-port.ts';
import { createReader } from '../machine/reader.ts';
import { bitTable, candidateTable } from './candidate-table.ts';
import { findLine, linkLabel, type FindProgress, type FoundLine } from './find-line.ts';
import { scanRegisters, probeTiming, watchRegisters } from './scan-registers.ts';
import { pickChannels, pickSignals, type Terminal } from './pick-channels.ts';

export interface WizardParts {
  readonly link: Link;
  readonly wish: ProbeWish;
  /** Try the usual speeds, parities and units first. */
  readonly find: boolean;
  readonly watchSeconds: number;
  /** The temperature on the machine's display, °C. */
  readonly shown: number | undefined;
  /** The map in use. */
  readonly base: MachineMap | undefined;
  /** Path of the new map. */
  readonly out: string;
  /** Without a terminal: prints the findings without prompts. */
  readonly terminal: Terminal & { readonly interactive: boolean };
  readonly signal: AbortSignal;
  readonly proofSeconds?: number;
  readonly clock?: Clock;
}

const roundMs = 1000;
const rowsShown = 12;

const noAnswerText = (link: Link, reason: string): string =>
  link.kind === 'tcp' || link.kind === 'rtu-over-tcp'
    ? `The machine at ${linkLabel(link)} does not answer (${reason}). Check its power, cable and address. Units and framing: try --find, or --framing rtu for a serial converter.\n`
    : `No unit answers on ${linkLabel(link)} (${reason}). Check the machine’s power and the adapter, and whether A and B are swapped. Try --find for other speeds and units.\n`;

const notFoundText = (link: Link): string =>
  link.kind === 'tcp' || link.kind === 'rtu-over-tcp'
    ? `No usual unit answers at ${link.host}:${link.port}. Check the machine’s power and address. Behind a serial converter: --framing rtu; another unit: --unit 17 --find.\n`
    : `No unit answers on ${link.path} at any usual speed and parity. Check the machine’s power, its adapter, and whether A and B are swapped. A unit above 10: --unit 17 --find.\n`;

const changeLines = (base: MachineMap | undefined, draft: MachineMap): string =>
  channelChanges(base, draft)
    .map(({ channel, before, after }) =>
      [
        before === undefined ? '' : `  - ${channel}: ${before}\n`,
        after === undefined ? '' : `  + ${channel}: ${after}\n`,
      ].join(''),
    )
    .join('');

/** Reads with a map for a while and prints the values. Returns whether the bean temperature had a value. */
const prove = async (
  map: MachineMap,
  { terminal, signal, proofSeconds = 10, clock = realClock }: WizardParts,
): Promise<boolean> => {
  const bus = createBus(map.link, map, clock);
  const reader = createReader(map, bus, clock.monotonic);
  const beans = reader.channels.indexOf('bean_temp');
  let proven = false;
  try {
    const until = clock.monotonic() + proofSeconds * 1000;
    while (clock.monotonic() < until && !signal.aborted) {
      const outcome = await reader.read();
      if (outcome.kind === 'silence') terminal.write(`  no answer: ${outcome.reason}\n`);
      else {
        const values = reader.channels.map((name, index) => `${name} ${outcome.values[index] ?? '--'}`);
        terminal.write(`  ${values.join('  ')}\n`);
        proven = (outcome.values[beans] ?? null) !== null;
      }
      await pause(Math.min(roundMs, Math.max(0, until - clock.monotonic())), signal, clock);
    }
  } finally {
    bus.close();
  }
  return proven;
};

interface Picked {
  /** The unit that was probed. */
  readonly unit: number;
  readonly picks: readonly PickedPlace[];
  readonly signals: readonly PickedSignal[];
}

const save = async (parts: WizardParts, link: Link, picks: Picked): Promise<number> => {
  const { terminal, base, out } = parts;
  const draft = parseShape(machineMapShape, draftMap({ base, link, ...picks }));
  if (!draft.success) {
    terminal.write(`The map is incomplete: ${draft.issues[0]?.message}. Nothing was written.\n`);
    return 1;
  }
  const map = draft.data;
  const changes = changeLines(base, map);
  terminal.write(
    `${out}, revision ${map.rev}${base === undefined ? '' : `, against revision ${base.rev} in use`}:\n${changes === '' ? '  reads every channel as before\n' : changes}`,
  );
  const answer = (await terminal.ask('Write it? (yes/no) '))?.trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') {
    terminal.write('Nothing was written.\n');
    return 1;
  }
  try {
    await writeFileAtomically(out, `${JSON.stringify(map, null, 2)}\n`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    terminal.write(
      `${out} can't be written (${code}). Run with sudo, or choose another file: --out ./machine-map.json\n`,
    );
    return 1;
  }
  terminal.write('Saved. Readings with this map:\n');
  const proven = await prove(map, parts);
  terminal.write(
    proven
      ? 'The bean temperature has a value. The agent uses the map after a restart: sudo systemctl restart roastery-agent\n'
      : 'The bean temperature had no value. Check the map before you use it.\n',
  );
  return proven ? 0 : 1;
};

/**
 * Reads a machine's registers, shows those that may be a temperature, lets a person choose, writes the map and reads
 * with it. Functions 1 to 4 only. Returns the exit code: 0 a map was written and works (or, without a terminal,
 * registers were found), 1 not.
 */
export const runWizard = async (parts: WizardParts): Promise<number> => {
  const { terminal, signal, clock = realClock } = parts;
  let { link, wish } = parts;
  if (parts.find) {
    let found: FoundLine | undefined;
    try {
      const trying = ({ asked, of, where }: FindProgress): void => terminal.write(`  ${asked} of ${of}: ${where}\n`);
      found = await findLine(link, wish.units.slice(0, 1), signal, trying, { clock });
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      terminal.write(`${error.message}\n`);
      return 1;
    }
    if (found === undefined) {
      if (!signal.aborted) terminal.write(notFoundText(link));
      return 1;
    }
    ({ link } = found);
    wish = { ...wish, units: found.units.slice(0, 4) };
    terminal.write(`Answers: ${linkLabel(link)}, unit ${found.units.join(', ')}\n`);
  }
  const unit = wish.units[0] ?? 1;
  const bus = createBus(link, probeTiming, clock);
  const series = createProbeSeries();
  const blocks: ProbeBlock[] = [];
  const began = clock.monotonic();
  const seconds = (): number => (clock.monotonic() - began) / 1000;
  let reportedAt = -Infinity;
  try {
    terminal.write(`Reading ${linkLabel(link)}. Nothing is written. Ctrl-C stops.\n`);
    const end = await scanRegisters({ bus, signal, clock }, wish, {
      found(block) {
        blocks.push(block);
        series.take([block], seconds());
      },
      progress({ asked, of, found, where }) {
        if (clock.monotonic() - reportedAt < 2000 && asked < of) return;
        reportedAt = clock.monotonic();
        terminal.write(`  ${asked} of ${of} addresses read, ${found} answered (${where})\n`);
      },
    });
    if (end.kind === 'stopped') return 1;
    if (end.kind === 'silent' && blocks.length === 0) {
      terminal.write(noAnswerText(link, end.reason));
      return 1;
    }
    if (end.kind === 'silent')
      terminal.write(`The machine stopped answering (${end.reason}); continuing with what it answered before.\n`);
    if (blocks.length === 0) {
      terminal.write(
        `The machine answers, but has none of these registers. Try others: --from 4096 --count 128, or another --unit.\n`,
      );
      return 1;
    }
    const again = async (): Promise<void> => {
      // `any` does not hold its sources: Node can collect an `AbortSignal.timeout` before it fires (nodejs/node#57736).
      const time = new AbortController();
      const cancelEnd = clock.after(parts.watchSeconds * 1000, () => time.abort());
      const ends = AbortSignal.any([signal, time.signal]);
      await watchRegisters({ bus, signal: ends, clock }, blocks, roundMs, (round) => series.take(round, seconds()));
      cancelEnd();
      // Holds the source until here.
      time.abort();
    };
    terminal.write(
      `Watching for ${parts.watchSeconds} s. Hold a warm hand to the probe, or heat the drum: which number rises?\n`,
    );
    await again();
    if (signal.aborted) return 1;
    if (!terminal.interactive) {
      const candidates = rankTemperatures(series.places(), parts.shown === undefined ? {} : { shown: parts.shown });
      terminal.write(candidateTable(candidates, unit, rowsShown));
      const bits = rankBits(series.places());
      if (bits.length > 0) terminal.write(bitTable(bits, unit, rowsShown));
      return candidates.length + bits.length > 0 ? 0 : 1;
    }
    const picks = await pickChannels(series, unit, terminal, again);
    const signals = picks && (await pickSignals(series, unit, terminal, again));
    bus.close();
    if (picks === undefined || signals === undefined || signal.aborted) return 1;
    return await save(parts, link, { unit, picks, signals });
  } finally {
    bus.close();
  }
};
