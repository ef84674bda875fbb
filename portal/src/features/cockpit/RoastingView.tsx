import type { Roast } from '@roastery/contract/roasts';
import { phaseAt } from '@roastery/roasting/curves/phases';
import { formatDuration } from '@roastery/roasting/units';
import { useState } from 'react';
import type { LiveMachine } from '../../api/use-live.ts';
import { phaseLabels } from '../../components/chart/mark-layout.ts';
import { Difference } from '../../components/figures.tsx';
import { ControlFigures } from '../../components/live/ControlFigures.tsx';
import { CorrectMarks, useCorrectMarks } from '../../components/live/CorrectMarks.tsx';
import { useLiveRoast } from '../../components/live/use-live-roast.ts';
import { formatPercent } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { CockpitChart } from './CockpitChart.tsx';
import { FigureTile, Value } from './FigureTile.tsx';
import { StepTile } from './StepTile.tsx';

interface RoastingViewProps {
  roast: Roast;
  live: LiveMachine;
  /** Marks are dragged or typed; the panel takes its room from the chart. */
  isCorrecting: boolean;
  onCorrected: () => void;
  onChanged: (roast: Roast) => void;
}

/** A running roast: the strip of figures, and the curve in all the room that is left. */
export const RoastingView = ({ roast, live, isCorrecting, onCorrected, onChanged }: RoastingViewProps) => {
  const [selected, setSelected] = useState<number | null>(null);
  const { set: moveMark } = useCorrectMarks({ roast, onSelect: setSelected, onChanged });
  const figures = useLiveRoast(roast, live);
  const { behind, marks, curve, expected, forecast, endSeconds } = figures;
  const isLive = live.state === 'live';
  return (
    <>
      <FigureStrip live={live} figures={figures} />
      <div className="flex shrink-0 gap-x-6 border-b border-stroke px-4 py-1 text-sm max-md:hidden">
        <dl className="flex gap-x-6">
          <ControlFigures values={live.reading?.values ?? {}} stale={!isLive} beside />
        </dl>
        {behind.reference !== undefined && (
          <p className="ml-auto truncate text-muted">{t`Reference: ${behind.reference.name}`}</p>
        )}
      </div>
      {isCorrecting && (
        <div
          data-testid="cockpit-correct"
          className="max-h-[45%] shrink-0 overflow-y-auto border-b border-stroke bg-surface px-3 py-2"
        >
          <CorrectMarks
            {...{ roast, marks, selected, onChanged }}
            onSelect={setSelected}
            onDone={() => {
              setSelected(null);
              onCorrected();
            }}
          />
        </div>
      )}
      <CockpitChart
        curve={curve}
        reference={behind.reference?.curve}
        marks={marks}
        alarms={live.raised}
        expected={isLive ? expected : null}
        forecast={isLive ? forecast : null}
        endSeconds={endSeconds}
        correcting={
          isCorrecting
            ? {
                selected,
                onSelect: setSelected,
                onMoveMark: (kind, seconds) => moveMark(kind, { time_seconds: seconds }),
              }
            : undefined
        }
      />
    </>
  );
};

interface FigureStripProps {
  live: LiveMachine;
  figures: ReturnType<typeof useLiveRoast>;
}

const FigureStrip = ({ live, figures }: FigureStripProps) => {
  const { plan, elapsedSeconds, rateC, deviationC, expected, crackBetween, isUnforeseen } = figures;
  const stale = live.state !== 'live';
  const big = 'col-span-3 md:col-span-4 lg:col-span-1 lg:row-span-2';
  return (
    <div
      data-testid="cockpit-figures"
      data-state={live.state}
      className="grid shrink-0 grid-cols-6 gap-px border-b border-stroke bg-stroke md:grid-cols-12 lg:grid-cols-[1fr_1.1fr_1fr_0.95fr_0.95fr]"
    >
      <FigureTile label={t`Time`} size="big" stale={stale} testId="cockpit-time" className={big}>
        {formatDuration(elapsedSeconds)}
      </FigureTile>
      <FigureTile
        label={t`Bean Temp`}
        quantity="temperature"
        token="curve-bean"
        size="big"
        stale={stale}
        testId="cockpit-bean"
        className={big}
      >
        <Value quantity="temperature" value={live.reading?.values['bean_temp']} />
      </FigureTile>
      <FigureTile
        label={t`Rate of Rise`}
        shortLabel={t`RoR`}
        quantity="rate"
        token="curve-rate"
        size="big"
        stale={stale}
        testId="cockpit-rate"
        className="col-span-2 max-md:[&>p:last-child]:text-[1.625rem] md:col-span-4 lg:col-span-1 lg:row-span-2"
      >
        <Value quantity="rate" value={rateC} />
      </FigureTile>
      <FigureTile label={t`vs reference`} testId="cockpit-deviation" className={small}>
        {deviationC === undefined ? unknown : <Difference valueC={deviationC} stale={stale} />}
      </FigureTile>
      <PhaseTile figures={figures} stale={stale} />
      <StepTile
        {...{ plan, live, elapsedSeconds, expected, crackBetween, isUnforeseen }}
        className="col-span-6 lg:col-span-2"
      />
    </div>
  );
};

const small = 'col-span-2 md:col-span-3 lg:col-span-1';
const unknown = <span className="text-muted">--</span>;

const PhaseTile = ({ figures, stale }: { figures: FigureStripProps['figures']; stale: boolean }) => {
  const { marks, elapsedSeconds } = figures;
  const moments = marks.map(({ kind, time_seconds }) => ({ kind, timeSeconds: time_seconds }));
  const phase = elapsedSeconds === null ? null : phaseAt(moments, elapsedSeconds);
  return (
    <FigureTile
      label={phase === null ? t`Phase` : phaseLabels[phase.name].long}
      stale={stale}
      testId="cockpit-phase"
      className={small}
    >
      {phase === null ? (
        unknown
      ) : phase.share >= 1 ? (
        // All of the roast so far.
        formatDuration(phase.durationSeconds)
      ) : (
        <>
          {formatPercent(phase.share)}
          <span className="text-[0.7em] font-normal text-muted max-md:hidden">
            {' '}
            {formatDuration(phase.durationSeconds)}
          </span>
        </>
      )}
    </FigureTile>
  );
};
