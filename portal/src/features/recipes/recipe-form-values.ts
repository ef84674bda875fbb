import { parseShape } from '@roastery/contract/parse-shape';
import { profileBodyShape, type Profile } from '@roastery/contract/profiles';
import { roastLevels } from '@roastery/contract/roasts';
import { defaultControlPoints } from '@roastery/roasting/recipe/control-profile';
import { cToF, formatDuration, fToC, parseDuration, type TemperatureUnit } from '@roastery/roasting/units';
import type { Resolver, UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { keysOf } from '../../components/form/three-way.ts';
import { draftOf, problemsOf, storedOf, type DraftPoint } from './control-points.ts';
import { exactWeight } from '../../format/weights.ts';
import { t } from '../../language/t.ts';

export type RecipeBody = z.output<typeof profileBodyShape>;

/** The fields as text: numbers as typed, times as m:ss, the temperature in the person's unit. */
export interface RecipeValues {
  name: string;
  description: string;
  coffee_origin: string;
  coffee_variety: string;
  roast_level: RecipeBody['roast_level'];
  target_charge_temp: string;
  target_drop_temp: string;
  target_roast_time: string;
  target_development_time: string;
  min_batch_size: string;
  max_batch_size: string;
  green_coffee_lot_id: string | null;
  auto_deduct_inventory: boolean;
  alert_low_inventory: boolean;
  auto_interpolate: boolean;
  control_profile: DraftPoint[];
}
export type RecipeField = keyof RecipeValues;
export type RecipeFormState = UseFormReturn<RecipeValues, unknown, RecipeBody>;

/** One decimal in both directions, so that opening and saving in °F changes nothing. */
const oneDecimal = (value: number): number => Math.round(value * 10) / 10;
const temperatureText = (celsius: number, unit: TemperatureUnit): string =>
  String(oneDecimal(unit === 'F' ? cToF(celsius) : celsius));
const numberText = (value: number | null): string => (value === null ? '' : String(value));
const timeText = (seconds: number | null): string => (seconds === null ? '' : formatDuration(seconds));

/** The defaults of the product document, section 9. */
export const newRecipe = (unit: TemperatureUnit): RecipeValues => ({
  name: '',
  description: '',
  coffee_origin: '',
  coffee_variety: '',
  roast_level: 'Medium',
  target_charge_temp: '',
  target_drop_temp: temperatureText(210, unit),
  target_roast_time: '12:00',
  target_development_time: '2:30',
  min_batch_size: '10',
  max_batch_size: '15',
  green_coffee_lot_id: null,
  auto_deduct_inventory: true,
  alert_low_inventory: false,
  auto_interpolate: true,
  control_profile: draftOf(
    defaultControlPoints.map(({ timeSeconds, burner, exhaust, drumRpm }) => ({
      time: timeSeconds,
      burner,
      exhaust,
      drum: drumRpm,
    })),
  ),
});

export const valuesOfRecipe = (recipe: Pick<Profile, RecipeField>, unit: TemperatureUnit): RecipeValues => ({
  name: recipe.name,
  description: recipe.description ?? '',
  coffee_origin: recipe.coffee_origin ?? '',
  coffee_variety: recipe.coffee_variety ?? '',
  roast_level: roastLevels.find((level) => level === recipe.roast_level) ?? 'Medium',
  target_charge_temp: recipe.target_charge_temp === null ? '' : temperatureText(recipe.target_charge_temp, unit),
  target_drop_temp: temperatureText(recipe.target_drop_temp, unit),
  target_roast_time: timeText(recipe.target_roast_time),
  target_development_time: timeText(recipe.target_development_time),
  min_batch_size: numberText(recipe.min_batch_size),
  max_batch_size: numberText(recipe.max_batch_size),
  green_coffee_lot_id: recipe.green_coffee_lot_id,
  auto_deduct_inventory: recipe.auto_deduct_inventory,
  alert_low_inventory: recipe.alert_low_inventory,
  auto_interpolate: recipe.auto_interpolate,
  control_profile: draftOf(recipe.control_profile),
});

/** Null for an empty field, NaN for an invalid number. */
export const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));
/** Null for an empty field, NaN for an invalid m:ss. */
const secondsOf = (text: string): number | null => (text.trim() === '' ? null : (parseDuration(text) ?? Number.NaN));

/** m:ss as seconds; null for anything else. */
export const parseTime = (text: string): number | null => parseDuration(text);

const celsiusOf = (text: string, unit: TemperatureUnit): number | null => {
  const value = numberOf(text);
  return value === null || unit === 'C' ? value : oneDecimal(fToC(value));
};

