import { getProfile, type Profile } from '@roastery/contract/profiles';
import { getRoastCurveColumns, type CurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, type Roast, type RoastMark } from '@roastery/contract/roasts';
import { curveDistance, type CurveDistance } from '@roastery/roasting/curves/compare';
import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { useUrlState } from '../url-state.ts';
import { roastName } from './roast-texts.ts';

export interface Reference {
  readonly id: string;
  /** `R-11` */
  readonly number: string;
  /** `R-11 · Huila Pink Bourbon` */
  readonly name: string;
  readonly curve: CurveColumns;
}

/** The reference of a curve and its choices. */
export interface Behind {
  readonly reference: Reference | undefined;
  /** Of the recipe; undefined where the roast has none or nothing to compare it with. */
  readonly recipeRoastId: string | undefined;
  /** From the address: a chosen roast, or no reference. Undefined: the recipe's reference. */
  readonly chosen: string | undefined;
  /** The chosen roast was deleted, or the user has no access to it. */
  readonly isMissing: boolean;
  readonly choose: (roastId: string | undefined) => void;
  readonly recipe: Profile | undefined;
  /** Target of the recipe, °C. */
  readonly dropC: number | null;
}

/** In the address instead of a roast: no reference. */
export const nothingBehind = 'none';

const once = { revalidateOnFocus: false, revalidateIfStale: false, compare: Object.is };

/** The reference of a roast: from the address, else of its recipe, unless that is the roast itself. */
export const useReference = (roast: Roast): Behind => {
  const { profile_id: profileId } = roast;
  const { read, change } = useUrlState();
  const chosen = read('behind');
  const { data: recipe } = useApi(getProfile, profileId === null ? null : { params: { id: profileId } });
  const ofRecipe = recipe?.reference_roast_id ?? undefined;
  const recipeRoastId = ofRecipe === roast.id ? undefined : ofRecipe;
  const wanted = chosen === nothingBehind || chosen === roast.id ? undefined : (chosen ?? recipeRoastId);
  const input = wanted === undefined ? null : { params: { id: wanted } };
  const { data: other, error } = useApi(getRoast, input, once);
  const { data: curve } = useApi(getRoastCurveColumns, input, once);
  return {
    reference: other &&
      curve && {
        id: other.id,
        number: other.said_number,
        name: roastName(other),
        curve,
      },
    recipeRoastId,
    chosen,
    isMissing: wanted !== undefined && error !== undefined,
    choose: (roastId) => change({ behind: roastId }),
    recipe,
    dropC: recipe?.target_drop_temp ?? null,
  };
};

/** How far a finished roast is from its reference, up to its drop; null while that is unknown. */
export const useDistance = (
  reference: Reference | undefined,
  curve: CurveColumns | undefined,
  marks: readonly RoastMark[],
): CurveDistance | null => {
  const drop = marks.find((mark) => mark.kind === 'drop');
  const behind = reference?.curve;
  return useMemo(() => {
    if (behind === undefined || curve === undefined || drop === undefined || drop.provisional) return null;
    const lined = ({ time_seconds: timesSeconds, channels }: CurveColumns) => ({
      timesSeconds,
      beanTempC: channels['bean_temp'] ?? [],
      zeroSeconds: 0,
    });
    return curveDistance({ ...lined(curve), endSeconds: drop.time_seconds }, lined(behind));
  }, [curve, drop, behind]);
};
