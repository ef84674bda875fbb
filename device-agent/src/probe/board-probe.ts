import {
  maxProbeWords,
  type ProbeBlock,
  type ProbeEnd,
  type ProbeMessage,
  type ProbeRequest,
} from '@roastery/contract/probe';
import type { Link, MachineMap } from '@roastery/contract/machine-map';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { createBus, type Bus } from '../machine/bus.ts';
import { LinkError } from '../machine/line-port.ts';
import { findLine, type FindProgress, type FoundLine } from './find-line.ts';
import { scanRegisters, probeTiming, watchRegisters, type ScanEnd } from './scan-registers.ts';

export interface BoardProbeParts {
  /** The running agent's own line: requests are sent between those of its readings. */
  readonly read: Bus['read'];
  /** The board's map. Without a map the request names the machine's address, and the line is free. */
  readonly map: () => Pick<MachineMap, 'link' | 'unit'> | undefined;
  /** Takes the line from the agent's readings while `work` uses it, and returns it. */
  readonly lendLine: (work: () => Promise<void>) => Promise<void>;
  readonly roastRuns: () => boolean;
  readonly send: (message: ProbeMessage) => Promise<void>;
  readonly now: () => { readonly wall: number; readonly synced: boolean };
  readonly log: Logger;
  readonly perSecond?: number;
  readonly clock?: Clock;
}

type Look = Extract<ProbeRequest, { do: 'look' }>;
type Find = Extract<ProbeRequest, { do: 'find' }>;

interface CurrentProbe {
  readonly id: string;
  readonly holdsLine: boolean;
  readonly end: (reason: ProbeEnd) => void;
  readonly done: Promise<void>;
}

const roundMs = 1000;
/** Often enough to see changes, seldom enough for a slow line. */
const progressEveryMs = 400;
const blocksInMessage = 200;

const says: Record<ProbeEnd, string> = {
  stopped: 'Stopped.',
  time_is_up: 'The time limit was reached. Start again to continue.',
  roast: 'A roast is running. Read the registers after it has ended.',
  silent:
    'The machine does not answer. Check its power and cable. Address, adapter and unit are under Map and settings.',
  busy: 'Another probe of this machine is running. Stop it, or wait for its end.',
  expired: 'The request arrived too late. Try again.',
  nothing_found: 'The machine answers, but has none of these registers. Try others, or another unit.',
  board_leaves: 'The board’s agent is stopping.',
  found: 'Found.',
  nobody:
    'No unit answers at any usual speed and parity. Check the machine’s power, its adapter, and whether A and B are swapped.',
};

/** Blocks in messages below the broker's limit. */
const messagesOf = (blocks: readonly ProbeBlock[]): ProbeBlock[][] => {
  const messages: ProbeBlock[][] = [];
  let words = Number.POSITIVE_INFINITY;
  for (const block of blocks) {
    const current = messages.at(-1);
    if (current === undefined || words + block.words.length > maxProbeWords || current.length >= blocksInMessage) {
      messages.push([block]);
      words = block.words.length;
    } else {
      current.push(block);
      words += block.words.length;
    }
  }
  return messages;
};

/** The reason for the end of the probe. */
const reasonOf = ({ signal: { reason } }: AbortController): ProbeEnd =>
  typeof reason === 'string' && reason in says ? (reason as ProbeEnd) : 'stopped';

/**
 * Reads the machine's registers for a page of the portal: one probe at a time, never during a roast, without writing.
 */
export class BoardProbe {
  readonly #parts: BoardProbeParts;
  readonly #log: Logger;
  readonly #clock: Clock;
  #current: CurrentProbe | undefined;

  constructor(parts: BoardProbeParts) {
    this.#parts = parts;
    this.#log = parts.log;
    this.#clock = parts.clock ?? realClock;
  }

  requested(request: ProbeRequest): void {
    if (request.do === 'stop') {
      if (this.#current?.id === request.id) this.#current.end('stopped');
      return;
    }
    const { wall, synced } = this.#parts.now();
    if (synced && wall > request.expires_at) return this.#tellEnd(request.id, 'expired');
    if (this.#parts.roastRuns()) return this.#tellEnd(request.id, 'roast');
    if (this.#current?.id === request.id) return;
    if (this.#current) return this.#tellEnd(request.id, 'busy');
    const link = this.#parts.map()?.link ?? request.link;
    if (link === undefined) return this.#tellNoLine(request.id);
    this.#begin(request, link);
  }

  /** Call after each reading: a charge ends the probe. */
  afterReading(): void {
    if (this.#current && this.#parts.roastRuns()) this.#current.end('roast');
  }

  /** Ends the probe that uses the line, and waits until the line is returned. */
  async leaveLine(): Promise<void> {
    if (this.#current?.holdsLine !== true) return;
    this.#current.end('stopped');
    await this.#current.done;
  }

  async stop(): Promise<void> {
    this.#current?.end('board_leaves');
    await this.#current?.done;
  }

  #tell(message: ProbeMessage): void {
    this.#parts
      .send(message)
      .catch((error: unknown) => this.#log.debug({ reason: String(error) }, 'probe message not sent'));
  }

  #tellNoLine(id: string): void {
    this.#tell({
      v: 1,
      id,
      k: 'ended',
      reason: 'silent',
      says: 'This board has no machine map yet and does not know the machine’s address. Enter the address or the serial adapter, or choose a map under Map and settings.',
    });
  }

  #tellEnd(id: string, reason: ProbeEnd, because = ''): void {
    this.#tell({
      v: 1,
      id,
      k: 'ended',
      reason,
      says: `${says[reason]}${because === '' ? '' : ` (${because})`}`.slice(0, 300),
    });
  }

