import type { Machine } from '@roastery/contract/machines';
import { getWall, type WallMachine, type WallRoast } from '@roastery/contract/wall';
import { chargeReadiness } from '@roastery/roasting/charge-readiness';
import { createLiveRateOfRise } from '@roastery/roasting/curves/rate-of-rise';
import { formatDuration } from '@roastery/roasting/units';
import { useCallback, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { RelativeTime } from '../../components/figures.tsx';
import { sinceText } from '../../components/live/silence-text.ts';
import { WallCurve } from '../../components/live/WallCurve.tsx';
import type { WallFeed, WallTrack } from '../../components/live/wall-feed.ts';
import {
  isStale,
  LiveText,
  stateOf,
  type MachineState,
  useWallFeed,
  useWallValue,
} from '../../components/live/wall-hooks.tsx';
import { paths } from '../../components/paths.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { readingOf, unitOf } from '../../format/quantities.ts';
import { exactWeight } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { LiveDot } from '../../ui/Badge.tsx';
import { classes } from '../../ui/classes.ts';

const refreshMs = 30_000;
/** Boards send 1 to 4 readings a second. */
const freshMs = 5000;

interface MachineProps {
  machine: Machine;
  /** Undefined until the list is read. */
  wall: WallMachine | undefined;
  feed: WallFeed;
}

/** A card for each machine that roasts, a line for each other one; all open the live view. */
export default function LiveMachines({ machines }: { machines: readonly Machine[] }) {
  const { data } = useApi(getWall, {}, { refreshInterval: refreshMs });
  const feed = useWallFeed(data?.machines);
  const of = (machine: Machine): MachineProps => ({
    machine,
    wall: data?.machines.find(({ id }) => id === machine.id),
    feed,
  });
  const isRoasting = ({ id, current_roast_id: roast }: Machine): boolean =>
    (data?.machines.find((one) => one.id === id)?.roast ?? roast) !== null;
  const idle = machines.filter((machine) => !isRoasting(machine));
  return (
    <>
      <ul className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,24rem),1fr))] gap-3 empty:hidden">
        {machines.filter(isRoasting).map((machine) => (
          <RoastingCard key={machine.id} {...of(machine)} />
        ))}
      </ul>
      {idle.length > 0 && (
        <ul className="divide-y divide-stroke rounded-lg border border-stroke bg-surface">
          {idle.map((machine) => (
            <IdleLine key={machine.id} {...of(machine)} />
          ))}
        </ul>
      )}
    </>
  );
}

const clockOf = ({ elapsedSeconds }: WallTrack): string => formatDuration(elapsedSeconds);

/** Before the first reading of a machine that answers: nothing is wrong yet. */
const isConnecting = (track: WallTrack, { connection, silent_since: since, lacks_map: lacks }: Shown): boolean => {
  const hasFresh = track.endedAt !== null && Date.now() - track.endedAt < freshMs;
  return (
    track.readingAt === null &&
    connection === 'online' &&
    since === null &&
    !lacks &&
    (hasFresh || track.connection === null)
  );
};

type Shown = Pick<WallMachine, 'connection' | 'silent_since' | 'lacks_map'>;
const shownState = (track: WallTrack, machine: Shown): MachineState | 'connecting' =>
  isConnecting(track, machine) ? 'connecting' : stateOf(track, machine);

const batchOf = ({ batch_number: number, coffee_name: coffee }: WallRoast): string =>
  [number, coffee ?? t`Unnamed Roast`].filter((part) => part !== null).join(' · ');

const RoastingCard = ({ machine, wall, feed }: MachineProps) => {
  const { id } = machine;
  const units = usePreferences();
  const state = useWallValue(
    feed,
    id,
    useCallback((track: WallTrack) => shownState(track, wall ?? machine), [wall, machine]),
  );
  const beanText = useCallback((track: WallTrack) => readingOf('temperature', track.beanC, units).value, [units]);
  const rateText = useCallback((track: WallTrack) => readingOf('rate', track.rateC, units).value, [units]);
  const isLive = state === 'roasting' || state === 'between';
  const live = { feed, machineId: id };
  const roast = wall?.roast ?? null;
  return (
    <li
      data-testid="roasting-card"
      data-state={state}
      className={classes(
        '@container relative overflow-hidden rounded-lg border bg-surface hover:bg-hover',
        isLive ? 'border-accent' : state === 'connecting' ? 'border-stroke-strong' : 'border-warning',
      )}
    >
      <div className="grid min-h-52 gap-x-5 @2xl:grid-cols-[auto_minmax(0,1fr)]">
        <div className="min-w-0 p-4 pb-2">
          <p className="flex items-center gap-2">
            <LiveDot tone={isLive ? 'accent' : state === 'connecting' ? 'faint' : 'warning'} pulsing={isLive} />
            <Link
              to={paths.cockpit(id)}
              aria-label={t`Live view of ${machine.display_name}`}
              // Its area is the card.
              className="truncate text-lg leading-6 font-semibold text-strong after:absolute after:inset-0"
            >
              {machine.display_name}
            </Link>
            {!isLive && <StateText {...{ machine, wall, feed }} />}
          </p>
          <p className="mt-0.5 min-h-6 truncate text-base text-content">{roast !== null && batchOf(roast)}</p>
          <dl
            className={classes(
              'mt-2 grid grid-cols-[auto_auto_auto] justify-start gap-x-4 gap-y-1 sm:gap-x-6',
              isLive ? 'text-strong' : 'text-muted',
            )}
          >
            <Figure label={t`Time`}>
              <LiveText {...live} text={clockOf} />
            </Figure>
            <Figure label={t`Bean Temp`} unit={unitOf('temperature', units)}>
              <LiveText {...live} text={beanText} />
            </Figure>
            <Figure label={t`RoR`} unit={unitOf('rate', units)}>
              <LiveText {...live} text={rateText} />
            </Figure>
          </dl>
        </div>
        <div className="relative min-h-20 @2xl:min-h-0">
          <WallCurve {...live} reference={roast?.reference ?? null} isLive={isLive} />
        </div>
      </div>
    </li>
  );
};

