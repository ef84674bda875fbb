import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { volume } from '@roastery/testing/endurance/volume';
import { memoryFolder } from '@roastery/testing/shared-data';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { entriesBefore, recordCard, type Cut } from '../testing/forgetful-card.ts';
import { restartAtRandom } from '../testing/random-restarts.ts';

const step = volume(1, 61);
const boards = volume(600, 20);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(memoryFolder ?? tmpdir(), 'forgetful-card-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('journal cut at each byte, acknowledged up to each number: loses nothing, names each gap', async () => {
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
}, 3_600_000);

it(`${boards} boards restarted at random: lose nothing, name each gap`, async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= boards; seed++) found.push(...(await restartAtRandom(folder, seed, 12)));
  expect(found).toEqual([]);
}, 3_600_000);
