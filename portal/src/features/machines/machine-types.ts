import { listOptions } from '@roastery/contract/settings';
import { useApi } from '../../api/use-api.ts';
import type { Choice } from '../../ui/Select.tsx';

/** kg of the types the product knows by name. */
const capacities: Readonly<Record<string, number>> = { RM30: 30, RM15: 15, RM7: 7 };
/** The product's own choices, while the roastery has no list. */
const ownTypes = ['RM30', 'RM15', 'RM7'];
const fallbackTypes = ['RM15', 'RM30', 'RM7'];
export const defaultType = 'RM30';

export const capacityOf = (type: string): number | undefined => capacities[type];

/** The machines the product knows by name have maps of their own in the catalogue. */
export const hasOwnMap = (type: string): boolean => type in capacities;

const choiceOf = (type: string): Choice => {
  const kg = capacityOf(type);
  return { value: type, label: kg === undefined ? type : `${type} (${kg}kg)` };
};

/** The roastery's machine types, or the product's; when they can't be read, RM15, RM30 and RM7. `current` stays a choice even when it was taken off the list. */
export const useMachineTypes = (current?: string): readonly Choice[] => {
  const { data } = useApi(listOptions, { params: { category: 'machine_type' }, query: { active_only: 'true' } });
  const listed = data?.map(({ value }) => value) ?? fallbackTypes;
  const types = listed.length === 0 ? ownTypes : listed;
  const all = current === undefined || current === '' || types.includes(current) ? types : [...types, current];
  return all.map(choiceOf);
};
