import { getRoastPlan, type FollowedPlan } from '@roastery/contract/roast-plan';
import type { Roast } from '@roastery/contract/roasts';
import { useEffect, useRef } from 'react';
import { useApi } from '../../api/use-api.ts';

/** The plan of a roast, else its recipe. Null without either, undefined while it loads. */
export const usePlan = (roast: Roast): FollowedPlan | null | undefined => {
  const { data, mutate } = useApi(
    getRoastPlan,
    { params: { id: roast.id } },
    { revalidateOnFocus: false, keepPreviousData: true },
  );
  // The plan is bound, and the recipe chosen, while this page is open.
  const asked = useRef(roast.profile_id);
  useEffect(() => {
    if (asked.current === roast.profile_id) return;
    asked.current = roast.profile_id;
    void mutate();
  }, [roast.profile_id, mutate]);
  return data?.plan;
};
