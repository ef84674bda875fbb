import { getMachine } from '@roastery/contract/machines';
import { getTimeline, type Timeline, type TimelineRoast } from '@roastery/contract/timeline';
import { maxTimelineDays } from '@roastery/contract/limits';
import { ChartGantt, ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { useParams } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { ExchangedRecordings } from '../../components/ExchangedRecordings.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine, ErrorState } from '../../components/ErrorState.tsx';
import { isMissing, MissingMachine } from '../../components/MissingPage.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { mayManage, mayRoast } from '../../components/people/roles.ts';
import { useDates } from '../../format/preferences.ts';
import { useUrlState } from '../../components/url-state.ts';
import { localTimeOf } from '../../format/zoned-time.ts';
import { t } from '../../language/t.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { RecordingLane, RoastLane } from './Lanes.tsx';
import { useZone } from './MomentField.tsx';
import { RoastPanel } from './RoastPanel.tsx';
import { DiscardedRows, GapRows, RoastRows } from './RoastRows.tsx';
import { StretchPanel } from './StretchPanel.tsx';
import { dayMs, moved, readSpan, withRoom, zoomed, type Span } from './timeline-span.ts';
import { lengthText } from './timeline-texts.ts';

const TimelineChart = lazy(() => import('./TimelineChart.tsx'));

/** New readings move the end of the timeline. */
const refreshMs = 5000;

const iso = (ms: number): string => new Date(ms).toISOString();
const spanOf = ({ from, to }: Timeline): Span => ({ from: Date.parse(from), to: Date.parse(to) });

/** /machines/{id}/timeline: everything that a machine recorded, and its roasts as windows on it. */
export default function TimelinePage() {
  const { id = '' } = useParams();
  const { read, change } = useUrlState();
  const machine = useApi(getMachine, { params: { id } }, { refreshInterval: refreshMs * 3 });
  const asked = readSpan(read('from'), read('to'));
  const {
    data: timeline,
    error,
    mutate,
  } = useApi(
    getTimeline,
    { params: { id }, query: asked === undefined ? {} : { from: iso(asked.from), to: iso(asked.to) } },
    { keepPreviousData: true, refreshInterval: refreshMs },
  );
  const crumbs = [
    { label: t`Machines`, to: paths.machines },
    { label: machine.data?.display_name ?? t`Machine` },
    { label: t`Timeline` },
  ];
  const setSpan = useCallback((span: Span) => change({ from: iso(span.from), to: iso(span.to) }), [change]);
  if (isMissing(machine.error) || isMissing(error)) return <MissingMachine icon={<ChartGantt aria-hidden />} />;
  return (
    <Page wide>
      <PageHeader
        title={machine.data === undefined ? t`Timeline` : t`Timeline of ${machine.data.display_name}`}
        crumbs={crumbs}
        subtitle={t`Everything this machine has recorded, and its roasts.`}
        actions={<ButtonLink to={paths.machineLessons(id)}>{t`What it has learnt`}</ButtonLink>}
      />
      {timeline === undefined ? (
        error === undefined ? (
          <LoadingTimeline />
        ) : (
          <Card>
            <ErrorState title={t`The timeline could not be loaded`} error={error} onRetry={() => void mutate()} />
          </Card>
        )
      ) : timeline.first_at === null && timeline.roasts.length === 0 ? (
        <Card>
          <EmptyState icon={<ChartGantt aria-hidden />} title={t`Nothing recorded yet`}>
            {t`The timeline starts with the first reading from the machine’s board.`}
          </EmptyState>
        </Card>
      ) : (
        <div className="flex flex-col gap-4">
          <ErrorLine title={t`The timeline could not be refreshed`} error={error} onRetry={() => void mutate()} />
          {machine.data !== undefined && mayManage(machine.data.role) && <ExchangedRecordings machineId={id} />}
          <LoadedTimeline
            machineId={id}
            timeline={timeline}
            span={asked ?? spanOf(timeline)}
            isSending={machine.data?.connection === 'online'}
            isRoasting={machine.data !== undefined && machine.data.current_roast_id !== null}
            mayChange={machine.data !== undefined && mayRoast(machine.data.role)}
            onSpan={setSpan}
          />
        </div>
      )}
    </Page>
  );
}

const LoadingTimeline = () => (
  <>
    <output className="sr-only">{t`Loading timeline...`}</output>
    <Skeleton className="h-96 w-full" />
    <Skeleton className="mt-4 h-60 w-full" />
  </>
);

interface LoadedTimelineProps {
  machineId: string;
  timeline: Timeline;
  span: Span;
  isSending: boolean;
  isRoasting: boolean;
  mayChange: boolean;
  onSpan: (span: Span) => void;
}

const LoadedTimeline = (props: LoadedTimelineProps) => {
  const { machineId, timeline, span, isSending, isRoasting, mayChange, onSpan } = props;
  const { read, change } = useUrlState();
  const zone = useZone();
  const offsetOf = useCallback(
    (ms: number) => Date.parse(`${localTimeOf(ms, zone)}:00Z`) - Math.floor(ms / 60_000) * 60_000,
    [zone],
  );
  const selectedId = read('roast');
  const [markFrom, markTo] = [read('charge'), read('drop')];
  const stretch = useMemo(() => {
    const marked = { from: Date.parse(markFrom ?? ''), to: Date.parse(markTo ?? '') };
    return marked.to > marked.from ? marked : null;
  }, [markFrom, markTo]);
  const select = useCallback(
    (id: string | undefined) => change({ roast: id, charge: undefined, drop: undefined }),
    [change],
  );
  const setStretch = useCallback(
    (next: Span | null) =>
      change({
        roast: undefined,
        charge: next === null ? undefined : iso(next.from),
        drop: next === null ? undefined : iso(next.to),
      }),
    [change],
  );
  const pick = useCallback(
    (ms: number) => {
      const at = timeline.roasts.find(
        (roast) => Date.parse(roast.from) <= ms && (roast.to === null || ms <= Date.parse(roast.to)),
      );
      if (at === undefined) change({ roast: undefined, charge: undefined, drop: undefined });
      else select(at.id);
    },
    [timeline, change, select],
  );
  const roast = timeline.roasts.find((one) => one.id === selectedId);
  return (
    <>
      <Card className="flex min-w-0 flex-col xl:flex-row">
        <div className="min-w-0 flex-1 p-3 sm:p-4">
          <SpanBar {...{ timeline, span, stretch, roast, onSpan }} />
          <div className="flex flex-col gap-1.5">
            <RoastLane roasts={timeline.roasts} span={span} selectedId={selectedId} onSelect={select} />
            <Suspense fallback={<Skeleton className="h-[330px] w-full" />}>
              <TimelineChart
                {...{ timeline, span, offsetOf, selectedId, stretch, onSpan }}
                onStretch={setStretch}
                onPick={pick}
              />
            </Suspense>
            <RecordingLane timeline={timeline} span={span} />
          </div>
          <p className="pt-2 text-sm text-muted">
            {t`Drag to select a range, click to select a roast, scroll to zoom. Hatched: no recording.`}
          </p>
        </div>
        <aside
          aria-label={t`Actions`}
          className="w-full shrink-0 border-t border-stroke p-4 xl:w-88 xl:border-t-0 xl:border-l"
        >
          {roast === undefined ? (
            <StretchPanel
              {...{ machineId, stretch, isSending, isRoasting, mayChange }}
              onStretch={setStretch}
              onMade={(made) => select(made.id)}
            />
          ) : (
            <RoastPanel key={roast.id} {...{ roast, mayChange }} {...neighboursOf(roast, timeline)} onSelect={select} />
          )}
        </aside>
      </Card>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <RoastRows {...{ timeline, selectedId }} onSelect={select} />
        <GapRows timeline={timeline} />
        <DiscardedRows roasts={timeline.discarded} mayChange={mayChange} onRestored={select} />
      </div>
    </>
  );
};

/** The roasts with a charge on the same recording, right before and after. */
const neighboursOf = (roast: TimelineRoast, { roasts }: Timeline) => {
  if (roast.recording_id === null || roast.charge_at === null) return { before: undefined, after: undefined };
  const same = roasts.filter((one) => one.recording_id === roast.recording_id && one.charge_at !== null);
  const index = same.findIndex((one) => one.id === roast.id);
  return { before: same[index - 1], after: same[index + 1] };
};

interface SpanBarProps {
  timeline: Timeline;
  span: Span;
  stretch: Span | null;
  roast: TimelineRoast | undefined;
  onSpan: (span: Span) => void;
}

const hourMs = 3_600_000;

/** The whole recording, up to the longest span of one answer. */
const wholeOf = (first: number, last: number): Span =>
  withRoom({ from: Math.max(first, last - (maxTimelineDays - 20) * dayMs), to: last }, 0.02);

/** The shown span and its controls. */
const SpanBar = ({ timeline, span, stretch, roast, onSpan }: SpanBarProps) => {
  const dates = useDates();
  const middle = (span.from + span.to) / 2;
  const first = timeline.first_at === null ? null : Date.parse(timeline.first_at);
  const last = timeline.last_at === null ? null : Date.parse(timeline.last_at);
  const picked =
    stretch ??
    (roast === undefined
      ? null
      : {
          from: Date.parse(roast.from),
          to: roast.to === null ? (last ?? Date.parse(roast.from)) : Date.parse(roast.to),
        });
  const newest = (length: number): void => {
    if (last !== null) onSpan({ from: last - length, to: last + Math.round(length * 0.02) });
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pb-3">
      <h2 className="figures min-w-0 text-base font-semibold text-strong">
        {dates.dayAndTime(span.from)}
        <span className="ml-2 text-sm font-normal text-muted">{lengthText(span.to - span.from)}</span>
      </h2>
      <div className="flex flex-wrap items-center gap-1.5">
        <IconButton label={t`Earlier`} icon={<ChevronLeft aria-hidden />} onClick={() => onSpan(moved(span, -0.5))} />
        <IconButton label={t`Later`} icon={<ChevronRight aria-hidden />} onClick={() => onSpan(moved(span, 0.5))} />
        <IconButton
          label={t`Zoom in`}
          icon={<ZoomIn aria-hidden />}
          onClick={() => onSpan(zoomed(span, 0.5, middle))}
        />
        <IconButton
          label={t`Zoom out`}
          icon={<ZoomOut aria-hidden />}
          onClick={() => onSpan(zoomed(span, 2, middle))}
        />
        {picked !== null && <Button onClick={() => onSpan(withRoom(picked))}>{t`Zoom to selection`}</Button>}
        <Button disabled={last === null} onClick={() => newest(hourMs)}>
          {t`Last hour`}
        </Button>
        <Button disabled={last === null} onClick={() => newest(dayMs)}>
          {t`Last day`}
        </Button>
        <Button
          disabled={first === null || last === null}
          onClick={() => first !== null && last !== null && onSpan(wholeOf(first, last))}
        >
          {t`All`}
        </Button>
      </div>
    </div>
  );
};
