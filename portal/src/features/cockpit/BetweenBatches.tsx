import { betweenBatches, type NextBatch } from '@roastery/contract/between-batches';
import type { Machine } from '@roastery/contract/machines';
import type { Roast, RoastRow } from '@roastery/contract/roasts';
import { chargeReadiness, steadyRateC, type ChargeReadiness } from '@roastery/roasting/charge-readiness';
import { formatDuration } from '@roastery/roasting/units';
import { Weight } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import type { LiveMachine } from '../../api/use-live.ts';
import { Difference, Measure } from '../../components/figures.tsx';
import { planBatchLabel, plannedName } from '../../components/PlannedRoast.tsx';
import { batchLabel, coffeeName } from '../../components/live/roast-texts.ts';
import { exactWeight } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { AfterDrop, resultShownMs } from './AfterDrop.tsx';
import { CockpitChart } from './CockpitChart.tsx';
import { drumCurve } from './drum-curve.ts';
import { FigureTile, Value } from './FigureTile.tsx';
import { isWithdrawn, WithdrawnCharge } from './WithdrawnCharge.tsx';

const refreshMs = 10_000;
const drumOnly = { beanTemp: true, exhaustTemp: true };

interface BetweenBatchesProps {
  machine: Machine;
  live: LiveMachine;
  /** Opens the sheet for a roast that was not weighed; undefined for a viewer. */
  onWeigh: ((roastId: string) => void) | undefined;
  /** The charge that the board had withdrawn was a real one; undefined for a viewer. */
  onKept: ((roast: Roast) => void) | undefined;
  /** Covers the chart, for example the sheet for the weight. */
  children?: ReactNode;
}

/** Before a charge: the drum compared with the charge temperature of the next batch, and that batch. */
export const BetweenBatches = ({ machine, live, onWeigh, onKept, children }: BetweenBatchesProps) => {
  const { data: read, error } = useApi(betweenBatches, { params: { id: machine.id } }, { refreshInterval: refreshMs });
  const next = read?.next ?? null;
  const newest = read?.newest_roast ?? null;
  const lastDropAt = dropOf(newest);
  const [closed, setClosed] = useState<string | null>(null);
  const hasResult =
    newest?.status === 'completed' &&
    newest.id !== closed &&
    lastDropAt !== null &&
    live.now - lastDropAt < resultShownMs;
  const targetC = next?.target_charge_temp ?? null;
  const { track } = live;
  const { curve, rateC: lastRateC } = useMemo(
    () => drumCurve(track),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the track is one object that grows; its version says when
    [track, track.version],
  );
  const stale = live.state !== 'live';
  const drumC = live.reading?.values['bean_temp'] ?? null;
  const rateC = drumC === null ? null : lastRateC;
  const readiness: ChargeReadiness = stale ? { state: 'unknown' } : chargeReadiness(drumC, rateC, targetC);
  const target = useMemo(
    () =>
      targetC === null || curve.time_seconds.length === 0
        ? undefined
        : {
            time_seconds: [curve.time_seconds[0] ?? -1, 0],
            channels: { bean_temp: [targetC, targetC] },
            ror: [null, null],
          },
    [targetC, curve],
  );
  return (
    <>
      <div
        data-testid="cockpit-between"
        data-state={live.state}
        className="grid shrink-0 grid-cols-6 gap-px border-b border-stroke bg-stroke md:grid-cols-12 lg:grid-cols-[1.1fr_1fr_1fr_1fr_1.6fr]"
      >
        <FigureTile
          label={t`Drum`}
          quantity="temperature"
          token="curve-bean"
          size="big"
          stale={stale}
          testId="cockpit-drum"
          className="col-span-3 lg:col-span-1"
        >
          <Value quantity="temperature" value={drumC} />
        </FigureTile>
        <FigureTile label={t`Charge at`} quantity="temperature" size="big" className="col-span-3 lg:col-span-1">
          <span className="text-content">
            <Value quantity="temperature" value={targetC} />
          </span>
        </FigureTile>
        <FigureTile
          label={steadinessText(rateC)}
          stale={stale}
          testId="cockpit-slope"
          className="col-span-3 lg:col-span-1"
        >
          {/* Its label has the sign. */}
          <Measure
            quantity="rate"
            value={rateC === null || Math.abs(rateC) <= steadyRateC ? rateC : Math.abs(rateC)}
            stale={stale}
          />
        </FigureTile>
        <FigureTile label={t`Since last drop`} testId="cockpit-since-drop" className="col-span-3 lg:col-span-1">
          {lastDropAt === null ? <span className="text-muted">--</span> : sinceText((live.now - lastDropAt) / 1000)}
        </FigureTile>
        <Next isRead={read !== undefined} next={next} hasFailed={read === undefined && error !== undefined} />
      </div>
      {newest !== null && isWithdrawn(newest, live.now) && (
        <WithdrawnCharge machineId={machine.id} roast={newest} onKept={onKept} />
      )}
      {!hasResult && <Readiness {...{ readiness, stale, targetC, next }} />}
      {onWeigh !== undefined && read !== undefined && <Unweighed {...read.not_weighed} onWeigh={onWeigh} />}
      {hasResult ? (
        <AfterDrop key={`result ${newest.id}`} roastId={newest.id} onClose={() => setClosed(newest.id)} />
      ) : (
        <CockpitChart curve={curve} reference={target} marks={[]} endSeconds={0} shown={drumOnly} />
      )}
      {children}
    </>
  );
};

