import type { BodyOf } from '@roastery/contract/endpoint';
import type { createLot } from '@roastery/contract/inventory';
import type { createProfile } from '@roastery/contract/profiles';
import type { RoastFault, RoastLevel } from '@roastery/simulator/simulate-roast';

/** Content of the demo roastery. All of it is fictional. */

export const roastery = {
  roastery_name: 'Lindqvist Coffee Roasters',
  address: 'Kvarngatan 12',
  city: 'Malmö',
  country: 'Sweden',
  postal_code: '211 27',
  email: 'hello@lindqvist.example',
  phone: '+46 40 000 00 00',
  website: 'https://lindqvist.example',
};

export const owner = { full_name: 'Maya Lindqvist', email: 'maya@lindqvist.example' };
const people = ['Maya Lindqvist', 'Jonas Ek', 'Amina Yusuf'] as const;

/** The first one roasts live. Each has its own batch numbers. */
export const machines = [
  {
    serial_number: 'DEMO-30-001',
    display_name: 'Big Red',
    machine_type: 'RM30',
    max_capacity_kg: 30,
    batch_prefix: 'R',
  },
  {
    serial_number: 'DEMO-15-002',
    display_name: 'Production 15',
    machine_type: 'RM15',
    max_capacity_kg: 15,
    batch_prefix: 'P',
  },
  {
    serial_number: 'DEMO-07-003',
    display_name: 'Sample corner',
    machine_type: 'RM7',
    max_capacity_kg: 7,
    batch_prefix: 'S',
  },
] as const;
export const liveMachine = machines[0];

type LotBody = BodyOf<typeof createLot>;
const warehouse = 'Main Warehouse';

export const lots = [
  {
    lot_number: 'ET-2601',
    coffee_name: 'Hambela Natural',
    origin: 'Ethiopia',
    region: 'Guji',
    farm: 'Hambela station',
    variety: 'Heirloom',
    process: 'Natural',
    altitude: 2050,
    supplier: 'Nordic Green',
    cost_per_kg: 9.4,
    initial_weight: 360,
    location: warehouse,
    cupping_score: 88.5,
    moisture_content: 10.6,
    water_activity: 0.54,
    density: 0.72,
    screen_size: '14+',
  },
  {
    lot_number: 'ET-2602',
    coffee_name: 'Gedeb Washed',
    origin: 'Ethiopia',
    region: 'Yirgacheffe',
    variety: 'Heirloom',
    process: 'Washed',
    altitude: 2000,
    supplier: 'Nordic Green',
    cost_per_kg: 8.9,
    initial_weight: 240,
    location: warehouse,
    cupping_score: 87.25,
    moisture_content: 10.9,
    water_activity: 0.55,
    density: 0.73,
    screen_size: '14+',
  },
  {
    lot_number: 'CO-2611',
    coffee_name: 'El Mirador',
    origin: 'Colombia',
    region: 'Huila',
    farm: 'El Mirador',
    variety: 'Caturra',
    process: 'Washed',
    altitude: 1750,
    supplier: 'Directo',
    cost_per_kg: 7.8,
    initial_weight: 420,
    location: warehouse,
    cupping_score: 86,
    moisture_content: 11.2,
    water_activity: 0.56,
    density: 0.7,
    screen_size: '15+',
  },
  {
    lot_number: 'BR-2604',
    coffee_name: 'Fazenda Alta',
    origin: 'Brazil',
    region: 'Cerrado',
    variety: 'Mundo Novo',
    process: 'Natural',
    altitude: 1100,
    supplier: 'Santos Import',
    cost_per_kg: 5.6,
    initial_weight: 600,
    location: warehouse,
    cupping_score: 83.5,
    moisture_content: 11.4,
    water_activity: 0.58,
    density: 0.66,
    screen_size: '17/18',
  },
  {
    lot_number: 'KE-2603',
    coffee_name: 'Karogoto AA',
    origin: 'Kenya',
    region: 'Nyeri',
    variety: 'SL28',
    process: 'Washed',
    altitude: 1800,
    supplier: 'Nordic Green',
    cost_per_kg: 11.2,
    initial_weight: 120,
    location: 'Cool room',
    cupping_score: 89,
    moisture_content: 10.8,
    water_activity: 0.53,
    density: 0.74,
    screen_size: 'AA',
  },
  {
    lot_number: 'CR-2607',
    coffee_name: 'La Pastora Honey',
    origin: 'Costa Rica',
    region: 'Tarrazú',
    variety: 'Catuaí',
    process: 'Honey',
    altitude: 1900,
    supplier: 'Directo',
    cost_per_kg: 9.1,
    initial_weight: 60,
    location: 'Cool room',
    cupping_score: 87,
    moisture_content: 10.5,
    water_activity: 0.54,
    density: 0.71,
    screen_size: '15+',
  },
  {
    lot_number: 'GT-2605',
    coffee_name: 'Huehue Decaf',
    origin: 'Guatemala',
    region: 'Huehuetenango',
    variety: 'Bourbon',
    process: 'Washed',
    altitude: 1650,
    supplier: 'Santos Import',
    cost_per_kg: 8.2,
    initial_weight: 90,
    location: warehouse,
    cupping_score: 82.5,
    moisture_content: 10.1,
    water_activity: 0.51,
    density: 0.66,
    screen_size: '16',
  },
  {
    lot_number: 'ID-2602',
    coffee_name: 'Gayo Wet-Hulled',
    origin: 'Indonesia',
    region: 'Aceh',
    variety: 'Ateng',
    process: 'Wet-hulled',
    altitude: 1400,
    supplier: 'Santos Import',
    cost_per_kg: 6.9,
    initial_weight: 180,
    location: warehouse,
    cupping_score: 84,
    moisture_content: 12.1,
    water_activity: 0.6,
    density: 0.65,
    screen_size: '16',
  },
] as const satisfies readonly LotBody[];
export type LotNumber = (typeof lots)[number]['lot_number'];
/** Set to Reserved. */
export const reservedLot: LotNumber = 'KE-2603';

