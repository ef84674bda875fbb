/** Seconds that several limits share. */
const seconds = {
  /** A level, a line or a rate is fitted to this much: less shows noise, more bends. */
  line: 30,
  /** The fall of a charge, what precedes it, and the switch to cooling. */
  fall: 15,
  /** The shortest line, and the shortest rise, that is no noise. */
  seen: 8,
  /** Steady for so long; Artisan's shortest time from charge to turning point. */
  still: 20,
  /** What lasts so long is neither a loose plug nor a spike. */
  held: 10,
  /** From the turn on, beans show by then that they warm up steadily. */
  warming: 90,
  /** The heat of a door that was opened is back. */
  doorShut: 120,
  /** Artisan waits 7 min for a drop; sample and fluid-bed roasters finish in 4 to 6 min. */
  shortestRoast: 180,
  /** Turning points lie 20-130 s after charge (curves). */
  turned: 160,
  /** The longest look back. */
  remembered: 240,
  /** By then an emptied drum has settled. */
  settled: 600,
} as const;

/** Depths and rises that several limits share, °C. */
const degrees = {
  /** Moved, where single readings are compared. */
  moved: 0.3,
  /** More than noise and whole degrees show. */
  shown: 0.5,
  /** Below its line, or away from its level. */
  leftLine: 1.5,
  /** The least fall that few beans cause. */
  slight: 3,
  /** A drum that drifts, or a roast that declines slowly, does less. */
  drift: 4,
  /** No trier, fan or drift of a drum does that. */
  clear: 5,
  /** The fall of a drop in the heaviest machine. */
  dropped: 8,
  /** The fall of a charge. */
  charged: 10,
  /** No door of a drum that cools or is heated. */
  deep: 20,
  /** Depth of a charge: 60-120 °C (curves); of an opened door 5-15 °C, of an open lid up to 45 °C. */
  certain: 50,
} as const;

/** Shares that several limits use. */
const shares = {
  /** The bottom of a fall. */
  bottom: 0.1,
  /** The beginning of a fall. */
  begun: 0.15,
  /** Stopped, or away from its line. */
  small: 0.3,
  half: 0.5,
  most: 0.6,
  /** Recovered, or even. */
  back: 0.7,
} as const;

/** Beans warm up faster than this; 2.4 °C/min. An idle drum changes more slowly. */
const warmingPerSecond = 0.04;
/** A faster fall means that the drum was cooling, °C/s. */
const coolingPerSecond = -0.2;
/** What a single reading does is noise up to this multiple of it. */
const scatters = 4;
/** A dip is deeper than this multiple of the noise. */
const dipScatters = 6;

/**
 * The limits of the roast detector. Sources: "Artisan" and "Cropster" are the rules of those programs; "curves" are
 * observations on 23 recorded roasts of a dozen machines (drum, fluid bed, hot air; 1 s to 5 s per reading).
 */
