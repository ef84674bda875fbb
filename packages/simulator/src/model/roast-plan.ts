import type { ControlPoint } from '@roastery/roasting/recipe/control-profile';

/** The roast levels of the recipe form. */
export const roastLevels = ['Light', 'Medium-Light', 'Medium', 'Medium-Dark', 'Dark'] as const;
export type RoastLevel = (typeof roastLevels)[number];

/** The fault of a bad roast. */
export const roastFaults = ['stalled', 'baked', 'scorched', 'too_fast'] as const;
export type RoastFault = (typeof roastFaults)[number];

/** The operator's targets. Rates are of the bean probe, °C/min. */
export interface RoastPlan {
  readonly chargeTempC: number;
  readonly dropTempC: number;
  /** Target rate of rise at 100 °C and at 205 °C; linear over temperature between and beyond them. */
  readonly rateAt100C: number;
  readonly rateAt205C: number;
  /** Burner right after charge, %; used before there is a rate to correct by. */
  readonly firstHeatPercent: number;
  /** Airflow during drying, Maillard and development, %. */
  readonly airPercent: readonly [number, number, number];
  readonly drumRpm: number;
  /** When the operator turns the burner down by mistake, and for how long. */
  readonly stall: { readonly fromTempC: number; readonly seconds: number } | null;
  /** A recipe's control profile instead of the figures above; the operator corrects its burner by the rate of rise. */
  readonly controlProfile: readonly ControlPoint[] | null;
}

/** Drop temperatures of a drum roaster's bean probe; development of about 12 to 25 % follows from them. */
const dropTempOf: Record<RoastLevel, number> = {
  Light: 206,
  'Medium-Light': 209,
  Medium: 212.5,
  'Medium-Dark': 218,
  Dark: 224.5,
};

const soundPlan: Omit<RoastPlan, 'dropTempC'> = {
  chargeTempC: 205,
  rateAt100C: 24,
  rateAt205C: 7,
  firstHeatPercent: 71,
  airPercent: [40, 50, 62],
  drumRpm: 62,
  stall: null,
  controlProfile: null,
};

const faultyPlan: Record<RoastFault, Partial<RoastPlan>> = {
  stalled: { stall: { fromTempC: 176, seconds: 80 } },
  baked: { chargeTempC: 190, rateAt100C: 15.5, rateAt205C: 3.4, firstHeatPercent: 55 },
  scorched: {
    chargeTempC: 243,
    rateAt100C: 29,
    rateAt205C: 8,
    firstHeatPercent: 95,
    drumRpm: 42,
    airPercent: [30, 36, 45],
  },
  too_fast: { chargeTempC: 218, rateAt100C: 32, rateAt205C: 14, firstHeatPercent: 92, airPercent: [45, 60, 70] },
};

/** The plan for a level, changed by a fault, with single figures set by the caller. */
export const roastPlan = (
  level: RoastLevel,
  fault: RoastFault | null = null,
  own: Partial<RoastPlan> = {},
): RoastPlan => ({
  ...soundPlan,
  dropTempC: dropTempOf[level],
  ...(fault === null ? {} : faultyPlan[fault]),
  ...own,
});

/** The target rate of rise at a bean temperature, °C/min. */
export const plannedRate = (plan: RoastPlan, beanTempC: number): number => {
  const slope = (plan.rateAt205C - plan.rateAt100C) / 105;
  const rate = plan.rateAt100C + slope * (Math.max(beanTempC, 90) - 100);
  return Math.max(rate, Math.min(3, plan.rateAt205C * 0.7));
};
