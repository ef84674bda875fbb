import { open, rename, stat, type FileHandle } from 'node:fs/promises';
import { isMissing } from '../atomic-file.ts';

/** The segment being written. Appends go behind the last whole record, whatever an earlier attempt left there. */
export class SegmentFile {
  readonly path: string;
  #handle: FileHandle;
  #size = 0;
  #dirty = false;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  static async create(path: string): Promise<SegmentFile> {
    return new SegmentFile(path, await open(path, 'w', 0o600));
  }

  get size(): number {
    return this.#size;
  }

  /** Whether something was written since the last sync. */
  get dirty(): boolean {
    return this.#dirty;
  }

  /** False when somebody took file or folder away: what is written from then on is seen by nobody and ends with us. */
  async isThere(): Promise<boolean> {
    try {
      await stat(this.path);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Writes all bytes or throws and leaves the file as it was; a full disk may take a part of them first. */
  async append(bytes: Buffer): Promise<void> {
    let written = 0;
    try {
      while (written < bytes.length) {
        const result = await this.#handle.write(bytes, written, bytes.length - written, this.#size + written);
        written += result.bytesWritten;
      }
    } catch (error) {
      if (written > 0) await this.#handle.truncate(this.#size);
      throw error;
    }
    this.#size += written;
    this.#dirty = true;
  }

  async sync(): Promise<void> {
    await this.#handle.datasync();
    this.#dirty = false;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async closeAs(path: string): Promise<void> {
    await this.close();
    await rename(this.path, path);
  }
}
