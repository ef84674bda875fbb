import type { Lot } from '@roastery/contract/inventory';
import type { Machine } from '@roastery/contract/machines';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import { roastLevels, type Roast } from '@roastery/contract/roasts';
import { defaultControlPoints, percentToRpm } from '@roastery/roasting/recipe/control-profile';
import { controls } from '@roastery/roasting/recipe/guide';
import { stepsOfRecord, type RecordedSteps } from '@roastery/roasting/recipe/recorded-steps';
import type { TemperatureUnit } from '@roastery/roasting/units';
import { coffeeName } from '../../components/live/roast-texts.ts';
import { draftOf, type DraftPoint } from './control-points.ts';
import { newRecipe, valuesOfRecipe, type RecipeValues } from './recipe-form-values.ts';

/** A roast with what it was recorded on and roasted from, as far as this person may see it. */
export interface RecordedRoast {
  readonly roast: Roast;
  readonly curve: CurveColumns;
  readonly machine: Pick<Machine, 'max_capacity_kg'> | undefined;
  readonly lot: Lot | undefined;
}

/** How far a step may lie from the record: % of gas and air, RPM of the drum. */
export const tolerances = ['1', '2', '3', '5', '10'] as const;
export type Tolerance = (typeof tolerances)[number];
/** About the resolution of a damper and the jitter of a drive. */
export const usualTolerance: Tolerance = '2';

const usualRoastSeconds = 720;
const secondsOf = ({ roast, curve }: RecordedRoast): number =>
  Math.max(1, Math.round(roast.duration_seconds ?? curve.time_seconds.at(-1) ?? usualRoastSeconds));

/** The steps of a roast. Where nothing was recorded: those of a new recipe, over the time of the roast. */
export const stepsOfRoast = (recorded: RecordedRoast, tolerance: Tolerance): RecordedSteps => {
  const { roast, curve } = recorded;
  const { heat_power: burner, fan_speed: exhaust, drum_speed: drum } = curve.channels;
  const maxRpm = roast.max_drum_rpm;
  const drumRpm =
    maxRpm === null ? undefined : drum?.map((percent) => (percent === null ? null : percentToRpm(percent, maxRpm)));
  const columns = { ...(burner && { burner }), ...(exhaust && { exhaust }), ...(drumRpm && { drumRpm }) };
  const end = secondsOf(recorded);
  const steps = stepsOfRecord({ timesSeconds: curve.time_seconds, columns }, end, Number(tolerance));
  return steps.missing.length < controls.length
    ? steps
    : {
        ...steps,
        points: defaultControlPoints.map((point) => ({ ...point, timeSeconds: Math.min(point.timeSeconds, 1) * end })),
        interpolated: true,
      };
};

export const draftOfSteps = ({ points }: RecordedSteps): DraftPoint[] =>
  draftOf(
    points.map(({ timeSeconds, burner, exhaust, drumRpm }) => ({ time: timeSeconds, burner, exhaust, drum: drumRpm })),
  );

/** A machine roasts this much less or more than the batch with the same steps. */
const batchSpread = 0.1;

/** To three figures, so that a sample roast of 100 g keeps its grams. */
const roundedBatch = (kg: number): number => Number(kg.toPrecision(3));

/** The batches of the recipe: around that of the roast, and no more than the machine takes. */
export const batchRange = (batchKg: number, capacityKg: number | undefined): { min: number; max: number } => ({
  min: roundedBatch(batchKg * (1 - batchSpread)),
  // A roast above the capacity was possible.
  max: Math.max(batchKg, Math.min(roundedBatch(batchKg * (1 + batchSpread)), capacityKg ?? Infinity)),
});

/** The form of a new recipe, filled in from a roast; what the roast lacks is as in every new recipe. */
export const valuesOfRoast = (recorded: RecordedRoast, steps: RecordedSteps, unit: TemperatureUnit): RecipeValues => {
  const { roast, machine, lot } = recorded;
  const usual = newRecipe(unit);
  const batch = roast.batch_size_kg === null ? null : batchRange(roast.batch_size_kg, machine?.max_capacity_kg);
  const values = valuesOfRecipe(
    {
      name: `${coffeeName(roast)} · ${roast.said_number}`.slice(0, 200),
      description: null,
      coffee_origin: roast.coffee_origin ?? lot?.origin ?? null,
      coffee_variety: lot?.variety ?? null,
      roast_level: roastLevels.find((level) => level === (roast.roast_level ?? roast.roast_level_target)) ?? 'Medium',
      target_charge_temp: roast.charge_temp,
      target_drop_temp: roast.drop_temp ?? 0,
      target_roast_time: secondsOf(recorded),
      target_development_time:
        roast.development_time_seconds === null ? null : Math.round(roast.development_time_seconds),
      min_batch_size: batch?.min ?? null,
      max_batch_size: batch?.max ?? null,
      green_coffee_lot_id: lot === undefined || lot.archived_at !== null ? null : lot.id,
      auto_deduct_inventory: true,
      alert_low_inventory: false,
      auto_interpolate: steps.interpolated,
      control_profile: [],
    },
    unit,
  );
  return {
    ...values,
    ...(roast.drop_temp === null && { target_drop_temp: usual.target_drop_temp }),
    ...(batch === null && { min_batch_size: usual.min_batch_size, max_batch_size: usual.max_batch_size }),
    control_profile: draftOfSteps(steps),
  };
};

/** A roast that the recipe can be compared with: finished, and with a curve. */
export const referenceOf = ({ roast }: RecordedRoast): string | null =>
  roast.status === 'completed' && roast.channels.length > 0 ? roast.id : null;