export const detectionLimits = {
  /** Depth and duration of the fall of a charge. Cropster requires 7 °C in 30 s, which an opened, cooling drum reaches too;
   * curves: 10 °C within 12 s, with one exception. */
  chargeFallC: degrees.charged,
  chargeFallSeconds: seconds.fall,
  /** While a drum cools after a drop, a fall must be this deep to count before it turns. */
  chargeAfterDropFallC: degrees.deep,
  chargeAfterDropSeconds: seconds.settled,
  /** The slope before a charge is less than a third of the slope of the fall (curves: less than a sixth). */
  chargeSteeperThanBefore: 3,
  chargeBeforeSeconds: seconds.fall,
  /** A faster fall means that the drum was cooling at the charge, °C/s. */
  chargeCoolingPerSecond: coolingPerSecond,
  /** A slow fall is a charge if it leaves a line of 20 s, turns in time (curves: 20-130 s), and has done most of its depth by half
   * of that time. */
  chargeSlowStillSeconds: seconds.still,
  /** … a shorter line is accepted at the start of a recording, but not shorter than this. */
  chargeSlowMinSeconds: seconds.seen,
  chargeSlowTurnWithinSeconds: seconds.turned,
  chargeSlowFirstHalfShare: shares.most,
  /** It is reported at most this long after the turn. */
  chargeSlowReportSeconds: seconds.warming,
  /** Its minimum depth (curves: 8 °C), also as a multiple of the noise, and the share of it that has recovered. */
  chargeSlowFallC: 6,
  chargeSlowNoiseTimes: 8,
  /** A fall and rise of this much, also as a multiple of the noise, is a dip of its own. */
  chargeDipC: 2,
  chargeDipNoiseTimes: dipScatters,
  /** … its first half is at least this steep, °C/s: a cycling burner takes minutes. */
  chargeSlowSteepness: -0.15,
  chargeSlowRiseShare: 0.05,
  /** … and steeper than the slope before it by this factor. */
  chargeSlowSteeperThanBefore: 2,
  /** In a drum that was heated over this time, the depth is measured from its line, and the probe falls at least this far. */
  chargeHeatedSeconds: seconds.line,
  chargeHeatedFallC: degrees.slight,
  chargeHeatedFirstHalfShare: 0.45,
  /** … and turns soon after it was warmest. */
  chargeHeatedTurnWithinSeconds: 70,
  /** In a drum that was cooling over this time, the probe falls this far below its line. */
  chargeCoolingSeconds: seconds.line,
  chargeBelowLineC: degrees.drift,
  /** … and is reported as a slight fall only this long after the turn, because the fit is expensive. */
  chargeDriftReportSeconds: seconds.line,
  /** A shallower fall opens no roast, but may have begun the one that a drop ends. */
  chargeSlightFallC: degrees.slight,
  chargeSlightBelowLineC: degrees.leftLine,
  /** The mark is the last reading before this share of the whole fall (curves: within 2 s). */
  chargeKneeShare: 0.03,
  /** … or before this multiple of the scatter. */
  chargeKneeScatters: scatters,
  /** A corner lies above the chord by this share of the fall. */
  chargeCornerShare: shares.begun,
  /**
   * The onset is fitted to the level before the fall and to this share of the fall, which the warming of the beans does
   * not bend yet.
   */
  chargeOnsetShare: shares.begun,
  /** The mark is placed again each time the fall is deeper by this much. */
  chargePlaceEveryC: 1,
  chargeBends: [1, 2] as readonly number[],
  /** The fitted time before a fall, and how far before the rough knee it may have begun. */
  onsetLevelSeconds: seconds.line,
  onsetBackSeconds: seconds.held,
  /** The asymptote of a fall below its lowest reading, as a share of the fall (curves: 0.05 to 0.1 gives the same result). */
  chargeBentShare: shares.bottom,
  /** Depth of a charge: 60-120 °C (curves); of an opened door 5-15 °C, of an open lid up to 45 °C. A charge is 25 °C deep after
   * 20 s (curves); a shallower fall without a turn after two minutes is rejected. */
  chargeCertainFallC: degrees.certain,
  chargeShallowFallC: 25,
  chargeShallowSeconds: seconds.doorShut,
  /** A fall that has not recovered this long after the turn was a small batch: a probe recovers from a lid in a minute or two,
   * from beans in three or more (curves). */
  chargeFewBeansSeconds: seconds.warming,
  /** … or it has warmed this far past its former level and keeps warming. */
  chargePastPeakC: degrees.clear,
  /** Beans warm up faster than this over this time; 2.4 °C/min. */
  chargeWarmingPerSecond: warmingPerSecond,
  chargeRateSeconds: seconds.line,
  /** Beans keep this share of the maximum rate since the turn (curves: at least 0.79 for 105 s, simulated 0.56). A door or an empty
   * drum is fast at first and falls below it. */
  recoverySteadyShare: 0.65,
  recoverySlowedShare: shares.half,
  /** … within this time: the return from a door takes 10 to 35 s to 1/e, few beans take 80 s and more. */
  recoverySlowsWithinSeconds: seconds.warming,
  /** … by more than this multiple of the standard error. */
  recoverySlowedErrors: 1.5,
  /** … below this share the probe has come back for good, also in a drum that was being heated. */
  recoveryStoppedShare: shares.small,
  /** … decided when this share of the fall has recovered. */
  recoverySlowedBack: shares.half,
  /** A moved probe stays within this share of its fall above the lowest reading, for this multiple of the duration of the fall
   * (curves: beans at most 1.8) and at least for this time. */
  recoveryBottomShare: shares.bottom,
  recoveryStandsTimes: 2.5,
  recoveryStandsSeconds: 50,
  /** A fall of this depth that still warms up steadily that long after the turn is a charge, whatever share has recovered. */
  recoveryTellingFallC: degrees.deep,
  /** … or of this depth, if it never slowed down below this share of its rate. */
  recoveryEvenFallC: 12,
  recoveryEvenShare: shares.back,
  /** A fall that has recovered this share and is slower than this has settled. */
  chargeSettledShare: 0.85,
  chargeSettledPerSecond: warmingPerSecond,
  /** In a drum that was being heated, beans stay below its line by more than this share of the fall. */
  chargeBelowLineShare: shares.small,
  /** A fall this long after the turning point of an uncertain charge is another charge. */
  chargeAnewSeconds: seconds.held,
  /** A retracted charge can reopen for this long. */
  chargeReconsiderSeconds: seconds.settled,
  /** … if the probe keeps warming to this far past its line. */
  chargeReconsiderC: degrees.charged,
  /** Beans warm up without a pause this long; after it a fall is a charge. */
  chargePauseSeconds: 2 * seconds.line,
  /** A retracted charge began a roast if the probe rose this far from its turning point to the fall of a drop, this
   * much of it after the shortest roast, and within this time. */
  doubtedRiseC: 30,
  doubtedLaterRiseC: degrees.charged,
  /** … and the probe is still below its top after this time, when the heat of an open lid is back. */
  doubtedDropSeconds: seconds.shortestRoast,
  doubtedRoastSeconds: 1800,
  /** A fall from a hotter top, in a roast that is long enough, is no charge: probes read up to 40 °C low. */
  chargeInRoastMaxC: 135,
  minSlopeBefore: coolingPerSecond,
  maxSlopeBefore: 0.5,
  chargeTypicalFallC: degrees.certain,
  /** A fall that has recovered this share is a door or a fan. */
  chargeRecoveredShare: shares.back,
  /** Turning points lie 20-130 s after charge (curves); without one by this time there was no charge. */
  chargeWithoutTurnSeconds: 300,

  /** Artisan: no turning point in the first 20 s. */
  turnAfterSeconds: seconds.still,
  /** The probe has turned when it has risen this far and this long after the lowest reading. Probes resolve 0.1-1 °C (curves). */
  turnRiseC: 1,
  turnRiseSeconds: seconds.seen,
  /** After this rise the turning point is certain. */
  turnCertainRiseC: degrees.clear,

  /** The top of a roast follows the median of three readings within this span. */
  peakSpanSeconds: seconds.held,
  /** … and rises by at most this much plus this rate; a faster probe is followed with a delay. */
  peakRiseC: degrees.shown,
  peakRisePerSecond: 1,

  /** Where the beans turn yellow, by convention; their colour isn't measured. */
  dryEndC: 150,
  dryEndHoldSeconds: seconds.held,

  /** Artisan's minimum for a drop. Below it, or before `dropMinRoastSeconds`, a fall ends an aborted roast. */
  dropMinC: 160,
  /** Artisan waits 7 min; sample and fluid-bed roasters finish in 4 to 6 min. */
  dropMinRoastSeconds: seconds.shortestRoast,
  /** This far below its peak the bean temperature suggests a drop. A pulled trier takes 1-3 °C for seconds. */
  dropFallC: 2,
  /** … or this far, and this far below its line, within this time after the top. */
  dropBentFallC: 0.8,
  dropBentBelowLineC: degrees.leftLine,
  dropBentSeconds: seconds.still,
  dropBentReadings: 3,
  dropBentSpanSeconds: 3.2,
  /** … and by this multiple of its noise, because the top is the maximum of many readings. */
  dropFallScatters: scatters,
  /** At the end of a recording: the last reading lies this far below the top of these seconds, this far below its line, and by
   * this multiple of its scatter. */
  dropEndSeconds: seconds.fall,
  dropEndFallC: degrees.moved,
  dropEndBelowLineC: degrees.shown,
  dropEndScatters: scatters,
  /** A fall of this depth and duration is a drop. */
  dropCertainFallC: degrees.dropped,
  dropCertainSeconds: seconds.held,
  /** … if it has been that deep for this long: a loose plug is back sooner. */
  dropHoldSeconds: seconds.held,
  /** An aborted roast: colder beans, slower confirmation. */
  dropEarlyFallC: degrees.deep,
  dropEarlySeconds: 2 * seconds.line,
  /** A hot empty drum can warm the probe again: a dip of this depth within this time is a drop unless the rise resumes. */
  dropDipC: degrees.clear,
  dropDipSeconds: seconds.still,
  dropDipWaitSeconds: seconds.doorShut,
  /** A slow or shallow fall in a heavy machine is a drop if the rise does not resume for this long. */
  dropSlowSeconds: seconds.remembered,
  /** … but a roast that stalls just below its top gets this long: its slope over this time is less than this. */
  dropStalledSeconds: seconds.settled,
  dropStalledPerSecond: 0.02,
  dropStalledRateSeconds: 2 * seconds.line,
  /** This far above the drop's temperature the roast continues and the drop is retracted. */
  dropResumedC: 2,
  /** … or this far, if it is this near to its line. */
  dropOnLineC: degrees.shown,
  dropNearLineC: 1,
  /** A jump does this share of its fall within this time, or from one reading to the next. */
  dropJumpShare: 0.9,
  dropJumpSeconds: 2,
  /** The line before the top is fitted over this time. */
  dropTrendSeconds: seconds.line,
  /** The onset of a drop is fitted to this share of the fall, at most to this depth. */
  dropOnsetShare: shares.half,
  dropOnsetFallC: degrees.dropped,
  /** … and to this much of its time, because a fall may pause. */
  dropOnsetSeconds: seconds.line,
  /** A corner stands out above the chord by this part of the fall. */
  dropCornerShare: shares.begun,
  /** A dip that recovers is deeper than this multiple of the noise. */
  dropDipScatters: dipScatters,
  /** A slow decline before a drop takes less than this. */
  dropDeclineC: degrees.drift,
  /**
   * A fall that is over within this time may have begun further before its corner, because a slow probe hides its beginning. A
   * slower one is a machine that cools before its beans leave.
   */
  dropSteepSeconds: seconds.still,
  dropSteepBackSeconds: 12,
  /** The exponent of the onset: a lag of second order. */
  dropBends: [2] as readonly number[],
  /** In a gap the drop is placed this share of the gap before its end. */
  dropInSilenceShare: shares.most,
  /** If the last reading before a gap lies this far below the line, the fall had begun. */
  dropBegunC: degrees.moved,
  /** Cooling starts with full fan: at least this, after a rise by this much within this time. */
  coolingFanPercent: 95,
  coolingFanRisePercent: 25,
  coolingSwitchSeconds: seconds.fall,
  /** How long before the fall shows the machine may have switched to cooling (curves: 6-14 s). */
  coolingBeforeFallSeconds: seconds.still,

  /** No charge within this time after a drop. The fastest crews charge again after about a minute. */
  rechargeAfterSeconds: seconds.line,
  /** A drop that is as deep as a charge within this time, turns and rises by this much for this long was a charge (curves: turned
   * 43-98 s after charge; no drop did), unless the probe rose as beans do before it: 3-10 °C/min. */
  rechargeStillPerSecond: warmingPerSecond,
  rechargeHeatedPerSecond: 0.33,
  rechargeFallSeconds: 45,
  rechargeTurnWithinSeconds: seconds.turned,
  rechargeRiseC: 15,
  rechargeRiseSeconds: seconds.warming,
  /** After an aborted roast a shallower fall that turns and warms up like beans was the next charge. */
  rechargeDoubtfulRiseC: degrees.clear,
  rechargeDoubtfulShare: shares.small,
  /** The machine is idle again when the temperature changes less than this over 20 s. */
  idleChangeC: degrees.leftLine,
  idleSeconds: seconds.still,
  /** This long after a drop the machine counts as idle. */
  idleAtLatestSeconds: seconds.settled,
  /** A roast without a reading for this long is abandoned. */
  lostAfterSeconds: 900,

  /** A cold start (fluid beds, sample roasters): a rise from room temperature. */
  coldStartMaxC: 60,
  coldStartRiseC: degrees.clear,
  coldStartStillC: degrees.moved,
  /** The steady level is the median over this time; it ends with a rise by this multiple of its scatter. */
  coldStartLevelSeconds: seconds.line,
  coldStartScatters: scatters,
  /** After this rise the level has certainly ended. */
  coldStartClearC: degrees.leftLine,
  /** The delay between heat on and the first rise of the probe. */
  coldStartDelaySeconds: 3,
} as const;

/** Seconds of readings that are kept, during a roast and while waiting for a charge. */
export const lookBackSeconds = { roasting: seconds.warming, waiting: seconds.remembered } as const;
