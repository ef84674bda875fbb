import { createLogger } from '@roastery/runtime/logger';
import type { VirtualClock } from '@roastery/testing/virtual-clock';
import { createWallClock, type WallClock } from '../core/wall-clock.ts';
import { openJournal, type Journal, type JournalOptions } from '../journal/journal.ts';
import { startUplink, type Uplink, type UplinkParts } from '../uplink/uplink.ts';

export const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const log = createLogger('test', 'silent');

const monoOf = (time: VirtualClock): number => Math.round(time.monotonic());

/** A synchronised clock of one boot. */
export const wallClockOf = (time: VirtualClock): WallClock =>
  createWallClock(() => ({ boot, mono: monoOf(time), wall: time.now(), synced: true }));

/** The journal of a board that records one channel. */
export const openBoardJournal = (
  parts: Pick<JournalOptions, 'folder' | 'clock'> & { readonly time: VirtualClock } & Partial<JournalOptions>,
): Promise<Journal> =>
  openJournal({
    capBytes: 1e9,
    log,
    context: { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] },
    state: () => undefined,
    ...parts,
  });

/** Appends a reading of now. */
export const appendReading = (journal: Journal, time: VirtualClock, bean = 200): number =>
  journal.appendSample(monoOf(time), [bean]);

/** An uplink whose board does nothing with what the server says. */
export const startBoardUplink = (
  parts: Pick<UplinkParts, 'serialNumber' | 'journal' | 'clock' | 'brokers'> & {
    readonly time: VirtualClock;
  } & Partial<UplinkParts>,
): Uplink =>
  startUplink({
    token: 'a-secret-token',
    ca: undefined,
    log,
    run: 1,
    status: () => Promise.resolve({ machine_link: 'ok' }),
    configReceived: () => undefined,
    probeRequested: () => undefined,
    configRefused: () => undefined,
    plansReceived: () => undefined,
    ...parts,
  });
