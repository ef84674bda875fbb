import type { Upload } from '@roastery/contract/imports';
import { formatDuration, formatTemperature } from '@roastery/roasting/units';
import { markLabels } from '../../components/chart/mark-layout.ts';
import { tenth } from '../../format/numbers.ts';
import { usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';

const width = 640;
const height = 220;

type Point = readonly [number, number];

const lineOf = (points: readonly (Point | null)[]): string => {
  let text = '';
  let isDown = false;
  for (const point of points) {
    if (point !== null) text += `${isDown ? 'L' : 'M'}${tenth(point[0])} ${tenth(point[1])}`;
    isDown = point !== null;
  }
  return text;
};

/** The recorded curve as a small drawing: enough to see that units and marks are right. */
export const CurveSketch = ({ upload }: { upload: Upload }) => {
  const { temperature_unit: unit } = usePreferences();
  const { time_seconds: times, bean_temp: bean, exhaust_temp: exhaust } = upload.curve;
  const first = times[0] ?? 0;
  const last = Math.max(times.at(-1) ?? 1, first + 1);
  const temps = [...bean, ...exhaust].filter((temp) => temp !== null);
  const top = Math.max(50, ...temps) * 1.05;
  const low = Math.min(0, ...temps);
  const x = (seconds: number) => ((seconds - first) / (last - first)) * width;
  const y = (temp: number) => height * (1 - (temp - low) / (top - low));
  const path = (column: readonly (number | null)[]) =>
    lineOf(
      times.map((time, index) => {
        const temp = column[index];
        return temp === null || temp === undefined ? null : [x(time), y(temp)];
      }),
    );
  const charge = upload.charge_seconds ?? 0;
  const hottest = Math.max(...temps);
  return (
    <figure>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t`Curve of ${formatDuration(last - first)}, up to ${formatTemperature(hottest, unit)}`}
        className="h-auto w-full"
      >
        {upload.marks.map((mark) => (
          <g key={mark.kind}>
            <line
              x1={x(mark.time_seconds + charge)}
              x2={x(mark.time_seconds + charge)}
              y1={0}
              y2={height}
              className="stroke-stroke-strong"
              strokeDasharray={mark.origin === 'detector' ? '3 3' : undefined}
            />
            {mark.temp !== null && (
              <circle
                cx={x(mark.time_seconds + charge)}
                cy={y(mark.temp)}
                r={4}
                className="fill-surface stroke-strong"
                strokeWidth={1.5}
              >
                <title>{markLabels[mark.kind].long}</title>
              </circle>
            )}
          </g>
        ))}
        <path d={path(exhaust)} fill="none" className="stroke-curve-exhaust" strokeWidth={1.25} strokeDasharray="6 3" />
        <path d={path(bean)} fill="none" className="stroke-curve-bean" strokeWidth={2.25} strokeLinejoin="round" />
      </svg>
      <figcaption className="figures flex justify-between gap-3 font-mono text-xs text-muted">
        <span className="shrink-0">{formatDuration(first)}</span>
        <span className="text-center">
          {exhaust.some((temp) => temp !== null)
            ? t`Bean temp, exhaust dashed, up to ${formatTemperature(hottest, unit)}`
            : t`Bean temp, up to ${formatTemperature(hottest, unit)}`}
        </span>
        <span className="shrink-0">{formatDuration(last)}</span>
      </figcaption>
    </figure>
  );
};
