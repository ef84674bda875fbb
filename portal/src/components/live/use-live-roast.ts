import { forecastBasisOf } from '@roastery/contract/learnt-forecast';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import { getForecastBasis, getLearntCrack, type PredictedCrack } from '@roastery/contract/roast-forecasts';
import type { Roast } from '@roastery/contract/roasts';
import {
  createForecaster,
  forecastSeconds,
  type CurveForecast,
  type ForecastBasis,
} from '@roastery/roasting/forecast/curve-forecast';
import { markOf } from '@roastery/roasting/marks';
import { roastMoment } from '@roastery/roasting/forecast/roast-moment';
import { useEffect, useMemo, useRef, useState } from 'react';
import { refresh, useApi } from '../../api/use-api.ts';
import type { LiveMachine } from '../../api/use-live.ts';
import { deviationAt } from '../chart/curves.ts';
import type { ForecastFrom } from '../chart/forecast-band.ts';
import { liveCurve } from './live-curve.ts';
import { expectCrackBetween, expectNext, type CrackRange, type ExpectedEvent } from './next-event.ts';
import { usePlan } from './use-plan.ts';
import { useReference, type Behind } from './use-reference.ts';

/** Seconds of preheat shown left of the charge while a roast runs. */
const beforeSeconds = 60;
/** Space to the right of the newest reading, so that the curve grows into the chart instead of being squeezed. */
const roomSeconds = 60;
/** Shortest time axis of a live roast. */
const minAxisSeconds = 8 * 60;

export interface LiveRoastFigures {
  readonly behind: Behind;
  readonly plan: ReturnType<typeof usePlan>;
  readonly predictedCrack: PredictedCrack | undefined;
  /** Marks of this batch. */
  readonly marks: Roast['marks'];
  /** `undefined` until samples and charge are known. */
  readonly curve: CurveColumns | undefined;
  readonly elapsedSeconds: number | null;
  readonly beanC: number | null;
  readonly rateC: number | null;
  /** °C above the reference curve; `undefined` without a reference. */
  readonly deviationC: number | null | undefined;
  readonly expected: ExpectedEvent | null;
  /** The temperatures of first crack if it is the next event. */
  readonly crackBetween: CrackRange | null;
  /** The forecast of the curve for two minutes; null where none is possible. */
  readonly forecast: ForecastFrom | null;
  /** Whether the machine's earlier roasts are too few, or too unlike each other, to forecast from. */
  readonly isUnforeseen: boolean;
  /** Right end of the time axis. */
  readonly endSeconds: number;
}

/** The figures of a running roast, from its live track, its plan and its reference. */
export const useLiveRoast = (roast: Roast, live: LiveMachine): LiveRoastFigures => {
  const behind = useReference(roast);
  const plan = usePlan(roast);
  const predictedCrack = usePredictedCrack(roast);
  const { reference, dropC } = behind;
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
  const basis = useForecastBasis(roast);
  const curveForecast = useForecast(basis, curve, marks);
  const [isCrackTimed, setCrackTimed] = useState(false);
  const mayTimeCrack = basis?.learnt?.timesFirstCrack ?? false;
  const now = { elapsedSeconds, forecast: curveForecast, marks, predictedCrack, dropC, mayTimeCrack, isCrackTimed };
  const expected = expectNext(now);
  if (isCrackTimed !== (expected?.kind === 'first_crack')) setCrackTimed(!isCrackTimed);
  const forecast = useMemo(
    () =>
      curveForecast === null || elapsedSeconds === null
        ? null
        : { fromSeconds: elapsedSeconds, points: curveForecast.points },
    [curveForecast, elapsedSeconds],
  );
  return {
    behind,
    plan,
    predictedCrack,
    marks,
    curve,
    elapsedSeconds,
    beanC,
    rateC,
    deviationC: reference && deviationAt(reference.curve, elapsedSeconds, beanC),
    expected,
    crackBetween: expectCrackBetween(now),
    forecast,
    isUnforeseen: basis?.learnt === null && dropSeconds === null,
    endSeconds: Math.max(
      minAxisSeconds,
      (elapsedSeconds ?? 0) + roomSeconds,
      wholeMinutes(expected?.latest ?? 0),
      forecast === null ? 0 : wholeMinutes(forecast.fromSeconds + forecastSeconds),
      plan?.target_roast_time ?? 0,
    ),
  };
};

/** The axis grows by whole minutes, so that it does not move with each prediction. */
const wholeMinutes = (seconds: number): number => Math.ceil(seconds / 60) * 60;

/** A drop before the charge belongs to the previous batch: a running roast has none yet. */
export const marksOfThisBatch = ({ marks }: Roast): Roast['marks'] =>
  marks.filter((mark) => mark.kind !== 'drop' || mark.time_seconds > 0);

/** Loaded again when lot, recipe or batch changes: each cracks at its own temperature. */
const usePredictedCrack = (roast: Roast): PredictedCrack | undefined => {
  const { data } = useApi(getLearntCrack, { params: { id: roast.id } });
  const source = [roast.lot_id, roast.profile_id, roast.coffee_name, roast.batch_size_kg].join();
  const asked = useRef(source);
  useEffect(() => {
    if (asked.current === source) return;
    asked.current = source;
    void refresh(getLearntCrack);
  }, [source]);
  return data;
};

/** The past roasts are loaded again when coffee or recipe changes. */
const useForecastBasis = (roast: Roast): ForecastBasis | undefined => {
  const { data } = useApi(getForecastBasis, { params: { id: roast.id } });
  const source = [roast.profile_id, roast.coffee_name, roast.batch_size_kg].join();
  const asked = useRef(source);
  useEffect(() => {
    if (asked.current === source) return;
    asked.current = source;
    void refresh(getForecastBasis);
  }, [source]);
  return useMemo(() => data && forecastBasisOf(data), [data]);
};

/** The forecast from the newest reading on. */
const useForecast = (
  basis: ForecastBasis | undefined,
  curve: CurveColumns | undefined,
  marks: Roast['marks'],
): CurveForecast | null => {
  const forecaster = useMemo(() => basis && createForecaster(basis), [basis]);
  const turnSeconds = markOf(marks, 'turning_point')?.time_seconds;
  const isOver = markOf(marks, 'drop') !== undefined;
  return useMemo(() => {
    const elapsedSeconds = curve?.time_seconds.at(-1);
    const beanTempC = curve?.channels['bean_temp'];
    if (!forecaster || !beanTempC || elapsedSeconds === undefined || turnSeconds === undefined || isOver) return null;
    const { heat_power: heatPower, fan_speed: fanSpeed } = curve.channels;
    const track = { timesSeconds: curve.time_seconds, beanTempC, heatPower, fanSpeed };
    const moment = roastMoment(track, turnSeconds, elapsedSeconds);
    return moment && forecaster.forecast(moment);
  }, [forecaster, curve, turnSeconds, isOver]);
};
