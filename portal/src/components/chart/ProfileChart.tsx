import { formatDuration, type TemperatureUnit } from '@roastery/roasting/units';
import type { ChartOptions } from 'chart.js';
import { useEffect, useMemo, useRef, useState, type PointerEvent } from 'react';
import { t } from '../../language/t.ts';
import { colourToken, useTheme } from '../../ui/theme.ts';
import { Line, type Chart } from './use-chart.ts';
import { readPalette } from './palette.ts';
import { profileBackdrop, profileLines, type ProfilePoint, type ReferenceRoast } from './profile-chart-lines.ts';
import { ProfileLegend } from './ProfileLegend.tsx';
import { profileOverlay } from './profile-overlay.ts';
import { axisFont, baseOptions, timeScale } from './time-scale.ts';
import { createTimeView } from './time-view.ts';

interface ProfileChartProps {
  points: readonly ProfilePoint[];
  /** Interpolated, one point per second; otherwise each point holds until the next. */
  interpolated: boolean;
  /** The best past roast of the recipe, dimmed. */
  reference?: ReferenceRoast | undefined;
  unit: TemperatureUnit;
}

/** Burner, exhaust and drum of a recipe over time, with a past roast as reference. */
export default function ProfileChart({ points, interpolated, reference, unit }: ProfileChartProps) {
  const theme = useTheme();
  const chart = useRef<Chart<'line', { x: number; y: number }[]>>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const shared = useRef<{ cursor: number | null }>({ cursor: null });
  const view = useMemo(() => createTimeView(), []);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the palette is read from the theme on screen
  const palette = useMemo(() => readPalette(), [theme]);
  const end = Math.max(points.at(-1)?.time ?? 0, reference?.curve.time_seconds.at(-1) ?? 0, 60);
  const lines = useMemo(
    () => [
      ...profileLines(points, interpolated, end, colourToken),
      ...(reference ? profileBackdrop(reference, unit, colourToken) : []),
    ],
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- colours change with the theme
    [points, interpolated, end, reference, unit, theme],
  );
  const withTemperature = lines.some((line) => line.yAxisID === 'temperature');
  const options = useMemo<ChartOptions<'line'>>(() => {
    view.setExtent(0, end);
    const axis = { border: { display: false }, ticks: { color: palette.muted, font: axisFont(palette), padding: 6 } };
    const title = (text: string) => ({ display: true, text, color: palette.muted, font: axisFont(palette) });
    return {
      ...baseOptions,
      layout: { padding: { top: 8, right: withTemperature ? 2 : 12 } },
      scales: {
        x: timeScale(palette, view, { labels: true }),
        control: {
          ...axis,
          type: 'linear',
          position: 'left',
          min: 0,
          max: 100,
          title: title(t`% and RPM`),
          grid: { color: palette.stroke, drawTicks: false },
          ticks: { ...axis.ticks, stepSize: 25 },
        },
        temperature: {
          ...axis,
          type: 'linear',
          position: 'right',
          display: withTemperature,
          min: 0,
          max: unit === 'C' ? 250 : 500,
          title: title(t`Bean temperature °${unit}`),
          grid: { display: false },
          ticks: { ...axis.ticks, stepSize: unit === 'C' ? 50 : 100 },
        },
      },
    };
  }, [palette, view, end, unit, withTemperature]);
  const plugins = useMemo(() => [profileOverlay(shared, () => palette)], [palette]);
  useEffect(() => {
    shared.current.cursor = cursor;
    chart.current?.draw();
  }, [cursor]);

  const follow = (event: PointerEvent) => {
    const current = chart.current;
    const x = current?.scales['x'];
    if (!current || !x) return;
    const seconds = Math.round(
      x.getValueForPixel(event.clientX - current.canvas.getBoundingClientRect().left) ?? Number.NaN,
    );
    setCursor(seconds >= 0 && seconds <= end ? seconds : null);
  };
  return (
    <figure className="flex min-h-0 min-w-0 flex-col gap-2">
      <ProfileLegend lines={lines} cursor={cursor} reference={reference?.label} />
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the pointer only reads values; the table of points has them for the keyboard */}
      <div
        className="h-[min(26rem,48dvh)] w-full touch-pan-y"
        onPointerMove={follow}
        onPointerDown={follow}
        onPointerLeave={() => setCursor(null)}
        data-testid="profile-chart"
      >
        <Line
          ref={chart}
          data={{ datasets: lines }}
          options={options}
          plugins={plugins}
          aria-label={
            reference
              ? t`Burner, exhaust and drum over ${formatDuration(end)}, with ${reference.label} behind them`
              : t`Burner, exhaust and drum over ${formatDuration(end)}`
          }
        />
      </div>
    </figure>
  );
}
