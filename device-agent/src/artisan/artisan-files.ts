import { maxCheckedFiles } from '@roastery/contract/machine-files';
import type { TemperatureUnit } from '@roastery/roasting/units';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { codeOf } from '@roastery/runtime/system-errors';
import type { AgentConfig } from '../config.ts';
import { openFileMemory, type FileFate, type FileMemory } from './file-memory.ts';
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
export class ArtisanFiles {
  readonly #parts: ArtisanFilesParts;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #memory: FileMemory;
  readonly #backoff = createBackoff(retryMs.min, retryMs.max);
  readonly #stop = new AbortController();
  /** As of the previous scan. */
  #before = new Map<string, FoundFile>();
  /** Files that can't be read or sent yet, with the reason. */
  readonly #waiting = new Map<string, { reason: string; size: number; mtimeMs: number; since: number }>();
  /** Links, files that are too large, and files that ended the agent: checked again when they change. */
  readonly #passedOver = new Map<string, FoundFile>();
  /** Versions that this process has read. */
  readonly #survived = new Map<string, FoundFile>();
  #trouble: string | null = null;
  #sendAgainAt = Number.NEGATIVE_INFINITY;
  #scans = 0;
  #checkAt = Number.NEGATIVE_INFINITY;
  #unit: { of: TemperatureUnit; mtimeMs: number } | undefined;
  #reported = '';
  readonly #running: Promise<void>;

  constructor(parts: ArtisanFilesParts, memory: FileMemory) {
    this.#parts = parts;
    this.#log = parts.log;
    this.#clock = parts.clock;
    this.#memory = memory;
    this.#running = this.#run();
  }

