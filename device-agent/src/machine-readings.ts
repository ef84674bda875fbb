import type { MachineMap } from '@roastery/contract/machine-map';
import { noMapDetail } from '@roastery/contract/mqtt';
import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import type { ArtisanSource, startArtisan } from './artisan/artisan-source.ts';
import type { AgentConfig } from './config.ts';
import type { BusAnswer, BusRequest } from './machine/bus.ts';
import { startPoller } from './machine/poller.ts';
import type { MachineLink, Reading, Source } from './source.ts';

export interface MachineReadingsParts {
  readonly config: AgentConfig;
  readonly map: MachineMap | undefined;
  /** Why there is no map. */
  readonly trouble: string | undefined;
  readonly time: Clock;
  readonly log: Logger;
  /** The next readings are labelled by this map. */
  readonly readsBy: (map: MachineMap) => void;
  /** The state of the link or of Artisan's files has changed. */
  readonly changed: () => void;
  readonly roastRuns: () => boolean;
}

/** The one source of readings of this board, and the state of its link: a machine by its map, or Artisan. */
export class MachineReadings {
  map: MachineMap | undefined;
  link: MachineLink;
  artisan: ArtisanSource | undefined;
  readonly #parts: MachineReadingsParts;
  /** The line has one owner at a time: the readings or a probe. */
  readonly #inTurnOnLine = serial();
  #isLent = false;
  #poller: ReturnType<typeof startPoller> | undefined;
  #reading: (reading: Reading) => void = () => undefined;

  constructor(parts: MachineReadingsParts) {
    this.#parts = parts;
    this.map = parts.map;
    this.link = { state: 'starting', detail: parts.trouble };
  }

  start(reading: (reading: Reading) => void): void {
    this.#reading = reading;
    this.#poll();
  }

  async startArtisan(start: typeof startArtisan): Promise<void> {
    const { config, time, log, changed, roastRuns } = this.#parts;
    if (config.artisan === undefined) return;
    this.artisan = await start({
      config,
      artisan: config.artisan,
      clock: time,
      log,
      reading: this.#reading,
      linkChanged: (next) => this.#setLink(next),
      filesChanged: changed,
      roastRuns,
    });
  }

  /** Reads by another map from now on. */
  async use(map: MachineMap): Promise<void> {
    await this.#inTurnOnLine(async () => {
      await this.#poller?.stop();
      if (this.map === undefined) this.link = { state: 'starting', detail: undefined };
      this.map = map;
      this.#poll();
    });
    this.#parts.changed();
  }

  /** A request between those of the readings. */
  ask(request: BusRequest): Promise<BusAnswer> {
    return this.#poller?.ask(request) ?? Promise.resolve({ kind: 'failed', reason: noMapDetail });
  }

  /** Takes the line from the readings while `work` uses it. */
  lendLine(work: () => Promise<void>): Promise<void> {
    return this.#inTurnOnLine(async () => {
      this.#isLent = true;
      await this.#poller?.stop();
      if (this.map) this.link = { state: 'starting', detail: 'looking for speed, parity and unit' };
      this.#parts.changed();
      try {
        await work();
      } finally {
        this.#isLent = false;
        this.#poll();
      }
    });
  }

  /** How long the readings have made no progress, ms. */
  stalledMs(): number {
    const source: Source | undefined = this.#poller ?? this.artisan;
    return this.#isLent ? 0 : (source?.stalledMs() ?? 0);
  }

  async stop(): Promise<void> {
    await this.#poller?.stop();
    await this.artisan?.stop();
  }

  #poll(): void {
    const { map } = this;
    const { time, log, readsBy } = this.#parts;
    if (map) readsBy(map);
    this.#poller =
      map &&
      startPoller({
        map,
        clock: time,
        reading: this.#reading,
        linkChanged: (next) => this.#setLink(next),
        dropped: (reading) => log.debug(reading, 'machine: reading dropped'),
      });
  }

  #setLink(next: MachineLink): void {
    if (next.state !== this.link.state)
      this.#parts.log[next.state === 'ok' ? 'info' : 'warn']({ detail: next.detail }, `machine: ${next.state}`);
    this.link = next;
    this.#parts.changed();
  }
}