  async #scan({ id, wish }: Look, bus: Pick<Bus, 'read'>, stopping: AbortController): Promise<void> {
    const began = this.#clock.monotonic();
    const { perSecond } = this.#parts;
    const scanned = {
      bus,
      signal: stopping.signal,
      clock: this.#clock,
      ...(perSecond === undefined ? {} : { perSecond }),
    };
    const found: ProbeBlock[] = [];
    let unsent: ProbeBlock[] = [];
    let reportedAt = -Infinity;
    const sendBlocks = (round: number, blocks: readonly ProbeBlock[]): void => {
      const seconds = Math.round((this.#clock.monotonic() - began) / 100) / 10;
      for (const message of messagesOf(blocks)) this.#tell({ v: 1, id, k: 'words', round, seconds, blocks: message });
    };
    let end: ScanEnd = await scanRegisters(scanned, wish, {
      found: (block) => {
        found.push(block);
        unsent.push(block);
      },
      progress: (progress) => {
        if (this.#clock.monotonic() - reportedAt < progressEveryMs && progress.asked < progress.of) return;
        reportedAt = this.#clock.monotonic();
        sendBlocks(0, unsent);
        unsent = [];
        this.#tell({ v: 1, id, k: 'progress', ...progress });
      },
    });
    if (end.kind === 'done' && found.length === 0) return this.#tellEnd(id, 'nothing_found');
    let round = 0;
    if (end.kind === 'done')
      end = await watchRegisters(scanned, found, roundMs, (blocks) => sendBlocks((round += 1), blocks));
    if (end.kind === 'silent') return this.#tellEnd(id, 'silent', end.reason);
    this.#tellEnd(id, reasonOf(stopping));
  }

  /** The probe of a board without a map: nothing else uses the line. */
  #scanOnOwnBus(link: Link, request: Look, stopping: AbortController): Promise<void> {
    return this.#parts.lendLine(async () => {
      const bus = createBus(link, probeTiming, this.#clock);
      try {
        await this.#scan(request, bus, stopping);
      } finally {
        bus.close();
      }
    });
  }

  async #find(link: Link, { id, unit }: Find, { signal }: AbortController): Promise<FoundLine | undefined> {
    let found: FoundLine | undefined;
    let reportedAt = -Infinity;
    await this.#parts.lendLine(async () => {
      const trying = ({ asked, of, where }: FindProgress): void => {
        if (this.#clock.monotonic() - reportedAt < progressEveryMs) return;
        reportedAt = this.#clock.monotonic();
        this.#tell({ v: 1, id, k: 'trying', asked, of, where: where.slice(0, 300) });
      };
      found = await findLine(link, [...new Set([unit, this.#parts.map()?.unit ?? unit])], signal, trying, {
        clock: this.#clock,
      });
    });
    return found;
  }

  async #findAndTell(link: Link, request: Find, stopping: AbortController): Promise<void> {
    const { id } = request;
    let found: FoundLine | undefined;
    try {
      found = await this.#find(link, request, stopping);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      return this.#tellEnd(id, 'silent', error.message);
    }
    if (found === undefined) return this.#tellEnd(id, stopping.signal.aborted ? reasonOf(stopping) : 'nobody');
    this.#tell({ v: 1, id, k: 'line', link: found.link, units: [...found.units] });
    this.#tellEnd(id, 'found');
  }

  #begin(request: Look | Find, link: Link): void {
    const stopping = new AbortController();
    const end = (reason: ProbeEnd): void => stopping.abort(reason);
    const cancelLimit = this.#clock.after(request.lasts_s * 1000, () => end('time_is_up'));
    this.#log.info(
      request.do === 'look' ? { wish: request.wish } : { unit: request.unit },
      request.do === 'look' ? 'probe started' : 'line search started',
    );
    const holdsLine = request.do === 'find' || this.#parts.map() === undefined;
    const work = (): Promise<void> => {
      if (request.do === 'find') return this.#findAndTell(link, request, stopping);
      return holdsLine
        ? this.#scanOnOwnBus(link, request, stopping)
        : this.#scan(request, { read: this.#parts.read }, stopping);
    };
    const done = work()
      .catch((error: unknown) => {
        this.#log.error({ err: error }, 'probe failed');
        this.#tellEnd(request.id, 'silent', String(error));
      })
      .finally(() => {
        cancelLimit();
        this.#current = undefined;
      });
    this.#current = { id: request.id, holdsLine, end, done };
  }
}

export const createBoardProbe = (parts: BoardProbeParts): BoardProbe => new BoardProbe(parts);
