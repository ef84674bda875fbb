import type { Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { markLabels } from '../../components/chart/mark-labels.ts';
import type { ExpectedEvent } from './next-event.ts';

interface NextEventProps {
  roast: Roast;
  expected: ExpectedEvent | null;
  elapsedSeconds: number | null;
  stale: boolean;
}

/** The next event with the times between which it is to be expected; after first crack how far development is. */
export const NextEvent = ({ roast, expected, elapsedSeconds, stale }: NextEventProps) => {
  const crack = roast.marks.find((mark) => mark.kind === 'first_crack')?.time_seconds;
  const developed = crack === undefined || elapsedSeconds === null ? null : elapsedSeconds - crack;
  return (
    <>
      {developed !== null && elapsedSeconds !== null && (
        <div className="min-w-0 max-sm:col-span-2">
          <dt className="label-mono truncate">Development</dt>
          <dd className="figures font-medium text-strong">
            {formatDuration(developed)}
            <span className="text-muted"> · {((developed / elapsedSeconds) * 100).toFixed(1)}%</span>
          </dd>
        </div>
      )}
      {expected !== null && !stale && (
        <div className="min-w-0 max-sm:col-span-4" data-testid="next-event">
          <dt className="label-mono truncate">{markLabels[expected.kind].long} expected</dt>
          <dd className="figures font-medium text-strong">
            {formatDuration(expected.likely)}
            <span className="font-normal text-muted">
              {' '}
              between {formatDuration(Math.max(expected.earliest, elapsedSeconds ?? 0))} and{' '}
              {formatDuration(expected.latest)}
            </span>
          </dd>
        </div>
      )}
    </>
  );
};
