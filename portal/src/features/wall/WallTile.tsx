import type { WallMachine, WallRoast } from '@roastery/contract/wall';
import { dueStep, goalText, guideOf, nextStep, stepMoment } from '@roastery/roasting/recipe/guide';
import { formatDuration } from '@roastery/roasting/units';
import { memo, useCallback, useMemo } from 'react';
import { Link } from 'react-router-dom';
import { useSession } from '../../api/session.tsx';
import { alarmText, alarmTones } from '../../components/alarms/alarm-texts.ts';
import { silenceText } from '../../components/live/silence-text.ts';
import { StepChange } from '../../components/live/use-next-step.tsx';
import { idleAxisSeconds, WallCurve } from '../../components/live/WallCurve.tsx';
import type { WallFeed, WallTrack } from '../../components/live/wall-feed.ts';
import { LiveText, stateOf, useWallValue, worstAlarm, type MachineState } from '../../components/live/wall-hooks.tsx';
import { paths } from '../../components/paths.ts';
import { exactWeight } from '../../format/weights.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { readingOf, unitOf } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';

interface WallTileProps {
  machine: WallMachine;
  feed: WallFeed;
  /** Many machines: the curve is behind the figures, and texts use its room. */
  isDense: boolean;
}

/** By the height (cqh) and the width (cqw) of a tile, so that texts fit both. */
const textSizes = {
  roomy: {
    name: 'text-[length:min(10cqh,6.4cqw)]',
    state: 'text-[length:min(7cqh,4.6cqw)]',
    coffee: 'text-[length:min(8cqh,5.2cqw)]',
    alarm: 'text-[length:min(7.5cqh,5cqw)]',
    bean: 'text-[length:min(34cqh,17cqw)]',
    time: 'text-[length:min(15cqh,8.5cqw)]',
    step: 'text-[length:min(8.5cqh,5.4cqw)]',
    steps: 'text-[length:min(7.5cqh,4.4cqw)]',
  },
  dense: {
    name: 'text-[length:min(12.5cqh,7cqw)]',
    state: 'text-[length:min(10cqh,5.6cqw)]',
    coffee: 'text-[length:min(10.5cqh,5.8cqw)]',
    alarm: 'text-[length:min(10.5cqh,5.8cqw)]',
    bean: 'text-[length:min(31cqh,17cqw)]',
    time: 'text-[length:min(14.5cqh,8.5cqw)]',
    step: 'text-[length:min(12cqh,7cqw)]',
    steps: 'text-[length:min(10.5cqh,5.8cqw)]',
  },
  /** Dense, with the two lines of an alarm and those of a step. */
  tight: {
    name: 'text-[length:min(12.5cqh,7cqw)]',
    state: 'text-[length:min(10cqh,5.6cqw)]',
    coffee: 'text-[length:min(10.5cqh,5.8cqw)]',
    alarm: 'text-[length:min(9.5cqh,5.4cqw)]',
    bean: 'text-[length:min(25cqh,15cqw)]',
    time: 'text-[length:min(11.5cqh,7.5cqw)]',
    step: 'text-[length:min(9.5cqh,5.4cqw)]',
    steps: 'text-[length:min(9.5cqh,5.4cqw)]',
  },
} as const;

const stateLabels: Record<MachineState, string> = {
  roasting: t`Roasting`,
  between: t`Between batches`,
  stale: t`No new readings`,
  silent: t`No answer`,
  offline: t`Offline`,
};

const lacksMap = ({ lacks_map: lacks }: WallMachine, state: MachineState): boolean => lacks && state === 'stale';

const timeText = (track: WallTrack): string => formatDuration(track.elapsedSeconds);
/** A figure that is older between batches is not shown. */
const isOld = ({ endedAt, chargeMono }: WallTrack): boolean =>
  chargeMono === null && endedAt !== null && Date.now() - endedAt > idleAxisSeconds * 1000;

/** What a tile shows of its machine, beside live figures. */
interface TileState {
  readonly machine: WallMachine;
  readonly state: MachineState;
  readonly isLive: boolean;
  /** A board that stopped sending while beans are in the drum. */
  readonly isLost: boolean;
  readonly isDense: boolean;
  readonly size: (typeof textSizes)[keyof typeof textSizes];
  readonly live: { readonly feed: WallFeed; readonly machineId: string };
}

/**
 * One machine of the wall. All sizes follow the tile, so that it is readable from five metres with 1 to 24 machines.
 */
