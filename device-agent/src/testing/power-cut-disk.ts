import * as fs from 'node:fs/promises';
import type { JournalDisk } from '../journal/disk.ts';

const eraseIn = async (path: string, from: number, to: number): Promise<void> => {
  const file = await fs.open(path, 'r+');
  try {
    const { size } = await file.stat();
    const end = Math.min(to, size);
    if (end > from) await file.write(Buffer.alloc(end - from), 0, end - from, from);
  } finally {
    await file.close();
  }
};

/**
 * The disk of this machine; a power cut removes everything that was written to a file after its last sync. As in the
 * kernel, what a failed sync did not write is written by no later one, although it succeeds.
 */
export const createPowerCutDisk = () => {
  /** By inode: the synced size. */
  const safeSizes = new Map<number, number>();
  const dropped: { readonly ino: number; readonly from: number; readonly to: number }[] = [];
  let failing = 0;
  const underWay = new Set<Promise<unknown>>();
  let isOff = false;
  const never = new Promise<never>(() => undefined);

  const whileOn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isOff) return never;
    const call = work();
    underWay.add(call);
    const done = await call.finally(() => underWay.delete(call));
    return isOff ? never : done;
  };
  const wrapHandle = (handle: fs.FileHandle): fs.FileHandle =>
    new Proxy(handle, {
      get(of, key) {
        const value: unknown = Reflect.get(of, key, of);
        if (typeof value !== 'function') return value;
        const call = async (...given: unknown[]): Promise<unknown> =>
          Reflect.apply(value, of, given) as Promise<unknown>;
        if (key === 'close') return call;
        return (...given: unknown[]) =>
          whileOn(async () => {
            const { ino, size } = await of.stat();
            const isSync = key === 'sync' || key === 'datasync';
            if (isSync && failing > 0) {
              failing -= 1;
              dropped.push({ ino, from: safeSizes.get(ino) ?? 0, to: size });
              throw Object.assign(new Error('EIO: made by the test, sync'), { code: 'EIO' });
            }
            const result = await call(...given);
            if (isSync) safeSizes.set(ino, size);
            else if (!safeSizes.has(ino)) safeSizes.set(ino, 0);
            return result;
          });
      },
    });
  const disk = new Proxy(fs, {
    get(of, key) {
      const value: unknown = Reflect.get(of, key, of);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) =>
        whileOn(async () => {
          const result = await (Reflect.apply(value, of, given) as Promise<unknown>);
          const writes = key === 'open' && given[1] !== 'r';
          return writes ? wrapHandle(result as fs.FileHandle) : result;
        });
    },
  }) as JournalDisk;

  return {
    disk,
    /** The next syncs of files fail. */
    failSyncs: (count: number): void => void (failing = count),
    /** From now on no call returns, and the files below `folder` are as after a power cut. */
    async cut(folder: string): Promise<void> {
      isOff = true;
      await Promise.allSettled(underWay);
      for (const name of await fs.readdir(folder, { recursive: true })) {
        const path = `${folder}/${name}`;
        const { ino, size } = await fs.stat(path);
        const safe = safeSizes.get(ino);
        if (safe !== undefined && size > safe) await fs.truncate(path, safe);
        for (const { from, to } of dropped.filter((one) => one.ino === ino)) await eraseIn(path, from, to);
      }
    },
  };
};
