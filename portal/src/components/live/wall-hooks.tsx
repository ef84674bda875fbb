import { getWall, type WallAlarm, type WallMachine } from '@roastery/contract/wall';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { refresh } from '../../api/use-api.ts';
import { createWallFeed, type WallFeed, type WallTrack } from './wall-feed.ts';

/* 8 machines send 32 readings a second. Rendering a tile for each would use most of a television's processor, so a
   reading only writes its texts, and a tile renders when its other content changes. */

interface LiveTextProps {
  feed: WallFeed;
  machineId: string;
  /** Memoise it: a new one writes again. */
  text: (track: WallTrack) => string;
}

/** A text that follows the readings of a machine without rendering. */
export const LiveText = ({ feed, machineId, text }: LiveTextProps) => {
  const span = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let written: string | undefined;
    const write = () => {
      const next = text(feed.get(machineId));
      if (span.current === null || next === written) return;
      written = next;
      span.current.textContent = next;
    };
    write();
    return feed.subscribe(machineId, write);
  }, [feed, machineId, text]);
  return <span ref={span} />;
};

const everySecondMs = 1000;

/** A value of a machine's track that renders when it changes; checked with each reading and once a second. */
export const useWallValue = <Value extends string | number | object | null>(
  feed: WallFeed,
  machineId: string,
  valueOf: (track: WallTrack) => Value,
): Value => {
  const subscribe = useCallback(
    (listener: () => void) => {
      const timer = setInterval(listener, everySecondMs);
      const unsubscribe = feed.subscribe(machineId, listener);
      return () => {
        clearInterval(timer);
        unsubscribe();
      };
    },
    [feed, machineId],
  );
  return useSyncExternalStore(subscribe, () => valueOf(feed.get(machineId)));
};

/** Ids of the machines with alarms, separated by spaces; a text, so that an equal value renders nothing. */
export const useAlarmed = (feed: WallFeed, ids: readonly string[]): string => {
  const subscribe = useCallback(
    (listener: () => void) => {
      const all = ids.map((id) => feed.subscribe(id, listener));
      return () => {
        for (const unsubscribe of all) unsubscribe();
      };
    },
    [feed, ids],
  );
  return useSyncExternalStore(subscribe, () => ids.filter((id) => feed.get(id).alarms.length > 0).join(' '));
};

const worstFirst = ['red', 'amber', 'blue', 'green'] as const satisfies WallAlarm['colour'][];

/**
 * The alarm that a tile shows: a fault of the machine must not be hidden by a later alarm of a rule. Of one colour the
 * newest.
 */
export const worstAlarm = ({ alarms }: Pick<WallTrack, 'alarms'>): WallAlarm | null => {
  for (const colour of worstFirst) {
    const alarm = alarms.find((one) => one.colour === colour);
    if (alarm !== undefined) return alarm;
  }
  return null;
};

/** A reading older than this is no longer live; boards send 1 to 4 a second. */
const staleAfterMs = 5000;

/** `silent`: the board is online and its machine does not answer it. */
export type MachineState = 'roasting' | 'between' | 'stale' | 'silent' | 'offline';

export const isStale = ({ readingAt }: WallTrack): boolean =>
  readingAt === null || Date.now() - readingAt > staleAfterMs;

export const stateOf = (track: WallTrack, machine: Pick<WallMachine, 'connection' | 'silent_since'>): MachineState => {
  if (!isStale(track)) return track.elapsedSeconds === null ? 'between' : 'roasting';
  if ((track.connection ?? machine.connection) !== 'online') return 'offline';
  return track.isSilent || (track.connection === null && machine.silent_since !== null) ? 'silent' : 'stale';
};

/**
 * Follows these machines, which were just read. The stream has the machines at its opening: for a new one it is opened
 * again.
 */
export const useWallFeed = (machines: readonly Pick<WallMachine, 'id'>[] | undefined): WallFeed => {
  const [feed] = useState(createWallFeed);
  const [known, setKnown] = useState(machines);
  const [opened, setOpened] = useState(0);
  if (machines !== undefined && machines !== known) {
    setKnown(machines);
    const isNew = ({ id }: { readonly id: string }) => known?.every((one) => one.id !== id) ?? false;
    if (machines.some(isNew)) setOpened(opened + 1);
  }
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- each opening is a stream of its own
  useEffect(() => feed.start(() => void refresh(getWall)), [feed, opened]);
  return feed;
};