const Tile = ({ machine, feed, isDense }: WallTileProps) => {
  const { id, roast } = machine;
  const state = useWallValue(
    feed,
    id,
    useCallback((track: WallTrack) => stateOf(track, machine), [machine]),
  );
  const alarm = useWallValue(feed, id, worstAlarm);
  const isLive = state === 'roasting' || state === 'between';
  // Without readings the progress of the roast is unknown.
  const hasStep = isLive && roast !== null && roast.points.length > 0;
  const size = textSizes[!isDense ? 'roomy' : alarm !== null && hasStep ? 'tight' : 'dense'];
  const live = { feed, machineId: id };
  const tile: TileState = { machine, state, isLive, isLost: !isLive && roast !== null, isDense, size, live };
  return (
    <li
      data-testid="wall-tile"
      data-state={state}
      className={classes(
        'relative min-h-0 min-w-0 overflow-hidden rounded-lg border-2 bg-surface [container-type:size]',
        tile.isLost || alarm !== null
          ? 'border-danger'
          : state === 'roasting'
            ? 'border-accent'
            : 'border-stroke-strong',
      )}
    >
      <div className="isolate flex h-full flex-col px-[3.5cqw] py-[2.5cqh]">
        <NameAndState {...tile} />
        {alarm === null ? (
          <CoffeeLine {...tile} />
        ) : (
          <p
            data-testid="wall-alarm"
            className={classes(
              'line-clamp-2 shrink-0 rounded-sm border-2 px-[1.5cqw] leading-tight font-semibold',
              size.alarm,
              alarmTones[alarm.colour].ground,
              alarmTones[alarm.colour].text,
            )}
          >
            {alarmText(alarm)}
          </p>
        )}
        <LiveFigures {...tile} />
        <div
          className={classes(
            'min-h-0 flex-1',
            isDense ? 'absolute inset-x-0 top-1/4 bottom-0 -z-1 opacity-40' : 'relative',
          )}
        >
          <WallCurve {...live} reference={roast?.reference ?? null} isLive={isLive} />
        </div>
        {hasStep && <Step {...live} roast={roast} size={size} isShort={isDense} />}
      </div>
    </li>
  );
};

const NameAndState = ({ machine, state, isLive, isLost, isDense, size, live }: TileState) => {
  const isSignedIn = useSession().user !== null;
  const isShortState = isDense && (state === 'between' || (state === 'stale' && machine.roast === null));
  const tone = isLost
    ? 'text-danger'
    : state === 'roasting'
      ? 'text-accent-text'
      : isLive
        ? 'text-content'
        : 'text-warning';
  return (
    <p className="flex shrink-0 items-baseline justify-between gap-[3cqw]">
      <span className={classes('truncate leading-tight font-semibold text-strong', size.name)}>
        {isSignedIn ? (
          // Its area is the tile.
          <Link to={paths.cockpit(machine.id)} className="after:absolute after:inset-0">
            {machine.display_name}
          </Link>
        ) : (
          machine.display_name
        )}
      </span>
      <span className={classes('flex shrink-0 items-center gap-[1.5cqw] font-medium', size.state, tone)}>
        <span aria-hidden className="size-[0.55em] rounded-full bg-current" />
        {/* The line below has it too, and the space is free for a long name. */}
        <span className={classes(isShortState && 'sr-only')}>{stateLabels[state]}</span>
        {(isLost || state === 'stale' || state === 'silent') && <Age {...live} />}
      </span>
    </p>
  );
};

/** The roast, or the next one; what is wrong with the machine comes first. */
const CoffeeLine = ({ machine, state, isDense, size, live }: TileState) => {
  const dates = useDates();
  const { roast } = machine;
  const trouble = state === 'silent' ? silenceText(machine, dates) : lacksMap(machine, state) ? t`No map` : null;
  return (
    <p className={classes('shrink-0 truncate leading-tight text-content', size.coffee)}>
      {trouble !== null && <span className="text-warning">{trouble}</span>}
      {roast === null && state === 'offline' && <LastSeen {...live} seenAt={machine.last_seen_at} />}
      {roast === null && state === 'stale' && isDense && stateLabels.stale}
      {trouble === null &&
        (roast !== null
          ? runningText(roast)
          : nextText(machine, state === 'offline' || (state === 'stale' && isDense)))}
    </p>
  );
};

