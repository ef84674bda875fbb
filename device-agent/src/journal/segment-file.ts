import { dirname } from 'node:path';
import { isMissing } from '../atomic-file.ts';
import { syncFolderOn, type JournalDisk } from './disk.ts';

type Handle = Awaited<ReturnType<JournalDisk['open']>>;

/**
 * The segment being written. Records are appended after the last whole one, overwriting the rest of a failed attempt.
 */
export class SegmentFile {
  readonly path: string;
  readonly #disk: JournalDisk;
  readonly #handle: Handle;
  #size = 0;
  #syncedSize = 0;

  private constructor(disk: JournalDisk, path: string, handle: Handle) {
    this.path = path;
    this.#disk = disk;
    this.#handle = handle;
  }

  /**
   * A new file with `content`, synced together with its name. It is written under a temporary name and then renamed, so
   * that a file that a failed sync made doubtful is never written again.
   */
  static async create(disk: JournalDisk, path: string, content: Uint8Array): Promise<SegmentFile> {
    const draft = `${path}.draft`;
    const handle = await disk.open(draft, 'w', 0o600);
    const file = new SegmentFile(disk, path, handle);
    try {
      await file.append(content);
      await file.sync();
      await disk.rename(draft, path);
      await syncFolderOn(disk, dirname(path));
      return file;
    } catch (error) {
      await handle.close().catch(() => undefined);
      await disk.rm(draft, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Whether something was written since the last sync. */
  get dirty(): boolean {
    return this.#size > this.#syncedSize;
  }

  /** False when file or folder was deleted: later writes are lost when this process ends. */
  async isThere(): Promise<boolean> {
    try {
      await this.#disk.stat(this.path);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Writes all bytes or throws and leaves the file as it was; a full disk may first accept a part of them. */
  async append(bytes: Uint8Array): Promise<void> {
    let written = 0;
    try {
      while (written < bytes.length) {
        const result = await this.#handle.write(bytes, written, bytes.length - written, this.#size + written);
        if (result.bytesWritten === 0) throw Object.assign(new Error('the disk wrote nothing'), { code: 'EIO' });
        written += result.bytesWritten;
      }
    } catch (error) {
      if (written > 0) await this.#handle.truncate(this.#size);
      throw error;
    }
    this.#size += written;
  }

  async sync(): Promise<void> {
    const size = this.#size;
    await this.#handle.datasync();
    this.#syncedSize = size;
  }

  /** Removes bytes that were written and never synced. */
  async cutUnsynced(): Promise<void> {
    if (this.dirty) await this.#handle.truncate(this.#syncedSize);
    this.#size = this.#syncedSize;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Closes the file under another name. */
  async closeAs(path: string): Promise<void> {
    await this.#disk.rename(this.path, path);
    // It is synced: nothing depends on this.
    await this.close().catch(() => undefined);
  }
}