type ProfileBody = BodyOf<typeof createProfile>;
export interface DemoRecipe {
  readonly lot: LotNumber;
  readonly favorite: boolean;
  readonly body: Omit<ProfileBody, 'green_coffee_lot_id' | 'control_profile'>;
}

const recipe = (
  lot: LotNumber,
  name: string,
  level: RoastLevel,
  dropTemp: number,
  seconds: number,
  development: number,
  batch: [number, number],
  favorite = false,
): DemoRecipe => {
  const coffee = lots.find(({ lot_number: number }) => number === lot);
  return {
    lot,
    favorite,
    body: {
      name,
      description: `${level} roast of ${coffee?.coffee_name ?? lot}`,
      coffee_origin: coffee?.origin ?? null,
      coffee_variety: coffee?.variety ?? null,
      roast_level: level,
      target_drop_temp: dropTemp,
      target_roast_time: seconds,
      target_development_time: development,
      min_batch_size: batch[0],
      max_batch_size: batch[1],
      alert_low_inventory: favorite,
    },
  };
};

export const recipes: readonly DemoRecipe[] = [
  recipe('ET-2601', 'Hambela Filter', 'Light', 206, 600, 80, [10, 24], true),
  recipe('ET-2602', 'Gedeb Filter', 'Medium-Light', 209, 620, 95, [10, 24]),
  recipe('CO-2611', 'Mirador Omni', 'Medium', 212, 660, 115, [8, 24], true),
  recipe('BR-2604', 'House Espresso', 'Medium-Dark', 218, 720, 150, [10, 26], true),
  recipe('CR-2607', 'La Pastora Filter', 'Light', 206, 590, 80, [3, 6]),
  recipe('ID-2602', 'Gayo Dark', 'Dark', 224, 780, 190, [8, 24]),
];

