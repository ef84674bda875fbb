import * as fs from 'node:fs/promises';
import type { JournalDisk } from '../journal/disk.ts';

/** The disk of this machine; a power cut removes everything that was written to a file after its last sync. */
export const createPowerCutDisk = () => {
  /** By inode: the synced size. */
  const safeSizes = new Map<number, number>();
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
            const result = await call(...given);
            if (key === 'sync' || key === 'datasync') safeSizes.set(ino, size);
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
    /** From now on no call returns, and the files below `folder` are as after a power cut. */
    async cut(folder: string): Promise<void> {
      isOff = true;
      await Promise.allSettled(underWay);
      for (const name of await fs.readdir(folder, { recursive: true })) {
        const path = `${folder}/${name}`;
        const { ino, size } = await fs.stat(path);
        const safe = safeSizes.get(ino);
        if (safe !== undefined && size > safe) await fs.truncate(path, safe);
      }
    },
  };
};
