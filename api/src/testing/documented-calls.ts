import { lot, machine, message, option, recipe, roast, roastery, user, type Shape } from './documented-shapes.ts';

/** Ids and numbers of one answer that a later call needs. */
export type Known = Record<string, string>;

export interface DocumentedCall {
  /** Method and path below /api/v1, verbatim. */
  readonly call: string;
  /** In the words of the document. */
  readonly what: string;
  /** The record whose id is in the path. */
  readonly id?: string;
  /** Which drop-down is in the path. */
  readonly category?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly payload?: (known: Known) => object;
  /** `person`: the user who signs in and out in the first calls; else the administrator. */
  readonly by?: 'person';
  readonly answers: Shape;
  /** Fields that the answer contains among others. */
  readonly holds?: (known: Known) => object;
  /** How long the answered list is. */
  readonly count?: number;
  /** The name of the answered id for later calls. */
  readonly keeps?: string;
}

const credentials = { email: 'kofi@roastery.example', password: 'drying beds in the sun 8' };
/** As the lot form sends it: empty fields as null, figures as numbers, days as ISO timestamps. */
const lotBody = {
  lot_number: 'KE-26-05',
  coffee_name: 'Kiambu AA',
  origin: 'Kenya',
  region: 'Kiambu',
  farm: null,
  variety: 'SL28',
  process: 'Washed',
  altitude: 1750,
  harvest_date: '2025-12-01T00:00:00.000Z',
  supplier: 'Dormans',
  purchase_date: '2026-02-14T00:00:00.000Z',
  cost_per_kg: 9.4,
  initial_weight: 60.5,
  location: 'Silo 2',
  cupping_score: 87.5,
  moisture_content: 10.8,
  water_activity: 0.55,
  density: 0.72,
  screen_size: '17/18',
  notes: null,
};
const points = [
  { time: 0, burner: 100, exhaust: 30, drum: 60 },
  { time: 720, burner: 0, exhaust: 90, drum: 30 },
];
const recipeBody = (known: Known) => ({
  name: 'Kiambu Filter',
  description: 'Blackcurrant',
  coffee_origin: 'Kenya',
  coffee_variety: 'SL28',
  roast_level: 'Light',
  target_drop_temp: 206.5,
  target_roast_time: 630,
  target_development_time: 105,
  min_batch_size: 5,
  max_batch_size: 12,
  green_coffee_lot_id: known['lot'],
  auto_deduct_inventory: false,
  alert_low_inventory: true,
  control_profile: points,
});
const roasteryBody = {
  roastery_name: 'Drum & Bean',
  address: 'Rua do Século 4',
  city: 'Lisbon',
  country: 'Portugal',
  postal_code: '1200-433',
  email: 'hello@drum.example',
  phone: '+351 21 000 00 00',
  website: 'https://drum.example',
};

/** The number of default options of each drop-down. */
const seeded = { variety: 12, process: 7, origin: 12, warehouse: 1, machine_type: 3 };

