import type { Machine } from '@roastery/contract/machines';
import type { Roast } from '@roastery/contract/roasts';
import { MoonStar, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router-dom';
import type { LiveMachine } from '../../api/use-live.ts';
import { paths } from '../../components/paths.ts';
import { batchLabel, coffeeName } from '../../components/live/roast-texts.ts';
import { useDates } from '../../format/preferences.ts';
import { exactWeight } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { LiveDot } from '../../ui/Badge.tsx';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { useWakeLock } from '../../components/live/use-wake-lock.ts';

interface CockpitHeaderProps {
  machine: Machine;
  live: LiveMachine;
  /** The running roast; null between batches. */
  roast: Roast | null;
  /** Buttons beside the state. */
  children?: ReactNode;
}

/** Machine, batch and state in one line, with a back link at the left. No Edit, Delete or Export. */
export const CockpitHeader = ({ machine, live, roast, children }: CockpitHeaderProps) => {
  const navigate = useNavigate();
  const isAwake = useWakeLock();
  return (
    <header className="group flex min-h-14 shrink-0 items-center gap-x-2 border-b border-stroke bg-page pr-2 pl-1 max-md:flex-wrap">
      <IconButton
        size="lg"
        label={t`Close the live view`}
        icon={<X aria-hidden />}
        onClick={() => void navigate(roast === null ? paths.machines : paths.roast(roast.id))}
      />
      <div className="min-w-0 flex-1">
        <h1 tabIndex={-1} className="truncate text-base leading-5 font-semibold text-strong outline-none md:text-lg">
          {machine.display_name}
        </h1>
        {roast !== null && (
          <p className="truncate text-sm text-content">
            {batchText(roast)}
            {roast.roasted_by !== null && (
              <span className="group-has-data-row:hidden sm:hidden"> · {roast.roasted_by}</span>
            )}
          </p>
        )}
      </div>
      {!isAwake && (
        <span className="flex shrink-0 items-center gap-1.5 text-sm text-muted max-lg:hidden">
          <MoonStar aria-hidden className="size-4" />
          {t`Screen can’t be kept on here`}
        </span>
      )}
      {children}
      <LiveStatus live={live} machine={machine} isRoasting={roast !== null} />
    </header>
  );
};

/** `Batch A-17 · Huila Pink Bourbon · 12 kg`, as far as it is known. */
const batchText = (roast: Roast): string =>
  [batchLabel(roast), coffeeName(roast), roast.batch_size_kg === null ? null : exactWeight(roast.batch_size_kg)]
    .filter((part) => part !== null)
    .join(' · ');

/** Whether the figures are live, and since when they are not. */
const LiveStatus = ({
  live,
  machine,
  isRoasting,
}: Pick<CockpitHeaderProps, 'live' | 'machine'> & { isRoasting: boolean }) => {
  const dates = useDates();
  const isLive = live.state === 'live';
  const isSilent = (live.state === 'stale' || live.state === 'connecting') && machine.silent_since !== null;
  const since = live.readingAt ?? (isSilent ? machine.silent_since : live.lastSeenAt);
  const words = {
    live: isRoasting ? t`Roasting` : t`Between batches`,
    connecting: isSilent ? t`No answer` : t`Connecting`,
    stale: isSilent ? t`No answer` : machine.lacks_map ? t`No map` : t`No new readings`,
    offline: t`Offline`,
  }[live.state];
  return (
    <output
      data-testid="cockpit-status"
      data-state={live.state}
      className={classes(
        'figures inline-flex min-h-8 shrink-0 items-center gap-2 rounded-full border px-3 text-sm font-medium',
        isLive ? 'border-accent/40 bg-accent-soft text-accent-text' : 'border-warning/40 bg-warning-soft text-warning',
      )}
    >
      <LiveDot tone={isLive ? 'accent' : 'warning'} pulsing={isLive && isRoasting} />
      {/* On a phone the room is for batch and coffee; a running clock says the same. */}
      <span className={isLive && isRoasting ? 'max-sm:sr-only' : undefined}>{words}</span>
      {!isLive && (live.state !== 'connecting' || isSilent) && since !== null && (
        <span>{t`since ${dates.second(since)}`}</span>
      )}
    </output>
  );
};
