import { maxCheckedFiles } from '@roastery/contract/machine-files';
import type { TemperatureUnit } from '@roastery/roasting/units';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { codeOf } from '@roastery/runtime/system-errors';
import type { AgentConfig } from '../config.ts';
import { openFileMemory, type FileFate } from './file-memory.ts';
import { alogNames, findFile, readAlog, type FoundFile, type ReadFile } from './read-folder.ts';
import { askMissing, sendFile } from './send-file.ts';

/** The state of the files in the folder, newest first. */
export interface FilesReport {
  readonly folder: string;
  /** Files whose roasts are in the portal, and files that the server refused for good. */
  readonly sent: number;
  readonly refused: number;
  readonly waiting: number;
  /** Why none can be read or sent now. */
  readonly trouble: string | null;
  readonly newest: {
    readonly name: string;
    readonly state: 'sent' | 'refused' | 'waiting';
    readonly reason?: string;
  }[];
}

export interface ArtisanFilesParts {
  readonly config: AgentConfig;
  readonly folder: string;
  /** Files that were last changed longer ago than this at the first start are ignored; null takes all. */
  readonly pastDays: number | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly changed: () => void;
}

/** Pause between two scans of the folder. */
const scanMs = 2000;
/** Every this many scans all files are checked; in the other scans only new and recently changed ones. */
const scansPerFullScan = 15;
const recentFiles = 10;
/** An incomplete file that has not changed for this long is damaged. */
const unfinishedMs = 60_000;
/** Pause between two checks that the server still has the files, and after one that it did not answer. */
const checkMs = 3_600_000;
const checkAgainMs = 300_000;
const reportedFiles = 8;
const endedAgent =
  'the agent ended twice while it read this file: import it in the portal, or save it again in Artisan';
const retryMs = { min: 1000, max: 60_000 };

const isSame = (a: FoundFile | undefined, b: { size: number; mtimeMs: number } | undefined): boolean =>
  a !== undefined && b !== undefined && a.size === b.size && a.mtimeMs === b.mtimeMs;

/**
 * Watches Artisan's autosave folder and sends each finished file once. A file is finished when it did not change
 * between two scans and is complete. Sent contents are remembered by hash, so that neither a restart nor another name
 * sends one twice.
 */
