import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { useCallback } from 'react';
import { useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';
import { AbortedRoast } from './AbortedRoast.tsx';
import { useRoastAlarms } from './RoastAlarms.tsx';
import { RoastCurves, useCorrecting } from './RoastCurves.tsx';
import { PlanBesideRoast } from './PlanBesideRoast.tsx';
import { usePlan } from '../../components/live/use-plan.ts';
import { useReference } from '../../components/live/use-reference.ts';

/** The margin shown around the roast while its marks are corrected: for a charge found late, or a drop found early. */
const around = { before: 180, after: 180 };

/** The recorded curve of a roast that has ended. The pinned point is in the address, so a link shows the same. */
export const FinishedRoast = ({
  roast,
  onChanged,
  onDiscard,
}: {
  roast: Roast;
  onChanged: (roast: Roast) => void;
  onDiscard: () => void;
}) => {
  const { isCorrecting } = useCorrecting();
  const {
    data: curve,
    error,
    mutate,
  } = useApi(
    getRoastCurveColumns,
    { params: { id: roast.id }, ...(isCorrecting && { query: around }) },
    // SWR compares answers by a text of their whole content: for 57,600 samples that takes longer than drawing them.
    { revalidateOnFocus: false, revalidateIfStale: false, keepPreviousData: true, compare: Object.is },
  );
  const { read, change } = useUrlState();
  const behind = useReference(roast);
  const plan = usePlan(roast);
  const alarms = useRoastAlarms(roast.id, false);
  const at = Number(read('at') ?? Number.NaN);
  const selected = Number.isFinite(at) ? at : null;
  const select = useCallback(
    (seconds: number | null): void =>
      change({ at: seconds === null ? undefined : String(Math.round(seconds * 1000) / 1000) }),
    [change],
  );
  if (error && curve === undefined) {
    return (
      <Card>
        <ErrorState title={t`Failed to load roast`} error={error} onRetry={() => void mutate()} />
      </Card>
    );
  }
  return (
    <>
      {roast.status === 'aborted' && roast.recorded !== null && (
        <AbortedRoast {...{ roast, selected, onChanged, onDiscard }} onSelect={select} />
      )}
      <RoastCurves
        {...{ roast, curve, behind, plan, alarms, onChanged }}
        gaps={curve?.gaps}
        marks={roast.marks}
        channels={roast.channels}
        selected={selected}
        onSelect={select}
      />
      {plan && <PlanBesideRoast {...{ plan, roast, curve }} />}
    </>
  );
};