/** Every call of section 7 of the product document, in an order in which each finds its records. */
export const documentedCalls: readonly DocumentedCall[] = [
  {
    call: 'POST /admin/users',
    what: 'full_name, email, password; returns created user [P140]',
    payload: () => ({ full_name: 'Kofi Mensah', ...credentials }),
    answers: user,
    holds: () => ({ full_name: 'Kofi Mensah', email: credentials.email, is_active: true, is_admin: false }),
  },
  {
    call: 'GET /admin/users',
    what: 'returns users and total [P141]',
    answers: { users: [user], total: 'integer' },
    holds: () => ({ total: 2 }),
  },
  {
    call: 'GET /admin/stats',
    what: 'returns admin stats fields [P142 P170]',
    answers: {
      total_users: 'integer',
      active_users: 'integer',
      total_machines: 'integer',
      active_machines: 'integer',
      total_roasts: 'integer',
      roasts_this_month: 'integer',
    },
    holds: () => ({ total_users: 2, active_users: 2, total_machines: 1, total_roasts: 1 }),
  },
  {
    call: 'POST /auth/login',
    what: 'email, password; returns user [P137]',
    by: 'person',
    payload: () => credentials,
    answers: { user },
    holds: () => ({ user: { email: credentials.email, is_admin: false } }),
  },
  {
    call: 'GET /auth/me',
    what: 'returns current user [P139 P165]',
    by: 'person',
    answers: user,
    holds: () => ({ email: credentials.email }),
  },
  { call: 'POST /auth/logout', what: 'no payload [P138]', by: 'person', answers: message },
  {
    call: 'GET /roasts',
    what: 'limit 10 on dashboard; response has a roasts array [P143]',
    query: { limit: '10' },
    answers: { roasts: [roast] },
  },
  {
    call: 'GET /roasts',
    what: 'limit 100 on list; response has a roasts array [P143]',
    query: { limit: '100' },
    answers: { roasts: [roast] },
  },
  {
    call: 'GET /roasts/{id}',
    what: 'roast object [P144]',
    id: 'roast',
    answers: roast,
    holds: ({ roast: id }) => ({ id, roast_number: `PR-${id?.slice(0, 8)}` }),
  },
  {
    call: 'GET /roasts/{id}/curve',
    what: 'response field datapoints [P145]',
    id: 'roast',
    answers: {
      datapoints: [
        {
          time_seconds: 'number',
          bean_temp: 'number',
          exhaust_temp: 'number',
          burner_front_temp: 'number',
          burner_back_temp: 'number',
          ror: 'number?',
          heat_power: 'number',
          fan_speed: 'number',
          drum_speed: 'number',
        },
      ],
    },
  },
  {
    call: 'PUT /roasts/{id}',
    what: 'roast fields [P146]',
    id: 'roast',
    payload: () => ({
      coffee_name: 'Kiambu AA',
      coffee_origin: 'Kenya',
      coffee_process: 'Washed',
      batch_size_kg: 12.5,
    }),
    answers: roast,
    holds: () => ({ coffee_name: 'Kiambu AA', coffee_origin: 'Kenya', coffee_process: 'Washed', batch_size_kg: 12.5 }),
  },
  {
    call: 'GET /dashboard/stats',
    what: 'dashboard system stats; the document shows no path [P148 P171]',
    answers: {
      activeMachines: 'integer',
      totalMachines: 'integer',
      todayRoasts: 'integer',
      thisMonthRoasts: 'integer',
      totalRoasted: 'number',
      unweighedRoasts: 'integer',
      hasRoasts: 'flag',
      hasLots: 'flag',
      hasRecipes: 'flag',
    },
    holds: () => ({ totalMachines: 1, totalRoasted: 12.5 }),
  },
  { call: 'DELETE /roasts/{id}', what: 'the roast is gone [P147]', id: 'roast', answers: message },
  {
    call: 'POST /machines',
    what: 'serial_number, machine_type, display_name, max_capacity_kg; returns machine with auth_token and pairing_code [P150]',
    payload: () => ({
      serial_number: 'RM15-7',
      machine_type: 'RM15',
      display_name: 'Small Drum',
      max_capacity_kg: 14.5,
    }),
    answers: { ...machine, auth_token: 'text', pairing_code: 'text' },
    keeps: 'machine',
  },
  { call: 'GET /machines', what: 'array [P149]', answers: [machine] },
  {
    call: 'PUT /machines/{id}',
    what: 'display_name, machine_type, max_capacity_kg [P151]',
    id: 'machine',
    payload: () => ({ display_name: 'Sample Drum', machine_type: 'RM7', max_capacity_kg: 7 }),
    answers: machine,
    holds: () => ({ serial_number: 'RM15-7', display_name: 'Sample Drum', machine_type: 'RM7', max_capacity_kg: 7 }),
  },
  {
    call: 'DELETE /machines/{id}',
    what: 'returns message and archived [P152]',
    id: 'machine',
    answers: { message: 'text', archived: 'flag' },
    holds: () => ({ archived: false }),
  },
  {
    call: 'POST /inventory/lots',
    what: 'lot fields [P156]',
    payload: () => lotBody,
    answers: lot,
    holds: () => ({ ...lotBody, current_weight: 60.5, status: 'Available' }),
    keeps: 'lot',
  },
  {
    call: 'GET /inventory/lots',
    what: 'query status, origin, location [P153]',
    query: { status: 'Available', origin: 'Kenya', location: 'Silo 2' },
    answers: { lots: [lot], total: 'integer' },
    holds: () => ({ total: 1 }),
  },
  { call: 'GET /inventory/lots/{id}', what: 'one lot [P156 P172]', id: 'lot', answers: lot },
  {
    call: 'GET /inventory/stats/summary',
    what: 'inventory stats [P154 P173]',
    answers: { total_lots: 'integer', total_weight_kg: 'number', available_lots: 'integer', total_value: 'number' },
    holds: () => ({ total_lots: 1, available_lots: 1, total_weight_kg: 60.5, total_value: 568.7 }),
  },
  { call: 'GET /inventory/filters/origins', what: 'list of strings [P155]', answers: ['text'] },
  { call: 'GET /inventory/filters/locations', what: 'list of strings [P155]', answers: ['text'] },
  {
    call: 'GET /inventory/filters/statuses',
    what: 'list of strings [P155]',
    answers: ['text'],
    holds: () => ['Available', 'In Use', 'Reserved', 'Depleted'],
  },
  {
    call: 'PUT /inventory/lots/{id}',
    what: 'lot fields [P156]',
    id: 'lot',
    payload: () => ({ ...lotBody, notes: 'Shelf 4', initial_weight: 61 }),
    answers: lot,
    holds: () => ({ lot_number: 'KE-26-05', notes: 'Shelf 4', initial_weight: 61, current_weight: 61 }),
  },
  {
    call: 'POST /profiles',
    what: 'recipe fields [P163]',
    payload: recipeBody,
    answers: recipe,
    holds: (known) => ({
      ...recipeBody(known),
      times_used: 0,
      is_favorite: false,
      lot_info: { lot_number: 'KE-26-05', current_weight: 61 },
    }),
    keeps: 'recipe',
  },
  {
    call: 'POST /profiles/{id}/toggle-favorite',
    what: 'the star goes on [P164]',
    id: 'recipe',
    answers: { is_favorite: 'flag' },
    holds: () => ({ is_favorite: true }),
  },
  {
    call: 'GET /profiles',
    what: 'query origin, roast_level, favorites_only [P162]',
    query: { origin: 'Kenya', roast_level: 'Light', favorites_only: 'true' },
    answers: { profiles: [recipe] },
    holds: () => ({ total: 1 }),
  },
  { call: 'GET /profiles/{id}', what: 'one recipe [P163 P174]', id: 'recipe', answers: recipe },
  {
    call: 'PUT /profiles/{id}',
    what: 'recipe fields [P163]',
    id: 'recipe',
    payload: (known) => ({ ...recipeBody(known), target_drop_temp: 208 }),
    answers: recipe,
    holds: () => ({ target_drop_temp: 208, is_favorite: true }),
  },
  {
    call: 'POST /profiles/{id}/clone',
    what: 'a copy without uses [P164]',
    id: 'recipe',
    answers: recipe,
    holds: () => ({ name: 'Kiambu Filter (Copy)', times_used: 0, target_drop_temp: 208 }),
  },
  { call: 'DELETE /profiles/{id}', what: 'the recipe is gone [P163]', id: 'recipe', answers: message },
  { call: 'DELETE /inventory/lots/{id}', what: 'the lot is gone [P156]', id: 'lot', answers: message },
  { call: 'POST /settings/seed-defaults', what: 'response has message [P161]', answers: message },
  ...Object.entries(seeded).map(([category, count]) => ({
    call: 'GET /settings/options/{category}',
    what: `${category}, optional active_only; items carry value [P157 P175]`,
    category,
    query: { active_only: 'true' },
    answers: [option] as const,
    count,
  })),
  {
    call: 'POST /settings/options',
    what: 'category, value, description, sort_order, is_active [P158]',
    payload: () => ({ category: 'process', value: 'Koji', description: 'Fermented', sort_order: 8, is_active: true }),
    answers: option,
    holds: () => ({ category: 'process', value: 'Koji', description: 'Fermented', sort_order: 8, is_active: true }),
    keeps: 'option',
  },
  { call: 'DELETE /settings/options/{id}', what: 'the choice is gone [P159]', id: 'option', answers: message },
  {
    call: 'PUT /settings/roastery',
    what: 'roastery fields [P160]',
    payload: () => roasteryBody,
    answers: roastery,
    holds: () => roasteryBody,
  },
  { call: 'GET /settings/roastery', what: 'roastery fields [P160 P176]', answers: roastery, holds: () => roasteryBody },
];