export const watchArtisanFiles = async (parts: ArtisanFilesParts) => {
  const { config, folder, pastDays, clock, log, changed } = parts;
  const firstSinceMs = pastDays === null ? null : clock.now() - pastDays * 86_400_000;
  const memory = await openFileMemory(config.dataDir, firstSinceMs, log);
  const backoff = createBackoff(retryMs.min, retryMs.max);
  const stop = new AbortController();
  /** As of the previous scan. */
  let before = new Map<string, FoundFile>();
  /** Files that can't be read or sent yet, with the reason. */
  const waiting = new Map<string, { reason: string; size: number; mtimeMs: number; since: number }>();
  /** Links, files that are too large, and files that ended the agent: checked again when they change. */
  const passedOver = new Map<string, FoundFile>();
  /** Versions that this process has read. */
  const survived = new Map<string, FoundFile>();
  let trouble: string | null = null;
  let sendAgainAt = Number.NEGATIVE_INFINITY;
  let scans = 0;
  let checkAt = Number.NEGATIVE_INFINITY;
  let unit: { of: TemperatureUnit; mtimeMs: number } | undefined;
  let reported = '';

  const tellChange = (): void => {
    const now = JSON.stringify(report());
    if (now === reported) return;
    reported = now;
    changed();
  };
  const setTrouble = (next: string | null): void => {
    if (next !== null && next !== trouble) log.warn({ reason: next }, 'artisan: files not sent');
    trouble = next;
  };
  const wait = (file: FoundFile, reason: string): void => {
    const known = waiting.get(file.name);
    const since = known !== undefined && isSame(file, known) ? known.since : clock.now();
    waiting.set(file.name, { reason, size: file.size, mtimeMs: file.mtimeMs, since });
  };
  const settle = async (file: FoundFile, sha256: string, fate?: Omit<FileFate, 'at'>): Promise<void> => {
    waiting.delete(file.name);
    if (fate?.outcome === 'refused') log.warn({ file: file.name, reason: fate.reason }, 'artisan: file refused');
    else if (fate !== undefined) log.info({ file: file.name, outcome: fate.outcome }, 'artisan: file sent');
    const seen = { size: file.size, mtimeMs: file.mtimeMs, sha256 };
    await memory.note(file.name, seen, fate === undefined ? undefined : { ...fate, at: clock.now() });
  };

  /** Reads a file. The first read of each version is remembered until the agent has survived it. */
  const readOnce = async (file: FoundFile): Promise<ReadFile> => {
    if (isSame(file, survived.get(file.name))) return readAlog(folder, file);
    await memory.begins(file.name, file);
    const result = await readAlog(folder, file);
    survived.set(file.name, file);
    await memory.survived(file.name);
    return result;
  };
  const refusalOf = (file: FoundFile): string | undefined =>
    file.refusal ?? (memory.isDeadly(file.name, file) ? endedAgent : undefined);

  /** False: nothing more can be sent now. */
  const bringIn = async (file: FoundFile): Promise<boolean> => {
    const read = await readOnce(file);
    if (read.kind === 'unreadable') {
      wait(file, read.reason);
      return true;
    }
    if (read.kind === 'refused') {
      await settle(file, read.sha256, { outcome: 'refused', reason: read.reason });
      return true;
    }
    if (read.kind === 'unfinished') {
      wait(file, read.reason);
      const since = waiting.get(file.name)?.since ?? clock.now();
      if (read.sha256 !== '' && clock.now() - since >= unfinishedMs)
        await settle(file, read.sha256, { outcome: 'refused', reason: read.reason });
      return true;
    }
    if (read.unit !== null && file.mtimeMs >= (unit?.mtimeMs ?? 0)) unit = { of: read.unit, mtimeMs: file.mtimeMs };
    if (memory.fate(read.sha256) !== undefined) {
      await settle(file, read.sha256);
      return true;
    }
    if (clock.monotonic() < sendAgainAt) {
      wait(file, trouble ?? 'it waits for the one before it');
      return true;
    }
    const result = await sendFile(config, file.name, read.content);
    if (result.kind === 'not_now') {
      wait(file, result.reason);
      if (result.isOfFile) return true;
      setTrouble(result.reason);
      sendAgainAt = clock.monotonic() + backoff.nextMs(result);
      return false;
    }
    backoff.reset();
    setTrouble(null);
    // The answer to the check also names the owner for whom the server keeps it.
    checkAt = Number.NEGATIVE_INFINITY;
    const reason = result.kind === 'refused' ? result.reason : result.doubts?.join(' ');
    const outcome = result.kind === 'refused' ? result.kind : result.outcome;
    await settle(file, read.sha256, { outcome, ...(reason !== undefined && { reason: reason.slice(0, 300) }) });
    return true;
  };

  const listFolder = async (): Promise<string[] | undefined> => {
    try {
      return await alogNames(folder);
    } catch (error) {
      const code = codeOf(error);
      if (code === '') throw error;
      setTrouble(
        code === 'ENOENT'
          ? `the folder ${folder} does not exist`
          : code === 'EACCES'
            ? `this user can’t read the folder ${folder}`
            : `the folder ${folder} can’t be read (${code})`,
      );
      return undefined;
    }
  };

  /** The newest file shows Artisan's unit, even if it was sent long ago. */
  const learnUnit = async (files: Iterable<FoundFile>): Promise<void> => {
    const [newest] = [...files].filter((file) => refusalOf(file) === undefined).sort((a, b) => b.mtimeMs - a.mtimeMs);
    if (newest === undefined || newest.mtimeMs <= (unit?.mtimeMs ?? Number.NEGATIVE_INFINITY)) return;
    const read = await readOnce(newest);
    if (read.kind === 'whole' && read.unit !== null) unit = { of: read.unit, mtimeMs: newest.mtimeMs };
  };

  const scan = async (): Promise<void> => {
    const names = await listFolder();
    if (names === undefined) return tellChange();
    if (trouble?.includes(folder)) setTrouble(null);
    const isWhole = scans % scansPerFullScan === 0;
    scans += 1;
    const recent = new Set(
      [...before.values()]
        .sort((a, b) => b.mtimeMs - a.mtimeMs)
        .slice(0, recentFiles)
        .map(({ name }) => name),
    );
    const found = new Map<string, FoundFile>();
    for (const name of names) {
      const known = before.get(name);
      const isQuiet = known !== undefined && !isWhole && !recent.has(name) && !waiting.has(name);
      const file = isQuiet ? known : await findFile(folder, name);
      if (file !== undefined) found.set(name, file);
    }
    if (unit === undefined) await learnUnit(found.values());
    for (const name of waiting.keys()) if (!found.has(name)) waiting.delete(name);
    passedOver.clear();
    const due: FoundFile[] = [];
    for (const file of found.values()) {
      if (memory.sinceMs !== null && file.mtimeMs < memory.sinceMs) continue;
      const refusal = refusalOf(file);
      if (refusal !== undefined) passedOver.set(file.name, { ...file, refusal });
      else if (!isSame(file, memory.seen(file.name)) && isSame(file, before.get(file.name))) due.push(file);
    }
    before = found;
    const present = new Set(names);
    memory.keepNames(present);
    for (const name of survived.keys()) if (!present.has(name)) survived.delete(name);
    for (const file of due.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (stop.signal.aborted) return;
      if (!(await bringIn(file))) {
        for (const later of due)
          if (later.mtimeMs >= file.mtimeMs && !waiting.has(later.name)) wait(later, trouble ?? '');
        break;
      }
    }
    if (waiting.size === 0) setTrouble(null);
    tellChange();
  };

  /** A server whose database was restored from a backup receives the later files again. */
  const checkTaken = async (): Promise<void> => {
    const taken = memory.taken();
    if (taken.length === 0 || clock.monotonic() < checkAt) return;
    checkAt = clock.monotonic() + checkMs;
    for (let from = 0; from < taken.length && !stop.signal.aborted; from += maxCheckedFiles) {
      const asked = taken.slice(from, from + maxCheckedFiles);
      const answer = await askMissing(config, asked);
      if (answer === undefined) {
        checkAt = clock.monotonic() + checkAgainMs;
        return;
      }
      const lost = await memory.checked(asked, answer);
      if (lost > 0) log.warn({ files: lost }, 'artisan: lost files resent');
    }
  };

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await scan()
        .then(checkTaken)
        .catch((error: unknown) => {
          setTrouble(`the folder ${folder} can’t be watched: ${String(error).slice(0, 200)}`);
          tellChange();
        });
      await pause(scanMs, stop.signal, clock);
    }
  };

  function report(): FilesReport {
    const newest = [
      ...[...waiting].map(([name, { reason }]) => ({ name, state: 'waiting' as const, reason })),
      ...[...passedOver.values()].map(({ name, refusal = '' }) => ({
        name,
        state: 'refused' as const,
        reason: refusal,
      })),
      ...memory.newest(reportedFiles).map(({ name, outcome, reason }) => ({
        name,
        state: outcome === 'refused' ? ('refused' as const) : ('sent' as const),
        ...(reason === undefined ? {} : { reason }),
      })),
    ];
    return {
      folder,
      sent: memory.count(({ outcome }) => outcome !== 'refused'),
      refused: memory.count(({ outcome }) => outcome === 'refused') + passedOver.size,
      waiting: waiting.size,
      trouble,
      newest: newest.slice(0, reportedFiles),
    };
  }
  const running = run();

  return {
    report,
    /** Artisan's unit, as its newest file shows; undefined before there is one. */
    unit: (): TemperatureUnit | undefined => unit?.of,
    async stop(): Promise<void> {
      stop.abort();
      await running;
    },
  };
};
export type ArtisanFiles = Awaited<ReturnType<typeof watchArtisanFiles>>;
