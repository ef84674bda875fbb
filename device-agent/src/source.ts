import type { Channel, MachineMap } from '@roastery/contract/machine-map';

/** One reading of a machine with the moment it was taken. */
export interface Reading {
  /** Monotonic ms: the middle between request and answer. */
  readonly mono: number;
  readonly values: readonly (number | null)[];
  /** Events whose bit has risen since the previous reading. */
  readonly risen: readonly string[];
}

export interface MachineLink {
  readonly state: 'starting' | 'ok' | 'failing';
  /** Why it fails, or which channels have no valid value. */
  readonly detail: string | undefined;
  /** Readings per second, when line or machine are too slow for the map. */
  readonly reachedHz?: number | undefined;
}

/** How readings of a source are labelled. For a machine on Modbus the machine map decides. */
export interface SourceDescription extends Pick<MachineMap, 'id' | 'rev'> {
  readonly charging?: MachineMap['charging'] | undefined;
  readonly channels: Readonly<Record<string, Pick<Channel, 'unit'>>>;
}

/**
 * The source of readings: a machine on Modbus (`machine/poller.ts`), or Artisan on this computer
 * (`artisan/artisan-source.ts`). Journal, tracker and uplink depend on neither. Its readings and link states are passed
 * to the callbacks that it was started with.
 */
export interface Source {
  link(): MachineLink;
  /** How long its loop has not run, ms. A silent machine does not count. */
  stalledMs(): number;
  stop(): Promise<void>;
}
