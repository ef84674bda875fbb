import type { Timeline, TimelineRoast } from '@roastery/contract/timeline';
import { axisPixels, barePixels } from '../../components/chart/time-scale.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { Tooltip } from '../../ui/Tooltip.tsx';
import type { Span } from './timeline-span.ts';
import { gapText, roastText } from './timeline-texts.ts';

/** Share of the span at which a moment lies, within it. */
const share = (ms: number, { from, to }: Span): number => Math.min(1, Math.max(0, (ms - from) / (to - from)));

const placed = (from: string, to: string | null, span: Span) => {
  const [left, right] = [share(Date.parse(from), span), to === null ? 1 : share(Date.parse(to), span)];
  return { left: `${left * 100}%`, width: `${(right - left) * 100}%` };
};

/** Narrower windows are too small to tap: the chart and the list select them. */
const minShare = 0.045;

const isWide = (from: string, to: string | null, span: Span): boolean =>
  (to === null ? 1 : share(Date.parse(to), span)) - share(Date.parse(from), span) >= minShare;

const tones = {
  completed: 'border-accent bg-accent-soft text-accent-text',
  in_progress: 'border-warning bg-warning-soft text-warning',
  aborted: 'border-danger border-dashed bg-danger-soft text-danger',
} as const;

const frame = { paddingLeft: axisPixels, paddingRight: barePixels };

interface RoastLaneProps {
  roasts: readonly TimelineRoast[];
  span: Span;
  selectedId: string | undefined;
  onSelect: (id: string) => void;
}

/** The roasts as windows over the chart; each can be selected. */
export const RoastLane = ({ roasts, span, selectedId, onSelect }: RoastLaneProps) => {
  const dates = useDates();
  return (
    <div style={frame}>
      <ul aria-label={t`Roasts on the timeline`} className="relative h-8 overflow-hidden rounded-sm bg-sunken">
        {roasts.map((roast) => (
          <li key={roast.id} className="absolute inset-y-0.5 min-w-1" style={placed(roast.from, roast.to, span)}>
            {!isWide(roast.from, roast.to, span) ? (
              <span
                title={roastText(roast, dates)}
                className={classes('block size-full rounded-xs border', tones[roast.status])}
              >
                <span className="sr-only">{roastText(roast, dates)}</span>
              </span>
            ) : (
              <button
                type="button"
                aria-pressed={roast.id === selectedId}
                aria-label={roastText(roast, dates)}
                title={roastText(roast, dates)}
                onClick={() => onSelect(roast.id)}
                className={classes(
                  'flex size-full items-center overflow-hidden rounded-sm border px-1 text-left font-mono text-xs whitespace-nowrap',
                  tones[roast.status],
                  roast.id === selectedId && 'outline-2 -outline-offset-1 outline-focus',
                )}
              >
                <span className="truncate">{roast.said_number}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
};

/** One bar per recording, and the gaps with their reasons. */
export const RecordingLane = ({ timeline, span }: { timeline: Timeline; span: Span }) => {
  const dates = useDates();
  return (
    <div style={frame}>
      <ul aria-label={t`Recordings and gaps`} className="relative h-6 overflow-hidden rounded-sm bg-sunken">
        {timeline.recordings.map((recording) => (
          <li
            key={recording.id}
            aria-label={t`Recording from ${dates.dayAndTime(recording.from)} to ${dates.dayAndTime(recording.to)}`}
            className="absolute inset-y-2 min-w-0.5 rounded-xs bg-curve-bean"
            style={placed(recording.from, recording.to, span)}
          />
        ))}
        {timeline.gaps.map((gap) => (
          <li
            key={`${gap.from}${gap.reason}`}
            className="absolute inset-y-0 min-w-1"
            style={placed(gap.from, gap.to, span)}
          >
            {isWide(gap.from, gap.to, span) ? (
              <Tooltip text={gapText(gap, dates)}>
                <button
                  type="button"
                  aria-label={gapText(gap, dates)}
                  className="hatched block size-full cursor-help rounded-xs border border-stroke-strong bg-surface"
                />
              </Tooltip>
            ) : (
              <span title={gapText(gap, dates)} className="hatched block size-full bg-surface">
                <span className="sr-only">{gapText(gap, dates)}</span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
};
