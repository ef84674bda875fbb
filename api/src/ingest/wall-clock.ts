/** How a boot's wall clock is known: only from when we received its data, from its own unsynchronised clock, or from a synchronised one. */
export const clockQuality = { received: 0, unsynchronised: 1, synchronised: 2 } as const;
export type ClockQuality = (typeof clockQuality)[keyof typeof clockQuality];

/** Wall time of a boot's monotonic clock: wall = offsetMs + mono. */
export interface WallClock {
  readonly offsetMs: number;
  readonly quality: ClockQuality;
}

export interface ClockClaim {
  readonly synced: boolean;
  /** Wall clock of the first entry as the board has it, ms since 1970. */
  readonly t: number;
  readonly mono: number;
  /** Monotonic time of the batch's last entry. */
  readonly lastMono: number;
  readonly receivedAtMs: number;
}

/** Clocks of server and board may disagree by this much without either being called wrong. */
const toleranceMs = 2 * 60_000;
/** A synchronised clock is slewed, not stepped; more than this is a real correction. */
const stepMs = 2_000;

/** The latest offset that the time of receipt allows: nothing happened after we received it. */
export const latestOffsetOf = ({ receivedAtMs, lastMono }: ClockClaim): number => receivedAtMs - lastMono;

/**
 * What one batch says about its boot's clock. Nothing can have happened after we received it, so a clock that claims
 * that is wrong, synchronised or not. An unsynchronised clock is believed while it agrees with the time of receipt.
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
 * Which of two synchronised clocks of one boot is right; one of them was set to a wrong time. What arrives at once shows the
 * true offset, so the one nearer to it counts. A backlog shows only which of them can't be.
 */
const truerOf = (known: WallClock, said: WallClock, latestOffset: number): WallClock => {
  const [knownAway, saidAway] = [known, said].map(({ offsetMs }) => Math.abs(latestOffset - offsetMs)) as [
    number,
    number,
  ];
  if (Math.min(knownAway, saidAway) <= toleranceMs) return saidAway < knownAway ? said : known;
  return known.offsetMs > latestOffset || said.offsetMs > known.offsetMs ? said : known;
};

/**
 * The better of what is known and what a new batch says. A backlog makes the time of receipt too late, so of two such
 * estimates the earlier one is nearer to the truth; for the same reason it can correct an unsynchronised clock only
 * downwards.
 */
export const betterClock = (
  known: WallClock | undefined,
  said: WallClock,
  latestOffset = Number.POSITIVE_INFINITY,
): WallClock => {
  if (known === undefined || said.quality > known.quality) return said;
  if (said.quality < known.quality) return known;
  if (said.quality === clockQuality.synchronised) {
    return Math.abs(said.offsetMs - known.offsetMs) > stepMs ? truerOf(known, said, latestOffset) : known;
  }
  return said.offsetMs < known.offsetMs ? said : known;
};