  report(): FilesReport {
    const newest = [
      ...[...this.#waiting].map(([name, { reason }]) => ({ name, state: 'waiting' as const, reason })),
      ...[...this.#passedOver.values()].map(({ name, refusal = '' }) => ({
        name,
        state: 'refused' as const,
        reason: refusal,
      })),
      ...this.#memory.newest(reportedFiles).map(({ name, outcome, reason }) => ({
        name,
        state: outcome === 'refused' ? ('refused' as const) : ('sent' as const),
        ...(reason === undefined ? {} : { reason }),
      })),
    ];
    return {
      folder: this.#parts.folder,
      sent: this.#memory.count(({ outcome }) => outcome !== 'refused'),
      refused: this.#memory.count(({ outcome }) => outcome === 'refused') + this.#passedOver.size,
      waiting: this.#waiting.size,
      trouble: this.#trouble,
      newest: newest.slice(0, reportedFiles),
    };
  }

  /** Artisan's unit, as its newest file shows; undefined before there is one. */
  unit(): TemperatureUnit | undefined {
    return this.#unit?.of;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #tellChange(): void {
    const now = JSON.stringify(this.report());
    if (now === this.#reported) return;
    this.#reported = now;
    this.#parts.changed();
  }

  #setTrouble(next: string | null): void {
    if (next !== null && next !== this.#trouble) this.#log.warn({ reason: next }, 'artisan: files not sent');
    this.#trouble = next;
  }

  #wait(file: FoundFile, reason: string): void {
    const known = this.#waiting.get(file.name);
    const since = known !== undefined && isSame(file, known) ? known.since : this.#clock.now();
    this.#waiting.set(file.name, { reason, size: file.size, mtimeMs: file.mtimeMs, since });
  }

  async #settle(file: FoundFile, sha256: string, fate?: Omit<FileFate, 'at'>): Promise<void> {
    this.#waiting.delete(file.name);
    if (fate?.outcome === 'refused') this.#log.warn({ file: file.name, reason: fate.reason }, 'artisan: file refused');
    else if (fate !== undefined) this.#log.info({ file: file.name, outcome: fate.outcome }, 'artisan: file sent');
    const seen = { size: file.size, mtimeMs: file.mtimeMs, sha256 };
    await this.#memory.note(file.name, seen, fate === undefined ? undefined : { ...fate, at: this.#clock.now() });
  }

  /** Reads a file. The first read of each version is remembered until the agent has survived it. */
  async #readOnce(file: FoundFile): Promise<ReadFile> {
    if (isSame(file, this.#survived.get(file.name))) return readAlog(this.#parts.folder, file);
    await this.#memory.begins(file.name, file);
    const result = await readAlog(this.#parts.folder, file);
    this.#survived.set(file.name, file);
    await this.#memory.survived(file.name);
    return result;
  }

  #refusalOf(file: FoundFile): string | undefined {
    return file.refusal ?? (this.#memory.isDeadly(file.name, file) ? endedAgent : undefined);
  }

  /** False: nothing more can be sent now. */
  async #bringIn(file: FoundFile): Promise<boolean> {
    const read = await this.#readOnce(file);
    if (read.kind === 'unreadable') {
      this.#wait(file, read.reason);
      return true;
    }
    if (read.kind === 'refused') {
      await this.#settle(file, read.sha256, { outcome: 'refused', reason: read.reason });
      return true;
    }
    if (read.kind === 'unfinished') {
      this.#wait(file, read.reason);
      const since = this.#waiting.get(file.name)?.since ?? this.#clock.now();
      if (read.sha256 !== '' && this.#clock.now() - since >= unfinishedMs)
        await this.#settle(file, read.sha256, { outcome: 'refused', reason: read.reason });
      return true;
    }
    if (read.unit !== null && file.mtimeMs >= (this.#unit?.mtimeMs ?? 0))
      this.#unit = { of: read.unit, mtimeMs: file.mtimeMs };
    if (this.#memory.fate(read.sha256) !== undefined) {
      await this.#settle(file, read.sha256);
      return true;
    }
    if (this.#clock.monotonic() < this.#sendAgainAt) {
      this.#wait(file, this.#trouble ?? 'it waits for the one before it');
      return true;
    }
    const result = await sendFile(this.#parts.config, file.name, read.content);
    if (result.kind === 'not_now') {
      this.#wait(file, result.reason);
      if (result.isOfFile) return true;
      this.#setTrouble(result.reason);
      this.#sendAgainAt = this.#clock.monotonic() + this.#backoff.nextMs(result);
      return false;
    }
    this.#backoff.reset();
    this.#setTrouble(null);
    // The answer to the check also names the owner for whom the server keeps it.
    this.#checkAt = Number.NEGATIVE_INFINITY;
    const reason = result.kind === 'refused' ? result.reason : result.doubts?.join(' ');
    const outcome = result.kind === 'refused' ? result.kind : result.outcome;
    await this.#settle(file, read.sha256, { outcome, ...(reason !== undefined && { reason: reason.slice(0, 300) }) });
    return true;
  }

  async #listFolder(): Promise<string[] | undefined> {
    const { folder } = this.#parts;
    try {
      return await alogNames(folder);
    } catch (error) {
      const code = codeOf(error);
      if (code === '') throw error;
      this.#setTrouble(
        code === 'ENOENT'
          ? `the folder ${folder} does not exist`
          : code === 'EACCES'
            ? `this user can’t read the folder ${folder}`
            : `the folder ${folder} can’t be read (${code})`,
      );
      return undefined;
    }
  }

  /** The newest file shows Artisan's unit, even if it was sent long ago. */
  async #learnUnit(files: Iterable<FoundFile>): Promise<void> {
    const [newest] = [...files]
      .filter((file) => this.#refusalOf(file) === undefined)
      .sort((a, b) => b.mtimeMs - a.mtimeMs);
    if (newest === undefined || newest.mtimeMs <= (this.#unit?.mtimeMs ?? Number.NEGATIVE_INFINITY)) return;
    const read = await this.#readOnce(newest);
    if (read.kind === 'whole' && read.unit !== null) this.#unit = { of: read.unit, mtimeMs: newest.mtimeMs };
  }

  async #scan(): Promise<void> {
    const names = await this.#listFolder();
    if (names === undefined) return this.#tellChange();
    if (this.#trouble?.includes(this.#parts.folder)) this.#setTrouble(null);
    const isWhole = this.#scans % scansPerFullScan === 0;
    this.#scans += 1;
    const recent = new Set(
      [...this.#before.values()]
        .sort((a, b) => b.mtimeMs - a.mtimeMs)
        .slice(0, recentFiles)
        .map(({ name }) => name),
    );
    const found = new Map<string, FoundFile>();
    for (const name of names) {
      const known = this.#before.get(name);
      const isQuiet = known !== undefined && !isWhole && !recent.has(name) && !this.#waiting.has(name);
      const file = isQuiet ? known : await findFile(this.#parts.folder, name);
      if (file !== undefined) found.set(name, file);
    }
    if (this.#unit === undefined) await this.#learnUnit(found.values());
    for (const name of this.#waiting.keys()) if (!found.has(name)) this.#waiting.delete(name);
    this.#passedOver.clear();
    const due: FoundFile[] = [];
    for (const file of found.values()) {
      if (this.#memory.sinceMs !== null && file.mtimeMs < this.#memory.sinceMs) continue;
      const refusal = this.#refusalOf(file);
      if (refusal !== undefined) this.#passedOver.set(file.name, { ...file, refusal });
      else if (!isSame(file, this.#memory.seen(file.name)) && isSame(file, this.#before.get(file.name))) due.push(file);
    }
    this.#before = found;
    const present = new Set(names);
    this.#memory.keepNames(present);
    for (const name of this.#survived.keys()) if (!present.has(name)) this.#survived.delete(name);
    for (const file of due.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (this.#stop.signal.aborted) return;
      if (!(await this.#bringIn(file))) {
        for (const later of due)
          if (later.mtimeMs >= file.mtimeMs && !this.#waiting.has(later.name)) this.#wait(later, this.#trouble ?? '');
        break;
      }
    }
    if (this.#waiting.size === 0) this.#setTrouble(null);
    this.#tellChange();
  }

  /** A server whose database was restored from a backup receives the later files again. */
  async #checkTaken(): Promise<void> {
    const taken = this.#memory.taken();
    if (taken.length === 0 || this.#clock.monotonic() < this.#checkAt) return;
    this.#checkAt = this.#clock.monotonic() + checkMs;
    for (let from = 0; from < taken.length && !this.#stop.signal.aborted; from += maxCheckedFiles) {
      const asked = taken.slice(from, from + maxCheckedFiles);
      const answer = await askMissing(this.#parts.config, asked);
      if (answer === undefined) {
        this.#checkAt = this.#clock.monotonic() + checkAgainMs;
        return;
      }
      const lost = await this.#memory.checked(asked, answer);
      if (lost > 0) this.#log.warn({ files: lost }, 'artisan: lost files resent');
    }
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#scan()
        .then(() => this.#checkTaken())
        .catch((error: unknown) => {
          this.#setTrouble(`the folder ${this.#parts.folder} can’t be watched: ${String(error).slice(0, 200)}`);
          this.#tellChange();
        });
      await pause(scanMs, this.#stop.signal, this.#clock);
    }
  }
}

export const watchArtisanFiles = async (parts: ArtisanFilesParts): Promise<ArtisanFiles> => {
  const { config, pastDays, clock, log } = parts;
  const firstSinceMs = pastDays === null ? null : clock.now() - pastDays * 86_400_000;
  return new ArtisanFiles(parts, await openFileMemory(config.dataDir, firstSinceMs, log));
};
