/** The type of a field; with `?` it may be null. Objects may hold more fields, lists hold one type. */
type Kind = 'text' | 'number' | 'integer' | 'flag' | 'instant' | 'id';
export type Shape = Kind | `${Kind}?` | readonly [Shape] | { readonly [field: string]: Shape };

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const fits: Record<Kind, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  flag: (value) => typeof value === 'boolean',
  instant: (value) => typeof value === 'string' && instantPattern.test(value),
  id: (value) => typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
};

/** Every position at which a value differs from the document, as `users.0.email: text, but 7`. */
export const misfits = (shape: Shape, value: unknown, at = ''): string[] => {
  if (typeof shape === 'string') {
    const kind = shape.replace('?', '') as Kind;
    const isFit = (shape.endsWith('?') && value === null) || fits[kind](value);
    return isFit ? [] : [`${at}: ${shape}, but ${JSON.stringify(value)}`];
  }
  const inside = at === '' ? '' : `${at}.`;
  if (isList(shape)) {
    if (!Array.isArray(value) || value.length === 0) return [`${at}: a list with something in it, but ${typeof value}`];
    return value.flatMap((item: unknown, index) => misfits(shape[0], item, `${inside}${index}`));
  }
  if (typeof value !== 'object' || value === null) return [`${at}: an object, but ${JSON.stringify(value)}`];
  const fields = new Map(Object.entries(value));
  return Object.entries(shape).flatMap(([field, kind]) => misfits(kind, fields.get(field), `${inside}${field}`));
};
const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

export const message: Shape = { message: 'text' };
export const user = {
  id: 'id',
  full_name: 'text',
  email: 'text',
  is_active: 'flag',
  is_admin: 'flag',
  created_at: 'instant',
} as const;
export const machine = {
  id: 'id',
  serial_number: 'text',
  display_name: 'text',
  machine_type: 'text',
  max_capacity_kg: 'number',
  total_roasts: 'integer',
  total_kg_roasted: 'number',
  created_at: 'instant',
  owner_name: 'text',
} as const;
export const roast: Shape = {
  id: 'id',
  coffee_name: 'text?',
  coffee_origin: 'text?',
  coffee_process: 'text?',
  start_time: 'instant',
  profile_name: 'text?',
  machine_name: 'text',
  owner_name: 'text',
  batch_size_kg: 'number?',
  duration_seconds: 'number',
  roast_number: 'text',
  roast_level_target: 'text?',
  roast_level: 'text?',
  charge_temp: 'number',
  drop_temp: 'number',
  development_time_ratio: 'number',
  development_time_seconds: 'number',
  first_crack_time: 'number',
  first_crack_temp: 'number',
};
export const lot: Shape = {
  id: 'id',
  lot_number: 'text',
  coffee_name: 'text',
  origin: 'text',
  region: 'text?',
  farm: 'text?',
  variety: 'text?',
  process: 'text?',
  altitude: 'number?',
  harvest_date: 'instant?',
  supplier: 'text?',
  purchase_date: 'instant?',
  cost_per_kg: 'number?',
  initial_weight: 'number',
  current_weight: 'number',
  percentage_remaining: 'number',
  location: 'text?',
  cupping_score: 'number?',
  moisture_content: 'number?',
  water_activity: 'number?',
  density: 'number?',
  screen_size: 'text?',
  notes: 'text?',
  registration_date: 'instant',
  estimated_runout_days: 'number?',
  usage_count: 'integer',
  status: 'text',
};
export const recipe: Shape = {
  id: 'id',
  name: 'text',
  description: 'text?',
  coffee_origin: 'text?',
  coffee_variety: 'text?',
  roast_level: 'text',
  target_drop_temp: 'number',
  target_roast_time: 'number',
  target_development_time: 'number',
  min_batch_size: 'number',
  max_batch_size: 'number',
  green_coffee_lot_id: 'id',
  auto_deduct_inventory: 'flag',
  alert_low_inventory: 'flag',
  control_profile: [{ time: 'number', burner: 'number', exhaust: 'number', drum: 'number' }],
  is_favorite: 'flag',
  times_used: 'integer',
  lot_info: { lot_number: 'text', current_weight: 'number' },
};
export const option: Shape = {
  id: 'id',
  category: 'text',
  value: 'text',
  description: 'text?',
  sort_order: 'integer',
  is_active: 'flag',
};
export const roastery: Shape = {
  roastery_name: 'text?',
  address: 'text?',
  city: 'text?',
  country: 'text?',
  postal_code: 'text?',
  email: 'text?',
  phone: 'text?',
  website: 'text?',
};