/** When a roast dropped, epoch ms; null without one. */
const dropOf = (roast: RoastRow | null): number | null =>
  roast === null || roast.duration_seconds === null
    ? null
    : Date.parse(roast.start_time) + roast.duration_seconds * 1000;

/** After an hour the minutes do not matter any more, after a day the hours. */
const sinceText = (seconds: number): string => {
  if (seconds < 3600) return formatDuration(Math.max(0, seconds));
  return seconds < 86_400 ? t`${Math.floor(seconds / 3600)} h` : t`> 24 h`;
};

const steadinessText = (rateC: number | null): string => {
  if (rateC === null) return t`Drum slope`;
  if (Math.abs(rateC) <= steadyRateC) return t`Steady`;
  return rateC > 0 ? t`Heating` : t`Cooling`;
};

interface UnweighedProps {
  total: number;
  newest: RoastRow | null;
  onWeigh: (roastId: string) => void;
}

/** Roasts of this machine without a weight: nothing while there are none. */
const Unweighed = ({ total, newest, onWeigh }: UnweighedProps) =>
  newest === null ? null : (
    <button
      type="button"
      data-testid="unweighed"
      onClick={() => onWeigh(newest.id)}
      className="flex h-12 shrink-0 items-center gap-2 border-b border-stroke bg-page px-4 text-left text-base text-content hover:bg-hover"
    >
      <Weight aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="truncate">
        {t`Weigh ${batchLabel(newest)} · ${coffeeName(newest)}`}
        {total > 1 && <span className="text-muted"> {t`and ${total - 1} more`}</span>}
      </span>
    </button>
  );

/** The first of the queue: its name, number and weight. A queue that is not read yet is not an empty one. */
const Next = ({ isRead, next, hasFailed }: { isRead: boolean; next: NextBatch | null; hasFailed: boolean }) => (
  <section
    aria-label={t`Next batch`}
    data-testid="cockpit-next-batch"
    className="col-span-6 min-w-0 bg-surface px-3 pt-1.5 pb-2 md:col-span-12 lg:col-span-1 lg:px-4"
  >
    <p className="label-mono">{t`Next batch`}</p>
    {hasFailed && (
      <p role="alert" className="truncate text-sm text-danger">
        {t`The queue could not be loaded`}
      </p>
    )}
    {next === null ? (
      <p className="text-lg text-muted">{isRead ? t`Nothing is planned` : '--'}</p>
    ) : (
      <>
        <p className="truncate text-[1.375rem] leading-7 font-semibold tracking-tight text-strong">
          {next.batch_size_kg !== null && <span className="figures">{exactWeight(next.batch_size_kg)} </span>}
          {plannedName(next)}
        </p>
        <p className="truncate text-sm text-content">
          {[planBatchLabel(next), next.profile_name, next.lot_number, next.roasted_by]
            .filter((part) => part !== null)
            .join(' · ')}
        </p>
      </>
    )}
  </section>
);

interface ReadinessProps {
  readiness: ChargeReadiness;
  stale: boolean;
  targetC: number | null;
  next: NextBatch | null;
}

/** Whether the drum is ready, in one plain sentence. */
const Readiness = ({ readiness, stale, targetC, next }: ReadinessProps) => {
  const isReady = readiness.state === 'ready';
  return (
    <>
      <div
        data-testid="charge-readiness"
        data-readiness={readiness.state}
        className={classes(
          'flex min-h-14 shrink-0 items-center border-b border-stroke px-4 py-2 text-[1.375rem] leading-7 font-semibold tracking-tight lg:text-2xl',
          isReady ? 'bg-success-soft text-success' : 'bg-page text-strong',
        )}
      >
        <span className="figures">{readinessText({ readiness, stale, targetC, next })}</span>
      </div>
      {/* The figures change with every reading, the announcement only with the state. */}
      <output className="sr-only m-0!">{stale ? '' : spokenReadiness[readiness.state]}</output>
    </>
  );
};

const spokenReadiness: Readonly<Record<ChargeReadiness['state'], string>> = {
  unknown: '',
  below: t`Too cold to charge`,
  above: t`Too hot to charge`,
  moving: t`At charge temperature, not steady yet`,
  ready: t`Ready to charge`,
};

const readinessText = ({ readiness, stale, targetC, next }: ReadinessProps): ReactNode => {
  if (readiness.state === 'unknown') {
    if (stale) return t`No new readings from the drum`;
    if (next === null) return t`Plan a batch to see its charge temperature`;
    if (next.profile_id === null) return t`No recipe, so no charge temperature`;
    return targetC === null ? t`The recipe has no charge temperature` : t`No reading of the drum`;
  }
  if (readiness.state === 'ready') return t`Ready to charge`;
  const { differenceC, inSeconds } = readiness;
  if (readiness.state === 'moving') return t`At charge temperature, not steady yet`;
  const off = <Difference valueC={Math.abs(differenceC)} signed={false} />;
  const difference = readiness.state === 'below' ? t`Too cold by ${off}` : t`Too hot by ${off}`;
  if (inSeconds === null) return difference;
  return (
    <>
      {difference} · {t`ready in about ${formatDuration(inSeconds)}`}
    </>
  );
};
