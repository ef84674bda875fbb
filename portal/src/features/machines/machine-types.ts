import { listOptions } from '@roastery/contract/settings';
import { useApi } from '../../api/use-api.ts';
import { exactWeightNumber, weightUnit } from '../../format/weights.ts';
import type { Choice } from '../../ui/Select.tsx';

/** Capacity of the product's own types, kg. */
const capacities: Readonly<Record<string, number>> = { RM30: 30, RM15: 15, RM7: 7 };
/** The product's own types, used while the roastery has no list. */
const ownTypes = ['RM30', 'RM15', 'RM7'];
const fallbackTypes = ['RM15', 'RM30', 'RM7'];
export const defaultType = 'RM30';

export const capacityOf = (type: string): number | undefined => capacities[type];

/** The catalogue has maps for the product's own types. */
export const hasOwnMap = (type: string): boolean => type in capacities;

/** The type of a machine of the catalogue: `Toper USB` with its maker, but the product's own types as they are. */
export const typeOfMap = ({ maker, model }: { readonly maker: string; readonly model: string }): string =>
  hasOwnMap(model) || model.toLowerCase().startsWith(maker.toLowerCase()) ? model : `${maker} ${model}`;

const choiceOf = (type: string): Choice => {
  const kg = capacityOf(type);
  return { value: type, label: kg === undefined ? type : `${type} (${exactWeightNumber(kg)}${weightUnit()})` };
};

/** The roastery's machine types, or the product's; RM15, RM30 and RM7 when they can't be read. `current` stays a choice when it was removed from the list. */
export const useMachineTypes = (current?: string): readonly Choice[] => {
  const { data } = useApi(listOptions, { params: { category: 'machine_type' }, query: { active_only: 'true' } });
  const listed = data?.map(({ value }) => value) ?? fallbackTypes;
  const types = listed.length === 0 ? ownTypes : listed;
  const all = current === undefined || current === '' || types.includes(current) ? types : [...types, current];
  return all.map(choiceOf);
};