const Figure = ({ label, unit, children }: { label: string; unit?: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="label-mono">
      {label}
      {unit !== undefined && <span className="normal-case"> {unit}</span>}
    </dt>
    <dd className="figures min-w-[2.6em] text-[2.125rem] leading-none font-semibold tracking-tight whitespace-nowrap sm:text-[2.75rem]">
      {children}
    </dd>
  </div>
);

/** Why a machine's values are not live, and since when. */
const StateText = ({ machine, wall, feed }: MachineProps) => {
  const dates = useDates();
  const { id, silent_since: since } = machine;
  const state = useWallValue(
    feed,
    id,
    useCallback((track: WallTrack) => shownState(track, wall ?? machine), [wall, machine]),
  );
  if (state === 'roasting' || state === 'between') return null;
  if (state === 'connecting') return <span className="shrink-0 text-sm text-muted">{t`Connecting`}</span>;
  const silent = since === null ? t`No answer` : t`No answer since ${sinceText(since, dates)}`;
  const stale = machine.lacks_map ? t`No map` : t`No new readings`;
  return (
    <span className="figures shrink-0 text-sm font-medium text-warning">
      {{ silent, stale, offline: t`Offline` }[state]}
      {state === 'offline' && machine.last_seen_at !== null && (
        <>
          , <RelativeTime moment={machine.last_seen_at} />
        </>
      )}
    </span>
  );
};

/** The drum's rate is measured over 30 s. */
const rateSpanSeconds = 30;

const drumRateC = ({ curve: { mono, bean } }: WallTrack): number | null => {
  const rate = createLiveRateOfRise({ spanSeconds: rateSpanSeconds });
  const from = mono.findIndex((at) => at >= (mono.at(-1) ?? 0) - 2000 * rateSpanSeconds);
  let rateC: number | null = null;
  for (let index = Math.max(0, from); index < mono.length; index++)
    rateC = rate.push((mono[index] ?? 0) / 1000, bean[index] ?? null);
  return rateC;
};

const IdleLine = ({ machine, wall, feed }: MachineProps) => {
  const { id } = machine;
  const units = usePreferences();
  const next = wall?.next ?? null;
  const targetC = next?.target_charge_temp ?? null;
  const readiness = useWallValue(
    feed,
    id,
    useCallback(
      (track: WallTrack) => {
        if (isConnecting(track, wall ?? machine)) return 'connecting';
        return isStale(track) ? 'stale' : chargeReadiness(track.beanC, drumRateC(track), targetC).state;
      },
      [targetC, wall, machine],
    ),
  );
  const drumText = useCallback(
    (track: WallTrack) => (isStale(track) ? '' : readingOf('temperature', track.beanC, units).value),
    [units],
  );
  return (
    <li
      data-testid="idle-line"
      className="relative flex min-h-12 flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2 hover:bg-hover"
    >
      <LiveDot tone={readiness === 'stale' ? 'warning' : readiness === 'connecting' ? 'faint' : 'success'} />
      <Link
        to={paths.cockpit(id)}
        aria-label={t`Live view of ${machine.display_name}`}
        className="truncate font-medium text-strong after:absolute after:inset-0"
      >
        {machine.display_name}
      </Link>
      {readiness === 'stale' || readiness === 'connecting' ? (
        <StateText {...{ machine, wall, feed }} />
      ) : (
        <span className="figures text-sm text-content">
          <LiveText feed={feed} machineId={id} text={drumText} /> {unitOf('temperature', units)}
          {readiness === 'ready' && <span className="ml-2 font-medium text-success">{t`Ready to charge`}</span>}
          {(readiness === 'below' || readiness === 'above' || readiness === 'moving') && (
            <span className="ml-2 text-muted">{t`Not ready`}</span>
          )}
        </span>
      )}
      {wall !== undefined && (
        <span className="ml-auto truncate text-sm text-content max-sm:ml-5 max-sm:basis-full">
          {next === null ? (
            <span className="text-muted">{t`Nothing is planned`}</span>
          ) : (
            t`Next: ${[
              next.batch_number,
              next.batch_size_kg === null ? null : exactWeight(next.batch_size_kg),
              next.coffee_name ?? t`Unnamed Roast`,
            ]
              .filter((part) => part !== null)
              .join(' · ')}`
          )}
        </span>
      )}
    </li>
  );
};
