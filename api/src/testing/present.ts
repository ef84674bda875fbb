import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';

/**
 * A moment this many ms after the present, or before it. Postgres has the time of the computer, and many rules compare
 * what a board sends with it, so boards of these tests have it too.
 */
export const fromNow = (ms: number): number => Date.now() + ms;

/** A clock that begins at the present, for an api whose Postgres has the time of the computer, and stands still. */
export const presentClock = (): VirtualClock => createVirtualClock({ wall: fromNow(0) });
