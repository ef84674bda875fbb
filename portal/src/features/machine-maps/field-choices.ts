import type { EventName } from './event-draft.ts';
import { encodings, orders, units } from './map-draft.ts';

export const encodingChoices = encodings.map((value) => ({ value, label: value }));
export const unitChoices = units.map((value) => ({
  value: value === '' ? 'none' : value,
  label: value === '' ? 'None' : value,
}));
export const orderChoices = [
  { value: 'map', label: 'Map’s' },
  ...orders.map((value) => ({ value, label: value })),
] as const;

export const eventLabels: Readonly<Record<EventName, string>> = {
  charge: 'Charge',
  turning_point: 'Turning point',
  dry_end: 'Dry end',
  first_crack: 'First crack',
  first_crack_end: 'First crack end',
  second_crack: 'Second crack',
  second_crack_end: 'Second crack end',
  drop: 'Drop',
  cooling: 'Cooling',
  cool_end: 'Cooling end',
};
