import type { WallAlarm } from '@roastery/contract/wall';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { WallFeed, WallTrack } from './wall-feed.ts';

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

/** Width to height at which a tile shows its figures largest. */
const idealAspect = 1.5;

export interface WallGrid {
  readonly columns: number;
  readonly rows: number;
}

/** The grid in which this many tiles are largest on a screen of this size. */
export const wallGrid = (tiles: number, width: number, height: number): WallGrid => {
  let best: WallGrid & { size: number } = { columns: 1, rows: Math.max(1, tiles), size: -1 };
  for (let columns = 1; columns <= tiles; columns++) {
    const rows = Math.ceil(tiles / columns);
    const size = Math.min(width / columns / idealAspect, height / rows);
    if (size > best.size) best = { columns, rows, size };
  }
  return { columns: best.columns, rows: best.rows };
};
