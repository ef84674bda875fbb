import * as fs from 'node:fs/promises';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { JournalDisk } from '../journal/disk.ts';

export const diskFaults = ['EIO', 'EROFS', 'ENOSPC', 'failed fsync', 'short write'] as const;
export interface DiskFault {
  readonly kind: (typeof diskFaults)[number];
  /** The call from which the disk fails. */
  readonly fromCall: number;
  /** How many calls fail, and for how long; with neither, forever. */
  readonly calls?: number;
  readonly ms?: number;
}

type Call = { readonly name: string; readonly writes: boolean; readonly syncs: boolean };
const writing = new Set(['mkdir', 'rename', 'rm', 'truncate', 'writeFile', 'write']);
const syncing = new Set(['sync', 'datasync']);

const concerns = (kind: DiskFault['kind'], { name, writes, syncs }: Call): boolean => {
  if (kind === 'EIO') return name !== 'close';
  if (kind === 'failed fsync') return syncs;
  if (kind === 'short write') return name === 'write';
  // A full disk can still delete files.
  return writes && !(kind === 'ENOSPC' && (name === 'rm' || name === 'truncate'));
};

/** The disk of this computer, whose calls are counted and fail as planned, with kernel errors. */
export const createFaultyDisk = (plan: DiskFault | undefined, time: Clock = realClock) => {
  const made: Call[] = [];
  const byName = new Map<string, number>();
  let failed = 0;
  let since: number | undefined;
  let over = plan === undefined;
  let killed = false;
  const underWay = new Set<Promise<unknown>>();
  const opened: { close(): Promise<void> }[] = [];

  const failsNow = (call: Call): boolean => {
    const index = made.push(call) - 1;
    byName.set(call.name, (byName.get(call.name) ?? 0) + 1);
    if (over || plan === undefined || index < plan.fromCall || !concerns(plan.kind, call)) return false;
    since ??= time.monotonic();
    if (failed >= (plan.calls ?? Infinity) || time.monotonic() - since >= (plan.ms ?? Infinity)) return false;
    failed += 1;
    return true;
  };
  const errorOf = (name: string): Error => {
    const code = plan?.kind === 'failed fsync' || plan?.kind === 'short write' ? 'EIO' : (plan?.kind ?? 'EIO');
    return Object.assign(new Error(`${code}: made by the test, ${name}`), { code });
  };

  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, key) {
        const value: unknown = Reflect.get(of, key, of);
        if (typeof value !== 'function' || typeof key !== 'string') return value;
        const perform = async (given: unknown[]): Promise<unknown> => {
          const opensToWrite = key === 'open' && given[1] !== 'r';
          const call = { name: key, writes: writing.has(key) || opensToWrite, syncs: syncing.has(key) };
          if (failsNow(call)) {
            if (plan?.kind === 'short write' && key === 'write') {
              // A part is written, then an error: the behaviour of a disk that becomes full or fails in the middle.
              const [bytes, offset, length, position] = given as [Buffer, number, number, number];
              await (Reflect.apply(value, of, [bytes, offset, Math.floor(length / 2), position]) as Promise<unknown>);
            }
            throw errorOf(key);
          }
          const result: unknown = await Reflect.apply(value, of, given);
          if (key !== 'open' || typeof result !== 'object' || result === null) return result;
          opened.push(result as (typeof opened)[number]);
          return wrap(result);
        };
        return async (...given: unknown[]): Promise<unknown> => {
          // A killed process receives no more results.
          if (killed) return new Promise(() => undefined);
          const call = perform(given);
          underWay.add(call);
          return call.finally(() => underWay.delete(call));
        };
      },
    });

  return {
    disk: wrap({ ...fs }) as JournalDisk,
    calls: (): number => made.length,
    /** The calls so far that a fault of this kind can hit: a fault that begins between two of them hits the next one. */
    callsHitBy: (kind: DiskFault['kind']): number[] =>
      made.flatMap((call, index) => (concerns(kind, call) ? [index] : [])),
    count: (name: string): number => byName.get(name) ?? 0,
    failed: (): number => failed,
    isBusy: (): boolean => underWay.size > 0,
    /** The disk works from now on. */
    mend: (): void => void (over = true),
    /** As if the process were killed: current calls end, and nothing after them reaches the disk. */
    async kill(): Promise<void> {
      killed = true;
      await Promise.allSettled(underWay);
      await Promise.allSettled(opened.map((handle) => handle.close()));
    },
  };
};
