import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { refresh } from '../../api/use-api.ts';
import { useLive } from '../../api/use-live.ts';
import { AlarmBanner } from '../../components/alarms/AlarmBanner.tsx';
import { LiveBadge } from '../../components/live/LiveBadge.tsx';
import { markNow } from '../../components/live/live-curve.ts';
import { useLiveRoast } from '../../components/live/use-live-roast.ts';
import { NextPlanned } from '../../components/PlannedRoast.tsx';
import { RoasterPicker } from '../../components/people/RoasterPicker.tsx';
import { useMayRoast } from '../../components/people/roles.ts';
import { LiveFigures } from './LiveFigures.tsx';
import { MarkBar } from './MarkBar.tsx';
import { NextStep, NoStep } from './NextStep.tsx';
import { RoastCurves } from './RoastCurves.tsx';

interface LiveRoastProps {
  roast: Roast;
  machineId: string;
  onChanged: (roast: Roast) => void;
  onDeleted: () => void;
  /** The page's header, around the machine's badge. */
  header: (badge: ReactNode) => ReactNode;
}

/** The running roast: a band of its figures and steps, and the curve as it grows. The cockpit shows it for three metres. */
export const LiveRoast = ({ roast, machineId, onChanged, onDeleted, header }: LiveRoastProps) => {
  const live = useLive(machineId);
  const mayRoast = useMayRoast(machineId);
  const {
    behind,
    plan,
    predictedCrack,
    marks,
    curve,
    elapsedSeconds,
    rateC,
    deviationC,
    expected,
    crackBetween,
    forecast,
    isUnforeseen,
    endSeconds,
  } = useLiveRoast(roast, live);
  const [selected, setSelected] = useState<number | null>(null);
  const shown = useRef(roast);
  useEffect(() => {
    shown.current = roast;
  }, [roast]);
  useEffect(() => {
    const told = live.roast;
    // Marks of the machine do not change the revision; only later changes of a person must not be undone.
    if (told === null || told.id !== shown.current.id || told.revision < shown.current.revision) return;
    // Once the roast has ended its curve is loaded from the recording.
    if (told.status !== 'in_progress') void refresh(getRoastCurveColumns);
    onChanged(told);
  }, [live.roast, onChanged]);

  useEffect(() => {
    if (live.deletedRoastId === roast.id) onDeleted();
  }, [live.deletedRoastId, roast.id, onDeleted]);

  return (
    <>
      {header(<LiveBadge live={live} machineName={roast.machine_name} elapsedSeconds={elapsedSeconds} />)}
      <AlarmBanner live={live} mayRoast={mayRoast} />
      <div className="flex flex-col gap-3">
        <LiveFigures
          {...{ roast, live, elapsedSeconds, rateC, deviationC, expected, crackBetween, isUnforeseen, predictedCrack }}
          step={
            plan && plan.points.length > 0 ? (
              <NextStep {...{ plan, live, elapsedSeconds }} />
            ) : (
              <NoStep isRead={plan !== undefined} />
            )
          }
          action={
            mayRoast && (
              <div className="flex shrink-0 items-center gap-2 px-3 py-1.5 max-md:border-t max-md:border-stroke">
                <MarkBar {...{ roast, marks, onChanged }} now={markNow(live, elapsedSeconds)} />
                <RoasterPicker machineId={machineId} roastedBy={roast.roasted_by} />
              </div>
            )
          }
        />
        <RoastCurves
          {...{ roast, curve, behind, plan, marks, selected, onChanged }}
          alarms={live.raised}
          channels={Object.keys(live.track.channels)}
          onSelect={setSelected}
          expected={live.state === 'live' ? expected : null}
          forecast={live.state === 'live' ? forecast : null}
          nowSeconds={elapsedSeconds}
          endSeconds={endSeconds}
        />
        <NextPlanned machineId={machineId} />
      </div>
    </>
  );
};
