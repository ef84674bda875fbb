import { getLearntCrack, getRoastCurveColumns, type LearntCrack, type Roast } from '@roastery/contract/roasts';
import { markOf } from '@roastery/roasting/marks';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { refresh, useApi } from '../../api/use-api.ts';
import { useLive } from '../../api/use-live.ts';
import { deviationAt } from '../../components/chart/curves.ts';
import { NextPlanned } from '../../components/PlannedRoast.tsx';
import { LiveBadge } from './LiveBadge.tsx';
import { liveCurve } from './live-curve.ts';
import { LiveFigures } from './LiveFigures.tsx';
import { markNow } from './live-curve.ts';
import { MarkBar } from './MarkBar.tsx';
import { expectNext } from './next-event.ts';
import { NextStep } from './NextStep.tsx';
import { RoastCurves } from './RoastCurves.tsx';
import { usePlan } from './use-plan.ts';
import { useReference } from './use-reference.ts';

/** Seconds of preheat shown left of the charge while a roast runs. */
const beforeSeconds = 60;
/** Room kept right of the newest reading, so that the curve grows into the picture instead of being squeezed. */
const roomSeconds = 60;
/** Shortest time axis of a live roast. */
const leastSeconds = 8 * 60;

interface LiveRoastProps {
  roast: Roast;
  machineId: string;
  onChanged: (roast: Roast) => void;
  onDeleted: () => void;
  /** The page's header, around the machine's badge. */
  header: (badge: ReactNode) => ReactNode;
}

/** The running roast: clock, bean temperature and rate of rise readable from three metres, and the curve as it grows. */
export const LiveRoast = ({ roast, machineId, onChanged, onDeleted, header }: LiveRoastProps) => {
  const live = useLive(machineId);
  const behind = useReference(roast);
  const plan = usePlan(roast);
  const { reference, dropC } = behind;
  const learntCrack = useLearntCrack(roast);
  const [selected, setSelected] = useState<number | null>(null);
  const shown = useRef(roast);
  useEffect(() => {
    shown.current = roast;
  }, [roast]);
  useEffect(() => {
    const told = live.roast;
    // Marks of the machine leave the revision as it is; only what a person has changed since must not be undone.
    if (told === null || told.id !== shown.current.id || told.revision < shown.current.revision) return;
    // Once the roast has ended its curve is loaded from the recording.
    if (told.status !== 'in_progress') void refresh(getRoastCurveColumns);
    onChanged(told);
  }, [live.roast, onChanged]);

  useEffect(() => {
    if (live.deletedRoastId === roast.id) onDeleted();
  }, [live.deletedRoastId, roast.id, onDeleted]);

  const { track, chargeMono } = live;
  const marks = useMemo(() => marksOfThisBatch(roast), [roast]);
  const dropSeconds = markOf(marks, 'drop')?.time_seconds ?? null;
  const curve = useMemo(
    () =>
      chargeMono === null || track.mono.length === 0
        ? undefined
        : liveCurve(track, chargeMono, beforeSeconds, dropSeconds),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the track is one object that grows; its version says when
    [track, track.version, chargeMono, dropSeconds],
  );
  const elapsedSeconds = curve?.time_seconds.at(-1) ?? null;
  const rateC = curve?.ror.at(-1) ?? null;
  const beanC = live.reading?.values['bean_temp'] ?? null;
  const expected = expectNext({ elapsedSeconds, beanC, rateC, marks, learntCrack, dropC });
  return (
    <>
      {header(<LiveBadge live={live} machineName={roast.machine_name} elapsedSeconds={elapsedSeconds} />)}
      <div className="flex flex-col gap-4">
        <LiveFigures
          {...{ roast, live, elapsedSeconds, rateC }}
          deviationC={reference && deviationAt(reference.curve, elapsedSeconds, beanC)}
          {...{ expected, learntCrack }}
          action={<MarkBar {...{ roast, marks, onChanged }} now={markNow(live, elapsedSeconds)} />}
        />
        {plan && plan.points.length > 0 && <NextStep {...{ plan, live, elapsedSeconds }} />}
        <RoastCurves
          {...{ roast, curve, behind, plan, marks, selected, onChanged }}
          channels={Object.keys(track.channels)}
          onSelect={setSelected}
          expected={live.state === 'live' ? expected : null}
          nowSeconds={elapsedSeconds}
          endSeconds={Math.max(
            leastSeconds,
            (elapsedSeconds ?? 0) + roomSeconds,
            wholeMinutes(expected?.latest ?? 0),
            plan?.target_roast_time ?? 0,
          )}
        />
        <NextPlanned machineId={machineId} />
      </div>
    </>
  );
};

/** The axis grows by whole minutes, so that it does not move with each prediction. */
const wholeMinutes = (seconds: number): number => Math.ceil(seconds / 60) * 60;

/** A drop before the charge belongs to the previous batch: a running roast has none yet. */
const marksOfThisBatch = ({ marks }: Roast): Roast['marks'] =>
  marks.filter((mark) => mark.kind !== 'drop' || mark.time_seconds > 0);

/** Loaded again when the lot or recipe changes: each cracks at its own temperature. */
const useLearntCrack = (roast: Roast): LearntCrack | undefined => {
  const { data } = useApi(getLearntCrack, { params: { id: roast.id } });
  const told = [roast.lot_id, roast.profile_id, roast.coffee_name].join();
  const asked = useRef(told);
  useEffect(() => {
    if (asked.current === told) return;
    asked.current = told;
    void refresh(getLearntCrack);
  }, [told]);
  return data;
};
