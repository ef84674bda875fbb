import { link, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Entry } from '@roastery/device-agent/core/entry';
import { parseSegmentName, readSegment } from '@roastery/device-agent/journal/segment';

/** The agent creates its folder at its first start. */
const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/**
 * Keeps every segment that a running agent writes: a second link to the same file remains when the agent deletes its
 * own after an acknowledgement. So a test can compare the whole journal with the stored data.
 */
export const keepJournal = async (folder: string, keep: string) => {
  await mkdir(keep, { recursive: true });
  const linked = new Set<string>();
  const keepStream = async (stream: string): Promise<void> => {
    for (const name of await namesIn(join(folder, stream))) {
      const kept = `${basename(stream)}${name}`;
      if (linked.has(kept) || !parseSegmentName(name)) continue;
      try {
        await link(join(folder, stream, name), join(keep, kept));
        linked.add(kept);
      } catch (error) {
        // Renamed or deleted between the two calls: it was linked under its other name, or the next scan finds it.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
  };
  const poll = async (): Promise<void> => {
    await keepStream('');
    // After a kill another stream continues the recording.
    for (const name of await namesIn(join(folder, 'streams'))) await keepStream(join('streams', name));
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(poll);
  }, 60);
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await looking;
      await poll();
    },
    /** All entries by sequence number. Throws when two segments disagree about one. */
    async entries(): Promise<Map<number, Entry>> {
      const entries = new Map<number, Entry>();
      for (const name of (await readdir(keep)).sort()) {
        for (const entry of readSegment(await readFile(join(keep, name))).entries) {
          const known = entries.get(entry.seq);
          if (known && JSON.stringify(known) !== JSON.stringify(entry)) {
            throw new Error(`the journal holds two entries ${entry.seq}`);
          }
          entries.set(entry.seq, entry);
        }
      }
      return entries;
    },
  };
};
