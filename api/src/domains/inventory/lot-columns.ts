import type { lotBodyShape } from '@roastery/contract/inventory';
import type { z } from 'zod';

export type LotForm = z.output<typeof lotBodyShape>;

/** What a form says about the coffee, as columns: a field left out is empty. */
export const describingColumns = (form: Omit<LotForm, 'lot_number'>) => ({
  coffee_name: form.coffee_name,
  origin: form.origin,
  region: form.region ?? null,
  farm: form.farm ?? null,
  variety: form.variety ?? null,
  process: form.process ?? null,
  altitude: form.altitude ?? null,
  harvest_date: form.harvest_date ?? null,
  supplier: form.supplier ?? null,
  purchase_date: form.purchase_date ?? null,
  cost_per_kg: form.cost_per_kg ?? null,
  initial_weight: form.initial_weight,
  location: form.location ?? null,
  cupping_score: form.cupping_score ?? null,
  moisture_content: form.moisture_content ?? null,
  water_activity: form.water_activity ?? null,
  density: form.density ?? null,
  screen_size: form.screen_size ?? null,
  notes: form.notes ?? null,
});
