import type { Timeline } from '@roastery/contract/timeline';
import type { ChartOptions } from 'chart.js';
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type Dispatch,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  type SetStateAction,
} from 'react';
import { timeAt } from '../../components/chart/ChartFrame.tsx';
import { useTwoFingers, type FingerView } from '../../components/chart/two-fingers.ts';
import { Line, useLatest, type LineChart } from '../../components/chart/use-chart.ts';
import { readPalette } from '../../components/chart/palette.ts';
import { axisFont, barePixels, baseOptions, fixedWidth } from '../../components/chart/time-scale.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { readingOf, unitOf } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';
import { colourToken, useTheme } from '../../ui/theme.ts';
import { timelineLines } from './timeline-lines.ts';
import { timelineOverlay, type TimelineOverlay } from './timeline-overlay.ts';
import {
  cursorAfter,
  dayMs,
  longestMs,
  markedIn,
  moved,
  spanAfter,
  spanBetween,
  ticksOf,
  zoomed,
  type Marking,
  type Span,
} from './timeline-span.ts';
import { lengthText } from './timeline-texts.ts';

export interface TimelineChartProps {
  timeline: Timeline;
  /** The requested span; the data may still be that of the previous one. */
  span: Span;
  offsetOf: (ms: number) => number;
  selectedId: string | undefined;
  stretch: Span | null;
  onSpan: (span: Span) => void;
  onStretch: (stretch: Span | null) => void;
  /** A click without a drag. */
  onPick: (ms: number) => void;
}

const height = 300;
/** A pointer that moved less has clicked. */
const clickPixels = 5;
/** How far beside the plot a pointer still points at its edge, px. */
const edgePixels = 12;
/** A wheel turns in steps: the address changes when it stops. */
const wheelRestMs = 160;

interface ShownTimeline extends TimelineChartProps {
  chart: RefObject<LineChart | null>;
  /** With a zoom that is not in the address yet. */
  shown: Span;
  marking: Marking;
}

/** What the chart draws: the curve, its axes, and roasts, gaps, range and cursor over them. */
const useDrawing = ({ chart, timeline, shown, offsetOf, selectedId, stretch, marking }: ShownTimeline) => {
  const theme = useTheme();
  const units = usePreferences();
  const dates = useDates();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the palette is read from the theme on screen
  const palette = useMemo(() => readPalette(), [theme]);
  const overlay = useLatest<TimelineOverlay>({
    roasts: timeline.roasts,
    gaps: timeline.gaps,
    selectedId,
    stretch: markedIn(marking) ?? stretch,
    cursor: marking.cursor,
    palette,
  });
  const datasets = useMemo(
    () => timelineLines(timeline, units, colourToken('curve-bean')),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- colours change with the theme
    [timeline, units, theme],
  );
  const options = useMemo<ChartOptions<'line'>>(
    () => ({
      ...baseOptions,
      layout: { padding: { right: barePixels, top: 6 } },
      scales: {
        x: {
          type: 'linear',
          min: shown.from,
          max: shown.to,
          border: { color: palette.strokeStrong },
          grid: { color: palette.stroke, tickLength: 4 },
          afterBuildTicks(scale: { width: number; ticks: { value: number }[] }) {
            scale.ticks = ticksOf(shown, scale.width, offsetOf).at.map((value) => ({ value }));
          },
          ticks: {
            autoSkip: false,
            maxRotation: 0,
            color: palette.muted,
            font: axisFont(palette),
            callback: (value: string | number) => {
              const at = Number(value);
              const { step } = ticksOf(shown, chart.current?.chartArea?.width ?? 600, offsetOf);
              if (step >= dayMs || (at + offsetOf(at)) % dayMs === 0) return dates.day(at).replace(/, \d+$/, '');
              return step < 60_000 ? dates.second(at) : dates.time(at);
            },
          },
        },
        y: {
          type: 'linear',
          beginAtZero: true,
          grace: '5%',
          border: { display: false },
          grid: { color: palette.stroke, drawTicks: false },
          ticks: { color: palette.muted, font: axisFont(palette), padding: 6, maxTicksLimit: 6 },
          afterFit: fixedWidth,
        },
      },
      plugins: {},
    }),
    [chart, palette, shown, offsetOf, dates],
  );
  const plugins = useMemo(() => [timelineOverlay(overlay)], [overlay]);
  useLayoutEffect(() => chart.current?.draw(), [chart, marking, stretch, selectedId]);
  return { data: { datasets }, options, plugins };
};

