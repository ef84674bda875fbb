/**
 * The figures that the roast detector decides by. Sources: "Artisan" and "Cropster" are those programs' own rules;
 * "curves" is what 23 recorded roasts of a dozen machines (drum, fluid bed, hot-air; 1 s to 5 s a reading) show.
 */
export const detectionLimits = {
  /** A probe this cold is in no preheated drum. Artisan's floor for a charge. */
  chargeMinC: 77,
  /** How far the beans must pull the probe down, and how fast. Cropster asks 7 °C in 30 s, which
   * a cooling drum that somebody opens does too; curves: 10 °C within 12 s, but for one at 2 °C/s. */
  chargeFallC: 10,
  chargeFallSeconds: 15,
  /** Where a drum cools after a drop, only as deep a fall counts before it turns. */
  chargeAfterDropFallC: 20,
  chargeAfterDropSeconds: 600,
  /** Before it falls the probe stands or creeps: its slope is under a third of the fall's (curves: under a sixth). */
  chargeSteeperThanBefore: 3,
  chargeBeforeSeconds: 15,
  /** Falling faster than this the drum was being cooled when the beans came. */
  chargeCoolingPerSecond: -0.2,
  /** A slow fall is a charge if it leaves a level or a line that it followed for 20 s, turns about as soon as beans do (curves: 20-130 s)
   * and has most of it done by half of that time, as one that tends to the beans' temperature. */
  chargeSlowStillSeconds: 20,
  /** … or as much of it as was recorded, but not less than this. */
  chargeSlowLeastSeconds: 8,
  chargeSlowTurnWithinSeconds: 160,
  chargeSlowFirstHalfShare: 0.6,
  /** It is reported this long after it turned at the latest. */
  chargeSlowToldSeconds: 90,
  /** It takes this much off the probe (curves: 8 °C), so many times its noise, and has come back by this share. */
  chargeSlowFallC: 6,
  /** Nobody charges few beans into a drum that would not boil water. */
  chargeSlowMinC: 100,
  chargeSlowNoiseTimes: 8,
  /** … at first at least as fast as this, °C/s: a burner that cycles takes minutes. */
  chargeSlowSteepness: -0.15,
  chargeSlowRiseShare: 0.05,
  /** The mark is the last reading that has less than this part of the whole fall behind it (curves: within 2 s). */
  chargeKneeShare: 0.03,
  /** … and that lies further down than noise goes: so many times the scatter before. */
  chargeKneeScatters: 4,
  /** A corner stands out by this part of the fall. */
  chargeCornerShare: 0.15,
  /** Its onset is fitted to the level before and to this part of the fall, which a lag bends but the beans' warming doesn't yet. */
  chargeOnsetShare: 0.15,
  /** A fall that is this much deeper than when the mark was placed has it placed anew. */
  chargePlaceEveryC: 1,
  chargeBends: [1, 2] as readonly number[],
  /** So much of the level before a fall is fitted with it, and so long before the rough knee it may have begun. */
  onsetLevelSeconds: 30,
  onsetBackSeconds: 12,
  /** How far below its lowest a fall tends, as a part of it; between a twentieth and a tenth it makes no difference (curves). */
  chargeBentShare: 0.1,
  /** Cold beans take 60-120 °C off the probe (curves); a door opened in between takes 5-15 °C, a lid left open up to 45.
   * A charge has taken 25 °C after 20 s (curves); what hasn't after two minutes is none. */
  chargeCertainFallC: 50,
  chargeShallowFallC: 25,
  chargeShallowSeconds: 120,
  /** A fall that hasn't come back when the probe has turned for so long was beans, if few: a probe comes back from
   * a lid in a minute or two, from beans in three and more (curves). */
  chargeFewBeansSeconds: 100,
  /** … or it has warmed this far past where it was, and still does. */
  chargePastPeakC: 5,
  /** Beans warm up faster than this over so long, 2.4 °C/min. */
  chargeWarmingPerSecond: 0.04,
  chargeRateSeconds: 30,
  /** Beans keep this part of the fastest rate since the turn (curves: at least 0.8 of it for 150 s); what has less was fast at
   * first, as a door or an empty drum is. */
  recoverySteadyShare: 0.65,
  recoverySlowedShare: 0.5,
  /** … judged when it has come back so far. */
  recoverySlowedBack: 0.5,
  /** A probe that was moved stands within this part of its fall above the lowest, for so many times as long as it fell (curves:
   * beans at most 1.8 times) and at least for so long. */
  recoveryBottomShare: 0.1,
  recoveryStandsTimes: 3,
  recoveryStandsSeconds: 50,
  /** So deep a fall that is still warming up steadily 100 s after the turn was beans, wherever it has come to. */
  recoveryTellingFallC: 20,
  /** A fall that has come back this far and is slower than this has settled. */
  chargeSettledShare: 0.85,
  chargeSettledPerSecond: 0.03,
  /** In a drum that was being heated up, beans stay below the line it followed by more than this share of the fall. */
  chargeBelowLineShare: 0.3,
  /** A fall this long after the turning point of a charge that isn't certain is another one. */
  chargeAnewSeconds: 10,
  /** A charge that was taken back may prove to have been one for so long. */
  chargeReconsiderSeconds: 480,
  /** … if the probe goes on warming to so far past where it was. */
  chargeReconsiderC: 10,
  chargeSlopeLeast: -0.2,
  chargeSlopeMost: 0.3,
  chargeTypicalFallC: 60,
  /** A fall that has come back this far is a door or a fan, no charge. */
  chargeRecoveredShare: 0.7,
  /** Turning points lie 20-130 s after charge (curves); one that isn't there by now never was a charge. */
  chargeWithoutTurnSeconds: 300,

  /** Artisan: no turning point in the first 20 s. */
  turnAfterSeconds: 20,
  /** Risen this far and this long after the lowest reading: it has turned. Probes resolve 0.1-1 °C (curves). */
  turnRiseC: 1,
  turnRiseSeconds: 8,
  /** Risen this far it can't fall back for lack of heat alone. */
  turnCertainRiseC: 5,

  /** The top of a roast rises only by what the middle of three readings shows, if they lie within this. */
  peakSpanSeconds: 11,
  /** … and by no more than this and so much a second; a probe that really warms up faster is followed a little later. */
  peakRiseC: 0.5,
  peakRisePerSecond: 1,

  /** Where the beans turn yellow, by convention; their colour isn't measured. */
  dryEndC: 150,
  dryEndHoldSeconds: 10,

  /** Artisan's floor for a drop. Below it, or before `dropMinRoastSeconds`, a fall ends a roast that was broken off. */
  dropMinC: 160,
  /** Artisan waits 7 min; sample and fluid-bed roasters finish in 4 to 6. */
  dropMinRoastSeconds: 180,
  /** Fallen this far below its peak the bean temperature says "drop?". Pulling the trier takes 1-3 °C for seconds. */
  dropFallC: 2,
  /** … or this far, and as far below the line it followed, so soon after the top. */
  dropBentFallC: 0.8,
  dropBentBelowLineC: 1.5,
  dropBentSeconds: 20,
  dropBentReadings: 3,
  dropBentSpanSeconds: 3.2,
  /** … and by so many times its noise: the top is the luckiest of many readings. */
  dropFallScatters: 3.5,
  /** Where a recording ends: the last reading lies so far below the top of the last seconds, so far below the line to it, and
   * by so many times its scatter. */
  dropEndSeconds: 16,
  dropEndFallC: 0.3,
  dropEndBelowLineC: 0.5,
  dropEndScatters: 5,
  /** Fallen this far and this long it is one. */
  dropCertainFallC: 8,
  dropCertainSeconds: 10,
  /** … and it must have been that far down for so long: a loose plug is back sooner. */
  dropHoldSeconds: 12,
  /** Broken off early: colder beans, slower proof. */
  dropEarlyFallC: 20,
  dropEarlySeconds: 60,
  /** A hot empty drum can warm the probe up again: a dip this deep this fast counts unless the rise is resumed. */
  dropDipC: 5,
  dropDipSeconds: 20,
  dropDipWaitSeconds: 120,
  /** A slow or shallow fall in a heavy machine, not resumed for so long, is a drop. */
  dropSlowSeconds: 240,
  /** … but a roast that stands still just below its top gets this long; it moves by less than this over this much time. */
  dropStalledSeconds: 600,
  dropStalledPerSecond: 0.02,
  dropStalledRateSeconds: 60,
  /** Above the drop's temperature by this much the roast goes on: withdrawn. */
  dropResumedC: 2,
  /** … or by this much if it is as near as this to the line it followed. */
  dropOnLineC: 0.5,
  dropNearLineC: 1,
  /** The trend that the bean temperature leaves when the beans do: a line through this much time before the top. */
  dropTrendSeconds: 30,
  /** The onset of a drop: beans leave over seconds and through a lag, so the fall is bent. Fitted to this part of it, at most so deep. */
  dropOnsetShare: 0.5,
  dropOnsetFallC: 8,
  /** … and so much of its time: a fall may pause. */
  dropOnsetSeconds: 30,
  /** A corner stands out above the chord by this part of the fall. */
  dropCornerShare: 0.2,
  /** A slow decline before a drop takes less than this. */
  dropDeclineC: 4,
  /** How the fall is bent: through one lag more than the air's own, or two. */
  dropBends: [2, 3] as readonly number[],
  /** In a silence the drop is placed so far before its end. */
  dropInSilenceShare: 0.6,
  /** The last reading before a silence lies at least so far below the line: the fall had begun. */
  dropBegunC: 0.3,
  /** Cooling starts with the fan on full: at least this, risen by this much within this time. */
  coolingFanPercent: 95,
  coolingFanRisePercent: 25,
  coolingSwitchSeconds: 15,
  /** How long before the fall shows the machine may have switched to cooling (curves: 6-14 s). */
  coolingBeforeFallSeconds: 20,

  /** After a drop nothing is a charge for so long. The quickest crews charge again after about a minute. */
  rechargeAfterSeconds: 30,
  /** A drop that takes as much as a charge off the probe within this, turns and rises by so much for so long was a charge
   * (curves: turned 43-98 s after charge; no drop has), unless the probe rose as beans do before: they gain 3-10 °C/min at their drop. */
  rechargeStillPerSecond: 0.04,
  rechargeHeatedPerSecond: 0.33,
  rechargeFallSeconds: 45,
  rechargeTurnWithinSeconds: 130,
  rechargeRiseC: 15,
  rechargeRiseSeconds: 90,
  /** After a roast that was broken off a shallower fall that turns and warms up like beans was the next charge. */
  rechargeDoubtfulRiseC: 5,
  rechargeDoubtfulShare: 0.3,
  /** Changes less than this over 20 s: the machine stands by again. */
  idleChangeC: 1.5,
  idleSeconds: 20,
  /** Dropped for so long it stands by, whatever the probe does. */
  idleAtLatestSeconds: 600,
  /** Without a reading for so long nothing is known of the roast any more. */
  lostAfterSeconds: 900,

  /** A cold start (fluid beds, sample roasters): beans at room temperature, heat on, up it goes. */
  coldStartMaxC: 60,
  coldStartRiseC: 5,
  coldStartStillC: 0.25,
  /** The level it stood at is the middle of this much time; it has left it by so many times its scatter. */
  coldStartLevelSeconds: 40,
  coldStartScatters: 3,
  /** Risen this far it has left for certain. */
  coldStartClearC: 1.5,
  /** The heat is on for so long before the probe shows any of it: air, beans and sheath warm up first. */
  coldStartDelaySeconds: 3,
} as const;

/** How much of the past is kept to look back into, seconds: while a roast runs, and while a slow charge may have to be found. */
export const lookBackSeconds = { roasting: 90, waiting: 240 } as const;
