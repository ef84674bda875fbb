import type { Timeline } from '@roastery/contract/timeline';
import type { ChartOptions } from 'chart.js';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { useTwoFingers, type FingerView } from '../../components/chart/two-fingers.ts';
import { Line, useLatest, type Chart } from '../../components/chart/use-chart.ts';
import { readPalette } from '../../components/chart/palette.ts';
import { axisFont, barePixels, baseOptions, fixedWidth } from '../../components/chart/time-scale.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { readingOf, unitOf } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';
import { colourToken, useTheme } from '../../ui/theme.ts';
import { timelineLines } from './timeline-lines.ts';
import { timelineOverlay, type TimelineOverlay } from './timeline-overlay.ts';
import { dayMs, longestMs, moved, ticksOf, zoomed, type Span } from './timeline-span.ts';
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
/** A wheel turns in steps: the address changes when it stops. */
const wheelRestMs = 160;

/** Bean temperature over the span; drag selects a range, the wheel and two fingers zoom, and the keyboard does both. */
export default function TimelineChart(props: TimelineChartProps) {
  const { timeline, span, offsetOf, selectedId, stretch, onSpan, onStretch, onPick } = props;
  const theme = useTheme();
  const units = usePreferences();
  const dates = useDates();
  const chart = useRef<Chart<'line', { x: number; y: number }[]>>(null);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the palette is read from the theme on screen
  const palette = useMemo(() => readPalette(), [theme]);
  const [cursor, setCursor] = useState<number | null>(null);
  /** The range that a drag or the keyboard is selecting. */
  const [marking, setMarking] = useState<Span | null>(null);
  /** The span of a wheel zoom that is not in the address yet. */
  const [wheeled, setWheeled] = useState<Span | null>(null);
  const shown = wheeled ?? span;
  const anchor = useRef<number | null>(null);
  const overlay = useLatest<TimelineOverlay>({
    roasts: timeline.roasts,
    gaps: timeline.gaps,
    selectedId,
    stretch: marking ?? stretch,
    cursor,
    palette,
  });
  useEffect(() => {
    if (wheeled === null) return undefined;
    const timer = setTimeout(() => {
      onSpan(wheeled);
      setWheeled(null);
    }, wheelRestMs);
    return () => clearTimeout(timer);
  }, [wheeled, onSpan]);
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
    [palette, shown, offsetOf, dates],
  );
  const plugins = useMemo(() => [timelineOverlay(overlay)], [overlay]);
  useLayoutEffect(() => chart.current?.draw(), [cursor, marking, stretch, selectedId]);
  // A wheel over the chart zooms and must not scroll the page; React's own listener can't prevent it.
  const frame = useRef<HTMLDivElement>(null);
  const latest = useLatest(shown);
  useEffect(() => {
    const onWheel = (event: WheelEvent): void => {
      const around = momentAt(chart.current, event.clientX);
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
  }, [latest]);

  const fingers = useMemo<FingerView>(
    () => ({
      get: () => latest.current,
      extent: () => ({ from: 0, to: longestMs }),
      setWindow: (from, to) => setWheeled(zoomed({ from, to }, 1, (from + to) / 2)),
      // The first finger had begun to select a range.
      setCursor(at) {
        anchor.current = null;
        setMarking(null);
        setCursor(at);
      },
    }),
    [latest],
  );
  useTwoFingers(chart, fingers);

  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    anchor.current = momentAt(chart.current, event.clientX);
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const at = momentAt(chart.current, event.clientX);
    setCursor(at);
    const from = anchor.current;
    if (from === null || at === null || event.buttons === 0) return;
    setMarking({ from: Math.min(from, at), to: Math.max(from, at) });
  };
  const isClick = ({ from, to }: Span): boolean => {
    const x = chart.current?.scales['x'];
    return x === undefined || Math.abs(x.getPixelForValue(to) - x.getPixelForValue(from)) < clickPixels;
  };
  const onPointerUp = (event: PointerEvent): void => {
    const from = anchor.current;
    anchor.current = null;
    setMarking(null);
    const at = momentAt(chart.current, event.clientX);
    if (from === null || at === null) return;
    const marked = { from: Math.min(from, at), to: Math.max(from, at) };
    if (isClick(marked)) onPick(at);
    else onStretch(wholeSeconds(marked));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = cursor ?? (shown.from + shown.to) / 2;
    const step = ((shown.to - shown.from) / 200) * (event.shiftKey ? 10 : 1);
    const walks: Record<string, number> = {
      ArrowLeft: at - step,
      ArrowRight: at + step,
      Home: shown.from,
      End: shown.to,
    };
    const next = walks[event.key];
    if (next !== undefined) {
      const to = Math.min(shown.to, Math.max(shown.from, next));
      setCursor(to);
      if (anchor.current !== null) setMarking({ from: Math.min(anchor.current, to), to: Math.max(anchor.current, to) });
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (anchor.current === null) {
        anchor.current = at;
        setCursor(at);
      } else {
        const marked = { from: Math.min(anchor.current, at), to: Math.max(anchor.current, at) };
        anchor.current = null;
        setMarking(null);
        if (isClick(marked)) onPick(at);
        else onStretch(wholeSeconds(marked));
      }
    } else if (event.key === 'Escape') {
      anchor.current = null;
      setMarking(null);
      onStretch(null);
    } else if (event.key === '+' || event.key === '=') onSpan(zoomed(shown, 0.5, at));
    else if (event.key === '-') onSpan(zoomed(shown, 2, at));
    else if (event.key === 'PageUp') onSpan(moved(shown, -0.5));
    else if (event.key === 'PageDown') onSpan(moved(shown, 0.5));
    else return;
    event.preventDefault();
  };

  const index = cursor === null ? -1 : nearest(timeline.curve.at, cursor);
  const bean = readingOf('temperature', index < 0 ? null : timeline.curve.high[index], units);
  return (
    <div>
      <p className="flex min-h-6 flex-wrap items-baseline gap-x-3 pb-1 text-sm text-muted" aria-live="polite">
        <span className="label-mono">{t`Bean Temp ${unitOf('temperature', units)}`}</span>
        {marking !== null && (
          <span className="figures text-strong">{t`${lengthText(marking.to - marking.from)} selected`}</span>
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
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a chart one can walk with the arrow keys */}
      <div
        ref={frame}
        role="application"
        aria-label={t`Timeline of the bean temperature. Arrow keys move the cursor, Enter sets the start and the end of a range, plus and minus zoom, Page Up and Page Down scroll, Escape clears.`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
        tabIndex={0}
        className="relative w-full cursor-crosshair touch-pan-y rounded-sm select-none"
        style={{ height }}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          anchor.current = null;
          setMarking(null);
        }}
        onPointerLeave={() => setCursor(null)}
        onDoubleClick={(event) => {
          const around = momentAt(chart.current, event.clientX);
          if (around !== null) onSpan(zoomed(shown, 0.25, around));
        }}
        data-testid="timeline-chart"
      >
        <Line
          ref={chart}
          data={{ datasets }}
          options={options}
          plugins={plugins}
          aria-label={t`Bean temperature over the span; roasts and gaps are listed below`}
        />
      </div>
    </div>
  );
}

const wholeSeconds = ({ from, to }: Span): Span => ({
  from: Math.round(from / 1000) * 1000,
  to: Math.round(to / 1000) * 1000,
});

/** The time at a pixel of the screen, within the plot; null outside of it. */
const momentAt = (chart: Chart<'line', { x: number; y: number }[]> | null, clientX: number): number | null => {
  const x = chart?.scales['x'];
  if (!chart || !x) return null;
  const { left, right } = chart.chartArea;
  const at = clientX - chart.canvas.getBoundingClientRect().left;
  if (at < left - 12 || at > right + 12) return null;
  return x.getValueForPixel(Math.min(right, Math.max(left, at))) ?? null;
};

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