/** Zooms by the wheel and by two fingers; the address follows when they stop. */
const useZoomedSpan = (chart: RefObject<LineChart | null>, span: Span, onSpan: (span: Span) => void) => {
  const [wheeled, setWheeled] = useState<Span | null>(null);
  const shown = wheeled ?? span;
  useEffect(() => {
    if (wheeled === null) return undefined;
    const timer = setTimeout(() => {
      onSpan(wheeled);
      setWheeled(null);
    }, wheelRestMs);
    return () => clearTimeout(timer);
  }, [wheeled, onSpan]);
  // A wheel over the chart zooms and must not scroll the page; React's own listener can't prevent it.
  const frame = useRef<HTMLDivElement>(null);
  const latest = useLatest(shown);
  useEffect(() => {
    const onWheel = (event: WheelEvent): void => {
      const around = timeAt(chart.current, event, edgePixels);
      if (around === null || event.deltaY === 0) return;
      event.preventDefault();
      const next = event.shiftKey
        ? moved(latest.current, Math.sign(event.deltaY) * 0.15)
        : zoomed(latest.current, event.deltaY > 0 ? 1.3 : 1 / 1.3, around);
      setWheeled(next);
    };
    const element = frame.current;
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [chart, latest]);
  return { shown, latest, frame, setWheeled };
};

/** A press that moved, or two presses of Enter, select a range; a press alone picks a moment. */
const useMarking = (props: ShownTimeline & { setMarking: Dispatch<SetStateAction<Marking>> }) => {
  const { chart, shown, onSpan, onStretch, onPick, marking, setMarking } = props;
  const { anchor, cursor } = marking;
  const at = (event: { clientX: number }) => timeAt(chart.current, event, edgePixels);
  const isClick = ({ from, to }: Span): boolean => {
    const x = chart.current?.scales['x'];
    return x === undefined || Math.abs(x.getPixelForValue(to) - x.getPixelForValue(from)) < clickPixels;
  };
  const finish = (from: number, to: number): void => {
    setMarking({ anchor: null, cursor: to });
    const marked = spanBetween(from, to);
    if (isClick(marked)) onPick(to);
    else onStretch(wholeSeconds(marked));
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLDivElement>): void => {
      if (event.button !== 0) return;
      setMarking({ anchor: at(event), cursor: at(event) });
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent): void => {
      const under = at(event);
      setMarking((now) => ({ ...now, cursor: under }));
    },
    onPointerUp: (event: PointerEvent): void => {
      const to = at(event);
      if (anchor === null || to === null) setMarking({ anchor: null, cursor: to });
      else finish(anchor, to);
    },
    onPointerCancel: (): void => setMarking((now) => ({ ...now, anchor: null })),
    onPointerLeave: (): void => setMarking((now) => ({ ...now, cursor: null })),
    onDoubleClick: (event: MouseEvent): void => {
      const around = at(event);
      if (around !== null) onSpan(zoomed(shown, 0.25, around));
    },
    onKeyDown: (event: KeyboardEvent): void => {
      const from = cursor ?? (shown.from + shown.to) / 2;
      const walked = cursorAfter(event.key, event.shiftKey, from, shown);
      const span = spanAfter(event.key, from, shown);
      if (walked !== undefined) setMarking({ anchor, cursor: walked });
      else if (span !== undefined) onSpan(span);
      else if (event.key === 'Enter' || event.key === ' ') {
        if (anchor === null) setMarking({ anchor: from, cursor: from });
        else finish(anchor, from);
      } else if (event.key === 'Escape') {
        setMarking({ anchor: null, cursor });
        onStretch(null);
      } else return;
      event.preventDefault();
    },
  };
};

/** Bean temperature over the span; drag selects a range, the wheel and two fingers zoom, and the keyboard does both. */
export default function TimelineChart(props: TimelineChartProps) {
  const { timeline, span, onSpan } = props;
  const chart = useRef<LineChart>(null);
  const [marking, setMarking] = useState<Marking>({ anchor: null, cursor: null });
  const { shown, latest, frame, setWheeled } = useZoomedSpan(chart, span, onSpan);
  const drawn = useDrawing({ ...props, chart, shown, marking });
  const handlers = useMarking({ ...props, chart, shown, marking, setMarking });
  const fingers = useMemo<FingerView>(
    () => ({
      get: () => latest.current,
      extent: () => ({ from: 0, to: longestMs }),
      setWindow: (from, to) => setWheeled(zoomed({ from, to }, 1, (from + to) / 2)),
      // The first finger had begun to select a range.
      setCursor: (cursor) => setMarking({ anchor: null, cursor }),
    }),
    [latest, setWheeled],
  );
  useTwoFingers(chart, fingers);
  return (
    <div>
      <Readout timeline={timeline} marking={marking} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a chart one can walk with the arrow keys */}
      <div
        ref={frame}
        role="application"
        aria-label={t`Timeline of the bean temperature. Arrow keys move the cursor, Enter sets the start and the end of a range, plus and minus zoom, Page Up and Page Down scroll, Escape clears.`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
        tabIndex={0}
        className="relative w-full cursor-crosshair touch-pan-y rounded-sm select-none"
        style={{ height }}
        {...handlers}
        data-testid="timeline-chart"
      >
        <Line ref={chart} {...drawn} aria-label={t`Bean temperature over the span; roasts and gaps are listed below`} />
      </div>
    </div>
  );
}

/** The length of the range, and the time and temperature at the cursor. */
const Readout = ({ timeline, marking }: { timeline: Timeline; marking: Marking }) => {
  const units = usePreferences();
  const dates = useDates();
  const marked = markedIn(marking);
  const { cursor } = marking;
  const index = cursor === null ? -1 : nearest(timeline.curve.at, cursor);
  const bean = readingOf('temperature', index < 0 ? null : timeline.curve.high[index], units);
  return (
    <p className="flex min-h-6 flex-wrap items-baseline gap-x-3 pb-1 text-sm text-muted" aria-live="polite">
      <span className="label-mono">{t`Bean Temp ${unitOf('temperature', units)}`}</span>
      {marked !== null && (
        <span className="figures text-strong">{t`${lengthText(marked.to - marked.from)} selected`}</span>
      )}
      {cursor !== null && (
        <span className="figures">
          {dates.day(cursor)} {dates.second(cursor)}{' '}
          <span className="text-strong">
            {bean.value} {bean.unit}
          </span>
        </span>
      )}
    </p>
  );
};

const wholeSeconds = ({ from, to }: Span): Span => ({
  from: Math.round(from / 1000) * 1000,
  to: Math.round(to / 1000) * 1000,
});

/** Index of the step nearest to a moment, -1 without any. */
const nearest = (at: readonly number[], ms: number): number => {
  let [low, high] = [0, at.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && ms - (at[low - 1] ?? 0) < (at[low] ?? 0) - ms) return low - 1;
  return at.length === 0 ? -1 : low;
};
