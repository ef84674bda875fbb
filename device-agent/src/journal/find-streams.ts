import { access } from 'node:fs/promises';
import { ConfigError } from '@roastery/runtime/env';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { SeqRange } from '../core/ranges.ts';
import { isMissing } from '../atomic-file.ts';
import { createWallClock, type WallClock } from '../core/wall-clock.ts';
import { nodeDisk, type JournalDisk } from './disk.ts';
import { recoverStream, type Insistence, type RecoveredStream } from './recovery.ts';
import { listStreamFolders, type StreamEnd, type StreamFolder } from './stream-folders.ts';
import { Stream } from './stream.ts';

export interface FoundStream {
  readonly stream: Stream;
  readonly damaged: readonly SeqRange[];
  readonly dropped: readonly SeqRange[];
  readonly leftOver: readonly string[];
  readonly mayGoOn: boolean;
  readonly isNamed: boolean;
  readonly end: StreamEnd | undefined;
}

export interface FindParts {
  readonly disk: JournalDisk;
  readonly folder: string;
  readonly log: Logger;
  readonly clock: WallClock;
  readonly time?: Clock;
  readonly credential?: string | undefined;
  readonly damaged: (stream: Stream, holes: readonly SeqRange[]) => void;
}

/**
 * A disk that fails at the start is retried at once, then at every later attempt, and at the end only for its readable
 * parts.
 */
const triesAtStart = 3;
const betweenTriesMs = 150;
const strictTries = 6;

/**
 * Finds the streams of a journal. Streams that can't be read now are tried again by `retry`, and passed to `later`.
 */
export const findStreams = async ({ disk, folder, log, clock, time = realClock, credential, damaged }: FindParts) => {
  let tries = 0;
  let lastIndex = 0;
  let unread: readonly StreamFolder[] | undefined;
  /** Folders that were read. */
  const read = new Set<string>();
  const isComplete = (): boolean => unread?.length === 0;

  const toStream = (recovered: RecoveredStream): FoundStream => {
    for (const reading of recovered.clocks) clock.learn(reading);
    const stream = new Stream({
      disk,
      time,
      log,
      epoch: recovered.epoch,
      folder: recovered.folder,
      segments: recovered.segments,
      nextSeq: recovered.nextSeq,
      notes: recovered.notes,
      notesText: recovered.notesText,
      credential,
      learn: (reading) => clock.learn(reading),
      damaged,
    });
    const { damaged: holes, dropped, leftOver, mayGoOn, isNamed, end } = recovered;
    return { stream, damaged: holes, dropped, leftOver, mayGoOn, isNamed, end };
  };

  const scan = async (): Promise<FoundStream[]> => {
    tries += 1;
    const insistence: Insistence = tries > strictTries ? 'whatever-can-be-read' : 'strict';
    const listed = unread ?? (await listStreamFolders(disk, folder));
    // Another attempt may have ended while this one waited for a slow disk: later streams are of this process.
    unread ??= listed;
    const foundNow: FoundStream[] = [];
    let failure: unknown;
    for (const place of unread) {
      lastIndex = Math.max(lastIndex, place.index);
      try {
        const recovered = await recoverStream(disk, place, log, insistence);
        if (read.has(place.folder)) continue;
        read.add(place.folder);
        if (recovered) foundNow.push(toStream(recovered));
      } catch (error) {
        if (error instanceof ConfigError) throw error;
        failure = error;
      }
    }
    const left = unread.filter((place) => !read.has(place.folder));
    unread = left;
    if (left.length > 0) log.warn({ folders: left.length, reason: String(failure) }, 'journal: streams unreadable');
    return foundNow;
  };

  const result = {
    streams: [] as FoundStream[],
    /** After all existing folders. */
    nextIndex: (): number => (lastIndex += 1),
    later: undefined as ((stream: FoundStream) => void) | undefined,
    /** Retries the streams that could not be read; does nothing when all were. */
    async retry(): Promise<void> {
      if (isComplete()) return;
      for (const found of await scan()) result.later?.(found);
    },
  };

  for (let attempt = 1; attempt <= triesAtStart && !isComplete(); attempt++) {
    if (attempt > 1) await pause(betweenTriesMs, undefined, time);
    try {
      result.streams.push(...(await scan()));
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      log.warn({ reason: String(error) }, 'journal: folder unreadable');
    }
  }
  // If the newest can't be read, its last number is unknown.
  if (!isComplete()) result.streams = result.streams.map((found) => ({ ...found, mayGoOn: false }));
  return result;
};
export type FoundStreams = Awaited<ReturnType<typeof findStreams>>;

/** Counts the unacknowledged entries of a journal that no agent has open; 0 where there is no journal. */
export const countUnsent = async (folder: string, log: Logger): Promise<number> => {
  try {
    await access(folder);
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
  const clock = createWallClock(() => ({ boot: '', mono: 0, wall: 0, synced: false }));
  const { streams } = await findStreams({ disk: nodeDisk, folder, log, clock, damaged: () => undefined });
  return streams.flatMap(({ stream }) => stream.waiting()).reduce((sum, [from, to]) => sum + to - from + 1, 0);
};
