import { isAlarmShown, type RoastAlarm } from '@roastery/contract/alarms';
import type { Connection } from '@roastery/contract/machines';
import { getMachine } from '@roastery/contract/machines';
import type { DeviceStatus, LiveReading } from '@roastery/contract/mqtt';
import { getRoast, type Roast } from '@roastery/contract/roasts';
import { useEffect, useState } from 'react';
import { subscribeLive, type FollowedEvent } from './live-subscription.ts';
import { refresh } from './use-api.ts';
import { addReading, addSamples, emptyTrack, type LiveTrack } from './live-track.ts';

/**
 * connecting: nothing received yet. live: readings arrive. stale: the stream is open and the newest reading is old, or
 * there is none. offline: this page has lost the server, or the server has lost the machine.
 */
export type LiveState = 'connecting' | 'live' | 'stale' | 'offline';

export interface LiveMachine {
  state: LiveState;
  /** The machine's status from the server; null before the first one. */
  connection: Connection | null;
  lastSeenAt: string | null;
  status: DeviceStatus | null;
  reading: LiveReading | null;
  /** Seconds since the newest reading arrived here: grey the figure and show the age when `state` is not live. */
  readingAgeSeconds: number | null;
  /** When the newest reading arrived here, epoch ms. */
  readingAt: number | null;
  /** The clock of this state, epoch ms: at least once a second. */
  now: number;
  /** The roast that runs now, or ran last while this page was open. */
  roast: Roast | null;
  /** The running roast that was deleted last while this page was open. */
  deletedRoastId: string | null;
  /** Subtract from the track's `mono` for the time since charge. */
  chargeMono: number | null;
  /** Alarms of the running roast that last and are not acknowledged, in order of time. */
  alarms: readonly RoastAlarm[];
  /** All alarms of the running roast, including cleared ones. */
  raised: readonly RoastAlarm[];
  /** All samples since the page was opened plus the server's backlog; redraw when `track.version` increases. */
  track: LiveTrack;
}

/** A reading older than this is no longer live; boards send 1 to 4 a second. */
const staleAfterSeconds = 5;

interface Feed {
  linkUp: boolean | null;
  /** When the link was established, epoch milliseconds. */
  upSince: number | null;
  readingAt: number | null;
  machine: Pick<
    LiveMachine,
    'connection' | 'lastSeenAt' | 'status' | 'reading' | 'roast' | 'deletedRoastId' | 'chargeMono' | 'alarms' | 'raised'
  >;
}

const silentFeed = (): Feed => ({
  linkUp: null,
  upSince: null,
  readingAt: null,
  machine: {
    connection: null,
    lastSeenAt: null,
    status: null,
    reading: null,
    roast: null,
    deletedRoastId: null,
    chargeMono: null,
    alarms: [],
    raised: [],
  },
});

/**
 * The state to show, from the link to the server, the machine's status, the age of the newest reading, and the age of
 * the link: a machine that was silent before the page was opened has no reading here at all.
 */
export const liveStateOf = (
  linkUp: boolean | null,
  connection: Connection | null,
  ageSeconds: number | null,
  upSeconds: number,
): LiveState => {
  if (linkUp === false) return 'offline';
  if (linkUp === null || connection === null) return 'connecting';
  if (ageSeconds !== null && ageSeconds <= staleAfterSeconds) return 'live';
  if (connection !== 'online') return 'offline';
  return ageSeconds === null && upSeconds <= staleAfterSeconds ? 'connecting' : 'stale';
};

const noAlarms = { alarms: [], raised: [] };

/** Adds the samples of an event, in place. */
const addTo = (track: LiveTrack, event: FollowedEvent): void => {
  if (event.type === 'reading') addReading(track, event.reading);
  if (event.type === 'samples') addSamples(track, event.samples);
  if (event.type === 'backlog') for (const samples of event.samples) addSamples(track, samples);
};

/** The feed after one event: a new object, even if only the track has more samples. */
const received = (feed: Feed, event: FollowedEvent, now: number): Feed => {
  const { machine } = feed;
  if (event.type === 'reading') {
    const { reading, received_at: lastSeenAt } = event;
    // The server's charge counts: a person may have set or moved it, which the board does not know.
    const isKnown = machine.roast?.status === 'in_progress' && machine.chargeMono !== null;
    const chargeMono = isKnown ? machine.chargeMono : (reading.roast?.charge_mono ?? machine.chargeMono);
    return { ...feed, readingAt: now, machine: { ...machine, connection: 'online', lastSeenAt, reading, chargeMono } };
  }
  if (event.type === 'samples') return { ...feed };
  if (event.type === 'backlog') {
    const roast = event.roast ?? machine.roast;
    // The alarms of a running roast follow its backlog.
    const alarms = event.roast !== null && event.roast.id === machine.roast?.id ? {} : noAlarms;
    return {
      ...feed,
      machine: { ...machine, roast, chargeMono: event.charge_mono ?? machine.chargeMono, ...alarms },
    };
  }
  if (event.type === 'roast') {
    const isSame = event.roast.id === machine.roast?.id && event.roast.status === 'in_progress';
    const alarms = isSame ? {} : noAlarms;
    return { ...feed, machine: { ...machine, roast: event.roast, chargeMono: event.charge_mono, ...alarms } };
  }
  if (event.type === 'alarms') {
    return { ...feed, machine: { ...machine, alarms: event.alarms.filter(isAlarmShown), raised: event.alarms } };
  }
  if (event.type === 'roast_deleted') {
    return {
      ...feed,
      machine: { ...machine, roast: null, deletedRoastId: event.roast_id, chargeMono: null, ...noAlarms },
    };
  }
  const { connection, last_seen_at: lastSeenAt, status } = event;
  return { ...feed, machine: { ...machine, connection, lastSeenAt, status } };
};

/**
 * Follows a machine live: backlog, then new events, with automatic reconnects. Pass `null` to follow none. Redraws with
 * every reading and once a second while there are none, so that ages count up.
 */
export const useLive = (machineId: string | null): LiveMachine => {
  const [feed, setFeed] = useState(silentFeed);
  const [track, setTrack] = useState(emptyTrack);
  const [now, setNow] = useState(() => Date.now());
  const [followed, setFollowed] = useState(machineId);
  if (machineId !== followed) {
    setFollowed(machineId);
    setFeed(silentFeed());
    setTrack(emptyTrack());
  }

  useEffect(() => {
    if (machineId === null) return undefined;
    const clock = setInterval(() => setNow(Date.now()), 1000);
    const unsubscribe = subscribeLive(machineId, {
      onEvent: (event) => {
        const at = Date.now();
        setNow(at);
        addTo(track, event);
        setFeed((current) => received(current, event, at));
      },
      onLink: (linkUp) => {
        setFeed((current) => ({ ...current, linkUp, upSince: linkUp ? Date.now() : null }));
        // A stream also ends when the user loses the machine: the page then shows it at once.
        if (!linkUp) void refresh(getMachine, getRoast);
      },
    });
    return () => {
      clearInterval(clock);
      unsubscribe();
    };
  }, [machineId, track]);

  const secondsSince = (at: number): number => Math.max(0, Math.floor((now - at) / 1000));
  const readingAgeSeconds = feed.readingAt === null ? null : secondsSince(feed.readingAt);
  const upSeconds = feed.upSince === null ? 0 : secondsSince(feed.upSince);
  return {
    ...feed.machine,
    state: liveStateOf(feed.linkUp, feed.machine.connection, readingAgeSeconds, upSeconds),
    readingAgeSeconds,
    readingAt: feed.readingAt,
    now,
    track,
  };
};
