import type { Option } from '@roastery/contract/settings';

export type Category = Option['category'];

/** The drop-downs that can be filled, in the document's order: where each is offered, and what one of its values is called. */
export const categories: readonly { value: Category; label: string; one: string; where: string }[] = [
  { value: 'variety', label: 'Variety', one: 'variety', where: 'Offered in lots and recipes.' },
  { value: 'origin', label: 'Origin', one: 'origin', where: 'Offered in lots, recipes and roasts.' },
  { value: 'process', label: 'Process', one: 'process', where: 'Offered in lots and roasts.' },
  { value: 'warehouse', label: 'Warehouse', one: 'warehouse', where: 'Offered as the location of a lot.' },
  { value: 'machine_type', label: 'Machine Type', one: 'machine type', where: 'Offered when a machine is registered.' },
];

export const categoryNames: readonly Category[] = categories.map(({ value }) => value);
