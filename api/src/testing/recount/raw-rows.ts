import type { Sql } from '../../db/sql.ts';

export interface RawUser {
  id: string;
  full_name: string;
  is_active: boolean;
}
export interface RawMachine {
  id: string;
  owner_id: string;
  display_name: string;
  archived_at: string | null;
  is_online: boolean;
  last_seen_at: string | null;
}
export interface RawMember {
  machine_id: string;
  user_id: string;
  role: string;
}
export interface RawLot {
  id: string;
  lot_number: string;
  cost_per_kg: number | null;
  initial_weight: number;
  current_weight: number;
  origin: string;
  location: string | null;
  is_reserved: boolean;
  archived_at: string | null;
}
export interface RawMovement {
  id: string;
  lot_id: string;
  at: string;
  kg: number;
  reason: string;
  roast_id: string | null;
}
export interface RawRecipe {
  id: string;
  name: string;
  green_coffee_lot_id: string | null;
  alert_low_inventory: boolean;
  coffee_origin: string | null;
  roast_level: string;
}
export interface RawRoast {
  id: string;
  machine_id: string | null;
  owner_id: string;
  status: string;
  start_time: string;
  coffee_name: string | null;
  profile_id: string | null;
  profile_name: string | null;
  lot_id: string | null;
  roasted_by: string | null;
  batch_size_kg: number | null;
  end_weight_kg: number | null;
  roast_level: string | null;
  roast_level_target: string | null;
  duration_seconds: number | null;
  development_time_ratio: number | null;
  deducts: boolean | null;
}
export interface RawBlend {
  id: string;
  owner_id: string;
}
export interface RawComponent {
  blend_id: string;
  roast_id: string | null;
  kg: number;
}
export interface RawFavourite {
  user_id: string;
  profile_id?: string;
  roast_id?: string;
}
export interface RawPlan {
  id: string;
  machine_id: string;
  bound_at: string | null;
  cancelled_at: string | null;
  roast_id: string | null;
}

/** Every base table behind a figure, row by row: nothing is added up or joined in SQL. */
export const readRawRows = async (sql: Sql) => {
  const [settings] = await sql<
    { time_zone: string; all_users_see_all_machines: boolean }[]
  >`SELECT * FROM roastery_settings`;
  return {
    zone: settings?.time_zone ?? '',
    allSeeAll: settings?.all_users_see_all_machines ?? false,
    members: await sql<RawMember[]>`SELECT * FROM machine_members`,
    users: await sql<RawUser[]>`SELECT * FROM users`,
    machines: await sql<RawMachine[]>`SELECT * FROM machines`,
    lots: await sql<RawLot[]>`SELECT *, price_minor / price_kg / 100 AS cost_per_kg FROM lots`,
    movements: await sql<RawMovement[]>`SELECT * FROM lot_movements`,
    recipes: await sql<RawRecipe[]>`SELECT * FROM profiles`,
    recipeFavourites: await sql<RawFavourite[]>`SELECT * FROM profile_favorites`,
    roasts: await sql<RawRoast[]>`SELECT * FROM roasts`,
    roastFavourites: await sql<RawFavourite[]>`SELECT * FROM roast_favorites`,
    tombstones: await sql<{ roast_id: string }[]>`SELECT * FROM roast_tombstones`,
    plans: await sql<RawPlan[]>`SELECT * FROM planned_roasts`,
    blends: await sql<RawBlend[]>`SELECT * FROM blends`,
    components: await sql<RawComponent[]>`SELECT * FROM blend_components`,
    dismissals: await sql<{ lot_id: string; user_id: string }[]>`SELECT * FROM lot_alert_dismissals`,
    options: await sql<{ id: string; category: string }[]>`SELECT * FROM options`,
  };
};
export type RawRows = Awaited<ReturnType<typeof readRawRows>>;

/** Weights are stored to the milligram: whole milligrams add up exactly. */
export const milligrams = (kg: number): number => Math.round(kg * 1e6);
export const sumOf = (values: readonly (number | null)[]): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
export const sumMg = (weights: readonly (number | null)[]): number => sumOf(weights.map((kg) => milligrams(kg ?? 0)));

/** The calendar day of a time in the roastery's zone. */
export const dayIn = (zone: string): ((moment: string | Date) => string) => {
  const days = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (moment) => days.format(new Date(moment));
};
