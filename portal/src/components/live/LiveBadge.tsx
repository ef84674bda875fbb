import { formatDuration } from '@roastery/roasting/units';
import type { LiveMachine, LiveState } from '../../api/use-live.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { LiveDot } from '../../ui/Badge.tsx';

export const stateLabels: Record<LiveState, string> = {
  connecting: t`CONNECTING`,
  live: t`ROASTING`,
  stale: t`NO NEW READINGS`,
  offline: t`OFFLINE`,
};

interface LiveBadgeProps {
  live: LiveMachine;
  machineName: string | null;
  elapsedSeconds: number | null;
}

/** The machine, its state, and for how long. */
export const LiveBadge = ({ live, machineName, elapsedSeconds }: LiveBadgeProps) => {
  const isLive = live.state === 'live';
  return (
    <span
      className={classes(
        'figures inline-flex h-6 items-center gap-2 rounded-full border px-2.5 font-mono text-xs font-medium',
        isLive ? 'border-accent/40 bg-accent-soft text-accent-text' : 'border-warning/40 bg-warning-soft text-warning',
      )}
    >
      <LiveDot tone={isLive ? 'accent' : live.state === 'stale' ? 'warning' : 'faint'} pulsing={isLive} />
      {machineName !== null && <span className="text-content">{machineName}</span>}
      {stateLabels[live.state]}
      {isLive && elapsedSeconds !== null && ` ${formatDuration(elapsedSeconds)}`}
    </span>
  );
};
