import type { Channel, MachineMap } from '@roastery/contract/machine-map';

/** One reading of a machine with the moment it was taken. */
export interface Reading {
  /** Monotonic ms: the middle between question and answer. */
  readonly mono: number;
  readonly values: readonly (number | null)[];
  /** Events whose bit has risen since the reading before. */
  readonly risen: readonly string[];
}

export interface MachineLink {
  readonly state: 'starting' | 'ok' | 'failing';
  /** Why it fails, or which channels have no valid value. */
  readonly detail: string | undefined;
  /** Readings a second, when line or machine are too slow for what the map asks. */
  readonly reachedHz?: number | undefined;
}

/** What readings of a source are called where they are recorded and shown. A machine map says it of a machine on Modbus. */
export interface SourceDescription extends Pick<MachineMap, 'id' | 'rev'> {
  readonly charging?: MachineMap['charging'] | undefined;
  readonly channels: Readonly<Record<string, Pick<Channel, 'unit'>>>;
}

/**
 * Where readings come from: a machine on Modbus (`machine/poller.ts`), or Artisan on this computer (`artisan/artisan-source.ts`).
 * Journal, tracker and uplink depend on neither. Its readings and link states go to the callbacks that it was started with.
 */
export interface Source {
  link(): MachineLink;
  /** For how long its loop stands still, ms. A silent machine does not count. */
  stalledMs(): number;
  stop(): Promise<void>;
}