const LiveFigures = ({ isLive, isDense, size, live }: TileState) => {
  const units = usePreferences();
  const beanText = useCallback(
    (track: WallTrack) => readingOf('temperature', isOld(track) ? null : track.beanC, units).value,
    [units],
  );
  const rateText = useCallback(({ rateC }: WallTrack) => readingOf('rate', rateC, units).value, [units]);
  return (
    <div
      className={classes('flex shrink-0 items-end justify-between gap-[3cqw]', isLive ? 'text-strong' : 'text-muted')}
    >
      <p
        data-testid="wall-bean"
        className={classes('figures leading-[1.05] font-semibold tracking-tight whitespace-nowrap', size.bean)}
      >
        <LiveText {...live} text={beanText} />
        <span className={classes('font-normal text-muted', isDense ? 'text-[0.34em]' : 'text-[0.28em]')}>
          {' '}
          {unitOf('temperature', units)}
        </span>
      </p>
      <div
        className={classes('figures pb-[1.5cqh] text-right leading-tight font-semibold whitespace-nowrap', size.time)}
      >
        <p>
          <LiveText {...live} text={timeText} />
        </p>
        <p>
          <span className={classes('font-normal text-muted', isDense ? 'text-[0.62em]' : 'text-[0.45em]')}>
            {t`RoR`}{' '}
          </span>
          <LiveText {...live} text={rateText} />
        </p>
      </div>
    </div>
  );
};
export const WallTile = memo(Tile);

/** Age of the last reading; counts up without readings. */
const Age = ({ feed, machineId }: { feed: WallFeed; machineId: string }) => {
  const { ago } = useDates();
  const ageText = useCallback(
    ({ endedAt }: WallTrack) => {
      if (endedAt === null) return '';
      const seconds = (Date.now() - endedAt) / 1000;
      return seconds < 3600 ? formatDuration(seconds) : ago(endedAt);
    },
    [ago],
  );
  return <span className="figures">{useWallValue(feed, machineId, ageText)}</span>;
};

/** The last contact of an offline machine. */
const LastSeen = ({ feed, machineId, seenAt }: { feed: WallFeed; machineId: string; seenAt: string | null }) => {
  const { ago } = useDates();
  const seenText = useCallback(
    ({ endedAt }: WallTrack) => {
      const at = Math.max(endedAt ?? 0, seenAt === null ? 0 : Date.parse(seenAt));
      return at === 0 ? t`Never connected` : t`Last seen ${ago(at)}`;
    },
    [ago, seenAt],
  );
  return <span data-testid="wall-last-seen">{useWallValue(feed, machineId, seenText)}</span>;
};

/** The batch number first: the following text may be cut. */
const numbered = (batchNumber: string | null, ...words: (string | null)[]): string =>
  [batchNumber === null ? null : t`Batch ${batchNumber}`, ...words].filter((word) => word !== null).join(' · ');

const runningText = ({ batch_number: number, coffee_name: name }: WallRoast): string =>
  numbered(number, name ?? t`Unnamed Roast`);

/** @param isAfter the line already gives the reason */
const nextText = ({ next }: WallMachine, isAfter: boolean): string => {
  if (next === null) return isAfter ? '' : t`Nothing is planned`;
  const weight = next.batch_size_kg === null ? null : exactWeight(next.batch_size_kg);
  return (isAfter ? ' · ' : '') + t`Next: ${numbered(next.batch_number, weight, next.coffee_name ?? t`Unnamed Roast`)}`;
};

const wholeSeconds = ({ elapsedSeconds }: WallTrack): number => Math.max(0, Math.floor(elapsedSeconds ?? 0));

interface StepProps {
  feed: WallFeed;
  machineId: string;
  roast: WallRoast;
  size: { readonly step: string; readonly steps: string };
  /** Only the target of a control. */
  isShort: boolean;
}

/** The step that is due, else the next one, on two lines if it has more than one change; after the last one the drop temperature. */
const Step = ({ feed, machineId, roast, size, isShort }: StepProps) => {
  const units = usePreferences();
  const guide = useMemo(() => guideOf(roast), [roast]);
  const at = useWallValue(feed, machineId, wholeSeconds);
  const step = dueStep(guide, at) ?? nextStep(guide, at);
  const drop = readingOf('temperature', roast.target_drop_temp, units);
  const changes = step?.changes ?? [];
  return (
    <div
      data-testid="wall-step"
      className={classes(
        'figures flex shrink-0 flex-wrap gap-x-[3cqw] leading-tight font-semibold text-strong',
        changes.length > 1 ? size.steps : size.step,
        isShort && 'mt-auto',
      )}
    >
      {step !== null && <span>{stepMoment(step)}</span>}
      {step === null && (roast.target_drop_temp === null ? t`No more steps` : t`Drop ${drop.value} ${drop.unit}`)}
      {changes.map((change) => (
        <span key={change.control} className="font-normal">
          {isShort ? <span className="whitespace-nowrap">{goalText(change)}</span> : <StepChange change={change} />}
        </span>
      ))}
    </div>
  );
};
