import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { volume } from '@roastery/testing/endurance/volume';
import { memoryFolder } from '@roastery/testing/shared-data';
import { expect, it } from 'vitest';
import { entriesBefore, recordCard, type Cut } from '../testing/forgetful-card.ts';

const step = volume(1, 29);

it('journal cut at each byte, acknowledged up to each number: loses nothing, names each gap', async () => {
  const folder = await mkdtemp(join(memoryFolder ?? tmpdir(), 'forgetful-card-'));
  try {
    const { size, findFaults } = await recordCard(join(folder, 'card'));
    const found: { cut: Cut; faults: string[] }[] = [];
    for (let bytes = 0; bytes <= size; bytes += step) {
      for (let acknowledged = 0; acknowledged <= entriesBefore; acknowledged++) {
        for (const isOnlineAtStart of [true, false]) {
          // Each number with both kinds of restart, at neighbouring bytes.
          const cut = { bytes, acknowledged, isOnlineAtStart, isNewBoot: (bytes + acknowledged) % 2 === 0 };
          const faults = await findFaults(cut);
          if (faults.length > 0) found.push({ cut, faults });
        }
      }
    }
    expect(found.length, JSON.stringify(found.slice(0, 3))).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 3_600_000);
