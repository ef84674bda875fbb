import type { Sql } from '../db/sql.ts';

/** Source of a boot's wall clock: only the time of receipt, the board's unsynchronised clock, or its synchronised one. */
export const clockQuality = { received: 0, unsynchronised: 1, synchronised: 2 } as const;
export type ClockQuality = (typeof clockQuality)[keyof typeof clockQuality];

/** Wall time of a boot's monotonic clock: wall = offsetMs + mono. */
export interface WallClock {
  readonly offsetMs: number;
  readonly quality: ClockQuality;
}

export interface ClockClaim {
  readonly synced: boolean;
  /** The board's wall clock at the first entry, ms since 1970. */
  readonly t: number;
  readonly mono: number;
  /** Monotonic time of the batch's last entry. */
  readonly lastMono: number;
  readonly receivedAtMs: number;
}

/** Allowed difference between the clocks of server and board. */
const toleranceMs = 2 * 60_000;
/** Small differences of a synchronised clock are slewing; more than this is a correction. */
const stepMs = 2_000;

/** The latest offset that the time of receipt allows: an entry can't be later than its receipt. */
export const latestOffsetOf = ({ receivedAtMs, lastMono }: ClockClaim): number => receivedAtMs - lastMono;

/**
 * The wall clock of a boot according to one batch. An entry can't be later than its receipt, so a clock that implies
 * this is wrong, synchronised or not. An unsynchronised clock is accepted while it agrees with the time of receipt.
 */
export const clockOf = (claim: ClockClaim): WallClock => {
  const latestOffset = latestOffsetOf(claim);
  const claimed = claim.t - claim.mono;
  if (claimed > latestOffset + toleranceMs) return { offsetMs: latestOffset, quality: clockQuality.received };
  if (claim.synced) return { offsetMs: claimed, quality: clockQuality.synchronised };
  if (claimed >= latestOffset - toleranceMs) return { offsetMs: claimed, quality: clockQuality.unsynchronised };
  return { offsetMs: latestOffset, quality: clockQuality.received };
};

/**
 * The more plausible of two synchronised clocks of one boot, one of which was set to a wrong time. A batch that
 * arrives without delay shows the true offset, so the nearer one is chosen. A backlog only shows which one is
 * impossible.
 */
const morePlausible = (known: WallClock, claimed: WallClock, latestOffset: number): WallClock => {
  const knownAway = Math.abs(latestOffset - known.offsetMs);
  const claimedAway = Math.abs(latestOffset - claimed.offsetMs);
  if (Math.min(knownAway, claimedAway) <= toleranceMs) return claimedAway < knownAway ? claimed : known;
  return known.offsetMs > latestOffset || claimed.offsetMs > known.offsetMs ? claimed : known;
};

/**
 * The better one of the known clock and that of a new batch. A backlog makes the time of receipt too late, so the
 * earlier of two such estimates is better. For the same reason it can correct an unsynchronised clock only to an
 * earlier time.
 */
export const betterClock = (
  known: WallClock | undefined,
  claimed: WallClock,
  latestOffset = Number.POSITIVE_INFINITY,
): WallClock => {
  if (known === undefined || claimed.quality > known.quality) return claimed;
  if (claimed.quality < known.quality) return known;
  if (claimed.quality === clockQuality.synchronised) {
    return Math.abs(claimed.offsetMs - known.offsetMs) > stepMs ? morePlausible(known, claimed, latestOffset) : known;
  }
  return claimed.offsetMs < known.offsetMs ? claimed : known;
};

/** A correction of the wall clock of a boot. */
export interface ClockChange {
  readonly recordingId: string;
  readonly machineId: string;
  readonly bootNo: number;
  readonly byMs: number;
}

export interface BootRow {
  readonly recordingId: string;
  readonly bootNo: number;
  readonly bootId: string;
  readonly clock: WallClock;
}

/** Inserts new boots and updates the wall clock of known ones. The roasts of those boots have to follow. */
export const writeBoots = async (tx: Sql, boots: readonly BootRow[]): Promise<void> => {
  if (boots.length === 0) return;
  await tx`
    INSERT INTO recording_boots (recording_id, boot_no, boot_id, wall_offset_ms, quality)
    SELECT * FROM unnest(
      ${boots.map((boot) => boot.recordingId)}::uuid[], ${boots.map((boot) => boot.bootNo)}::smallint[],
      ${boots.map((boot) => boot.bootId)}::text[], ${boots.map((boot) => Math.round(boot.clock.offsetMs))}::bigint[],
      ${boots.map((boot) => boot.clock.quality)}::smallint[])
    ON CONFLICT (recording_id, boot_no)
      DO UPDATE SET wall_offset_ms = excluded.wall_offset_ms, quality = excluded.quality`;
};

/** The known clocks of a recording. */
interface Clocked {
  readonly recordingId: string;
  readonly machineId: string;
  readonly boots: ReadonlyMap<string, { readonly bootNo: number; readonly clock: WallClock | undefined }>;
  isRowDue: boolean;
}

const isSameClock = (one: WallClock, other: WallClock | undefined): boolean =>
  one.offsetMs === other?.offsetMs && one.quality === other.quality;

/** By recording id and boot number. */
type ClocksBefore = ReadonlyMap<string, ReadonlyMap<number, WallClock | undefined>>;
export const clocksOf = (recordings: Iterable<Clocked>): ClocksBefore =>
  new Map(
    Array.from(recordings, ({ recordingId, boots }) => [
      recordingId,
      new Map(Array.from(boots.values(), ({ bootNo, clock }) => [bootNo, clock])),
    ]),
  );

/** The boots whose clock changed, and by how much. The rows of their recordings must be written. */
export const clockChanges = (recordings: Iterable<Clocked>, before: ClocksBefore) => {
  const rows: BootRow[] = [];
  const changes: ClockChange[] = [];
  for (const recording of recordings) {
    const { recordingId, machineId, boots } = recording;
    for (const [bootId, { bootNo, clock }] of boots) {
      const clockBefore = before.get(recordingId)?.get(bootNo);
      if (clock === undefined || isSameClock(clock, clockBefore)) continue;
      recording.isRowDue = true;
      rows.push({ recordingId, bootNo, bootId, clock });
      if (clockBefore !== undefined && clockBefore.offsetMs !== clock.offsetMs)
        changes.push({ recordingId, machineId, bootNo, byMs: clock.offsetMs - clockBefore.offsetMs });
    }
  }
  return { rows, changes };
};