/** A control profile from charge to the target time: gas falls from full, air rises towards the end. */
export const controlProfileOf = (seconds: number) => [
  { time: 0, burner: 72, exhaust: 40, drum: 62 },
  { time: Math.round(seconds * 0.35), burner: 66, exhaust: 45, drum: 62 },
  { time: Math.round(seconds * 0.65), burner: 50, exhaust: 52, drum: 60 },
  { time: Math.round(seconds * 0.85), burner: 32, exhaust: 62, drum: 60 },
  { time: seconds, burner: 15, exhaust: 70, drum: 58 },
];

export interface DemoRoast {
  readonly machine: number;
  readonly recipe: number;
  readonly level: RoastLevel;
  readonly fault: RoastFault | null;
  readonly batchKg: number;
  readonly daysAgo: number;
  /** Minutes after seven in the morning, UTC. */
  readonly minute: number;
  readonly by: string;
  readonly cupping: number | null;
  readonly notes: string | null;
}

const roast = (
  machine: number,
  recipeIndex: number,
  daysAgo: number,
  minute: number,
  batchKg: number,
  cupping: number | null,
  fault: RoastFault | null = null,
  notes: string | null = null,
): DemoRoast => ({
  machine,
  recipe: recipeIndex,
  level: recipes[recipeIndex]?.body.roast_level ?? 'Medium',
  fault,
  batchKg,
  daysAgo,
  minute,
  by: people[(machine + recipeIndex + daysAgo) % people.length] ?? people[0],
  cupping,
  notes,
});

/** Two dozen roasts of four weeks, good and bad. */
export const roasts: readonly DemoRoast[] = [
  roast(0, 3, 27, 0, 24, 83.5),
  roast(0, 3, 27, 22, 24, 83.75),
  roast(1, 2, 26, 10, 12, 85.5),
  roast(2, 4, 25, 30, 5.5, 86.75),
  roast(0, 0, 23, 0, 22, 87.5, null, 'Jasmine and blueberry, very clean.'),
  roast(0, 0, 23, 20, 22, 84, 'too_fast', 'Came up too fast after a late gas cut. Grassy finish.'),
  roast(1, 1, 22, 5, 12, 86.5),
  roast(0, 5, 20, 15, 24, 82),
  roast(0, 3, 19, 0, 24, 83.5),
  roast(1, 2, 18, 40, 12, 85),
  roast(1, 2, 18, 62, 12, 80.5, 'baked', 'Rate crashed before first crack. Flat in the cup.'),
  roast(2, 4, 16, 20, 6, 87),
  roast(0, 0, 15, 0, 22, 87.25),
  roast(0, 3, 13, 0, 24, 84),
  roast(0, 3, 13, 21, 24, 79, 'scorched', 'Charged too hot: tipping on the flat side of the beans.'),
  roast(1, 1, 12, 12, 12, 86.75),
  roast(2, 4, 11, 45, 6, 87.25),
  roast(0, 5, 9, 10, 24, 82.5),
  roast(1, 2, 8, 0, 12, 85.75),
  roast(0, 0, 6, 0, 22, 88, null, 'Best one so far: hold on to this curve.'),
  roast(2, 4, 5, 25, 6, null),
  roast(0, 3, 4, 0, 24, 83.75),
  roast(1, 2, 2, 15, 12, 78, 'stalled', 'Gas valve stuck for a minute in the middle. Not for sale.'),
  roast(1, 1, 1, 5, 12, null),
  roast(0, 3, 1, 40, 24, null),
];

export interface DemoBatches {
  readonly recipe: number;
  readonly batchKg: number;
  readonly count: number;
  readonly daysAhead: number;
}

/** What the live machine roasts today and tomorrow, in this order. */
export const queue: readonly DemoBatches[] = [
  { recipe: 3, batchKg: 26, count: 4, daysAhead: 0 },
  { recipe: 2, batchKg: 24, count: 3, daysAhead: 0 },
  { recipe: 0, batchKg: 22, count: 3, daysAhead: 0 },
  { recipe: 1, batchKg: 22, count: 2, daysAhead: 0 },
  { recipe: 3, batchKg: 26, count: 3, daysAhead: 1 },
  { recipe: 5, batchKg: 24, count: 2, daysAhead: 1 },
];
