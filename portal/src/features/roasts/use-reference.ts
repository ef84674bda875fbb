import { getProfile } from '@roastery/contract/profiles';
import { getRoast, getRoastCurveColumns, type CurveColumns, type Roast } from '@roastery/contract/roasts';
import { isReading, valueAt } from '@roastery/roasting/series';
import { useApi } from '../../api/use-api.ts';
import { coffeeName, roastNumber } from './roast-texts.ts';

export interface Reference {
  readonly id: string;
  /** `PR-0193f2ab Huila Pink Bourbon` */
  readonly name: string;
  readonly curve: CurveColumns;
}

const once = { revalidateOnFocus: false, revalidateIfStale: false, compare: Object.is };

/** What the recipe of a roast holds it against: its reference roast, unless that is the roast itself, and its drop. */
export const useReference = (roast: Roast): { reference: Reference | undefined; dropC: number | null } => {
  const { profile_id: profileId } = roast;
  const { data: profile } = useApi(getProfile, profileId === null ? null : { params: { id: profileId } });
  const wanted = profile?.reference_roast_id ?? null;
  const input = wanted === null || wanted === roast.id ? null : { params: { id: wanted } };
  const { data: other } = useApi(getRoast, input, once);
  const { data: curve } = useApi(getRoastCurveColumns, input, once);
  return {
    reference: other && curve && { id: other.id, name: `${roastNumber(other)} ${coffeeName(other)}`, curve },
    dropC: profile?.target_drop_temp ?? null,
  };
};

/** How far the beans are above (or below) the reference at a moment, °C. */
export const deviationAt = (
  reference: CurveColumns | undefined,
  seconds: number | null | undefined,
  beanC: number | null | undefined,
): number | null => {
  if (reference === undefined || !isReading(seconds) || !isReading(beanC)) return null;
  const there = valueAt(reference.time_seconds, reference.channels['bean_temp'] ?? [], seconds);
  return there === null ? null : beanC - there;
};
