import { describe, expect, it } from 'vitest';
import { newRecipe, recipeResolver, valuesOfRecipe, type RecipeValues } from './recipe-form-values.ts';

const resolve = async (values: RecipeValues, unit: 'C' | 'F' = 'C') =>
  recipeResolver(unit)(values, undefined, { fields: {}, shouldUseNativeValidation: false });
const messagesOf = async (change: Partial<RecipeValues>): Promise<Record<string, string | undefined>> => {
  const { errors } = await resolve({ ...newRecipe('C'), name: 'Konga', ...change });
  return Object.fromEntries(Object.entries(errors).map(([field, error]) => [field, error.message as string]));
};

const recipe = {
  name: 'x',
  description: null,
  coffee_origin: null,
  coffee_variety: null,
  roast_level: 'Medium',
  target_charge_temp: null,
  target_roast_time: 720,
  target_development_time: 150,
  min_batch_size: 10,
  max_batch_size: 15,
  green_coffee_lot_id: null,
  auto_deduct_inventory: true,
  alert_low_inventory: false,
  auto_interpolate: true,
  control_profile: [],
};

describe('the recipe form', () => {
  it('begins with the defaults of the document', async () => {
    const { values, errors } = await resolve({ ...newRecipe('C'), name: 'Konga' });
    expect(errors).toEqual({});
    expect(values).toMatchObject({
      roast_level: 'Medium',
      target_charge_temp: null,
      target_drop_temp: 210,
      target_roast_time: 720,
      target_development_time: 150,
      min_batch_size: 10,
      max_batch_size: 15,
      auto_deduct_inventory: true,
      alert_low_inventory: false,
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    });
  });

  it('refuses with the document’s messages', async () => {
    expect(await messagesOf({ name: ' ', target_drop_temp: '0', target_roast_time: '0:00' })).toEqual({
      name: 'Recipe name is required',
      target_drop_temp: 'Drop temp must be greater than 0',
      target_roast_time: 'Roast time must be greater than 0',
    });
    expect(await messagesOf({ target_drop_temp: '', target_roast_time: '' })).toEqual({
      target_drop_temp: 'Drop temp must be greater than 0',
      target_roast_time: 'Roast time must be greater than 0',
    });
    expect(await messagesOf({ control_profile: [] })).toEqual({
      control_profile: 'At least 2 control points are required',
    });
  });

  it('accepts times as m:ss and reports invalid ones [P188]', async () => {
    const { values } = await resolve({ ...newRecipe('C'), name: 'x', target_roast_time: '10:30' });
    expect(values).toMatchObject({ target_roast_time: 630 });
    expect(await messagesOf({ target_roast_time: '10:75', target_development_time: 'two' })).toEqual({
      target_roast_time: 'Enter the time as m:ss',
      target_development_time: 'Enter the time as m:ss',
    });
  });

  it('shows °F to a user of °F, and changes no value when opened and saved', async () => {
    expect(newRecipe('F').target_drop_temp).toBe('410');
    for (let tenths = 1800; tenths < 2400; tenths++) {
      const target_drop_temp = tenths / 10;
      const shown = valuesOfRecipe({ ...recipe, target_drop_temp }, 'F');
      const { values } = await resolve({ ...newRecipe('F'), name: 'x', target_drop_temp: shown.target_drop_temp }, 'F');
      expect(values).toMatchObject({ target_drop_temp });
    }
  });
});