/** The body of the request before validation: times in seconds, °C, points sorted by time. */
const bodyOf = (values: RecipeValues, unit: TemperatureUnit) => ({
  ...values,
  description: values.description.trim() === '' ? null : values.description,
  coffee_origin: values.coffee_origin.trim() === '' ? null : values.coffee_origin,
  coffee_variety: values.coffee_variety.trim() === '' ? null : values.coffee_variety,
  target_charge_temp: celsiusOf(values.target_charge_temp, unit),
  target_drop_temp: celsiusOf(values.target_drop_temp, unit),
  target_roast_time: secondsOf(values.target_roast_time),
  target_development_time: secondsOf(values.target_development_time),
  min_batch_size: numberOf(values.min_batch_size),
  max_batch_size: numberOf(values.max_batch_size),
  control_profile: storedOf(values.control_profile),
});

const maxBatchKg = 10_000;
const isWrittenTime = (text: string): boolean => text.trim() === '' || parseDuration(text) !== null;

/** The document's sentence for a field, where the contract's own would be about types. */
const sentenceOf = (field: string, values: RecipeValues, unit: TemperatureUnit): string | undefined => {
  if (field === 'target_charge_temp') {
    const celsius = celsiusOf(values.target_charge_temp, unit);
    return celsius !== null && celsius > 400
      ? t`Charge temp must be at most ${temperatureText(400, unit)} °${unit}`
      : t`Charge temp must be greater than 0`;
  }
  if (field === 'target_drop_temp') {
    const celsius = celsiusOf(values.target_drop_temp, unit);
    return celsius !== null && celsius > 400
      ? t`Drop temp must be at most ${temperatureText(400, unit)} °${unit}`
      : t`Drop temp must be greater than 0`;
  }
  if (field === 'target_roast_time' || field === 'target_development_time') {
    if (!isWrittenTime(values[field])) return t`Enter the time as m:ss`;
    if ((secondsOf(values[field]) ?? 0) > 14_400) return t`At most 240:00`;
    return field === 'target_roast_time' ? t`Roast time must be greater than 0` : undefined;
  }
  if (field === 'min_batch_size' || field === 'max_batch_size') return t`Batch size: 0-${exactWeight(maxBatchKg)}`;
  return undefined;
};

/** Checks the form against the contract's shape; the sentences are the document's. */
export const recipeResolver =
  (unit: TemperatureUnit): Resolver<RecipeValues, unknown, RecipeBody> =>
  (values) => {
    const parsed = parseShape(profileBodyShape, bodyOf(values, unit));
    const problem = problemsOf(values.control_profile)[0];
    if (parsed.success && problem === undefined) return { values: parsed.data, errors: {} };
    const errors: Partial<Record<RecipeField, { type: string; message: string }>> = {};
    for (const issue of parsed.success ? [] : parsed.issues) {
      const field = recipeFields.find((known) => known === issue.path[0]);
      if (field === undefined) continue;
      errors[field] ??= { type: issue.code, message: sentenceOf(field, values, unit) ?? issue.message };
    }
    if (problem !== undefined) errors.control_profile = { type: 'points', message: problem.message };
    return { values: {}, errors };
  };

/** The messages of the forms of a new and of an edited recipe when saving fails. */
export const recipeTexts = {
  failure: t`Failed to save recipe`,
  invalid: t`Please fix validation errors before saving`,
};

/** Labels of the form, for the notice of an edit conflict. */
export const recipeLabels: Record<RecipeField, string> = {
  name: t`Recipe name`,
  description: t`Description`,
  coffee_origin: t`Origin`,
  coffee_variety: t`Variety`,
  roast_level: t`Roast level`,
  target_charge_temp: t`Charge temp`,
  target_drop_temp: t`Drop temp`,
  target_roast_time: t`Roast time`,
  target_development_time: t`Development time`,
  min_batch_size: t`Min batch size`,
  max_batch_size: t`Max batch size`,
  green_coffee_lot_id: t`Green coffee lot`,
  auto_deduct_inventory: t`Auto-deduct inventory`,
  alert_low_inventory: t`Low inventory alert`,
  auto_interpolate: t`Auto-interpolate`,
  control_profile: t`Control profile`,
};

/** A value as the notice of an edit conflict shows it. */
export const textOfValue = (value: RecipeValues[RecipeField]): string => {
  if (Array.isArray(value)) return t`${value.length} points to ${formatDuration(value.at(-1)?.time)}`;
  if (typeof value === 'boolean') return value ? t`On` : t`Off`;
  return value ?? '';
};

export const recipeFields = keysOf(recipeLabels);
