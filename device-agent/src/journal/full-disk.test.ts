import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { afterAll, describe, expect, it } from 'vitest';
import { RangeSet } from '../core/ranges.ts';
import { createWallClock } from '../core/wall-clock.ts';
import { nodeDisk } from './disk.ts';
import { openJournal } from './journal.ts';
import { SegmentFile } from './segment-file.ts';

/** A real full disk: a small tmpfs, for which this process must be root. */
const disk = mkdtempSync(join(tmpdir(), 'full-disk-'));
const mounted = (() => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

afterAll(() => {
  if (mounted) execFileSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const context = { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] };

describe('full disk', () => {
  it.skipIf(!mounted)(
    'leaves a segment as it was where only a part of a record fitted (needs root for a small tmpfs)',
    async () => {
      const path = join(disk, 'segment');
      const file = await SegmentFile.create(nodeDisk, path, Buffer.from('whole'));
      await expect(file.append(Buffer.alloc(600_000, 'x'))).rejects.toMatchObject({ code: 'ENOSPC' });
      expect(await readFile(path, 'utf8')).toBe('whole');
      await file.append(Buffer.from(' again'));
      expect(await readFile(path, 'utf8')).toBe('whole again');
      await file.close();
      await rm(path);
    },
  );

  it.skipIf(!mounted)(
    'continues sampling, keeps its readings, and recovers (needs root for a small tmpfs)',
    async () => {
      let mono = 0;
      const clock = createWallClock(() => ({ boot, mono, wall: 1_800_000_000_000 + mono, synced: true }));
      const journal = await openJournal({
        folder: join(disk, 'journal'),
        capBytes: 1e9,
        segmentBytes: 16_384,
        clock,
        log: createLogger('test', 'silent'),
        context,
        state: () => undefined,
      });
      const sample = (): number => journal.appendSample((mono += 250), [mono / 1000]);
      sample();
      await journal.flush();
      // Another program's file takes all the space.
      const filler = join(disk, 'filler');
      await writeFile(filler, Buffer.alloc(600_000)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error;
      });
      for (let count = 0; count < 6000; count++) sample();
      await expect.poll(() => journal.stats().trouble).toMatch(/ENOSPC/);
      for (let count = 0; count < 10; count++) sample();
      expect(journal.stats().droppedEntries).toBe(0);

      await rm(filler);
      await expect.poll(() => journal.stats().trouble).toBeUndefined();
      const newest = sample();
      await journal.flush();
      const present = new RangeSet();
      const announced = new RangeSet();
      for (const [from, to] of journal.waiting()) {
        for (let at = from; at <= to;) {
          const entries = await journal.read(at, to);
          if (entries.length === 0) break;
          for (const entry of entries) {
            present.add(entry.seq, entry.seq);
            if (entry.kind === 'event' && entry.event.type === 'gap')
              announced.add(entry.event.from_seq, entry.event.to_seq);
          }
          at = (entries.at(-1)?.seq ?? to) + 1;
        }
      }
      expect(present.has(newest)).toBe(true);
      const unexplained = Array.from({ length: newest + 1 }, (_, seq) => seq).filter(
        (seq) => !present.has(seq) && !announced.has(seq),
      );
      expect(unexplained).toEqual([]);
      await journal.close();
    },
  );
});
