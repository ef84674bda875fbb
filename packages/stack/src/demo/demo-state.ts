import { createHash, randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import { newSecret, readIfPresent, writePrivateFile } from '../private-file.ts';

const shape = z.object({
  /** Values of the demo that are generated once and stored: an interrupted start continues. */
  begunAtMs: z.number(),
  ownerPassword: z.string(),
  boot: z.string(),
  machines: z.record(z.string(), z.object({ token: z.string(), epoch: z.string() })),
  isComplete: z.boolean(),
});
export type DemoState = z.infer<typeof shape>;

/** Reads the demo's state from the data folder, or creates it. `save` stores it, readable by its owner only. */
export const openDemoState = async (dataDir: string) => {
  const file = path.join(dataDir, 'demo.json');
  const kept = await readIfPresent(file);
  const state: DemoState =
    kept === undefined
      ? {
          begunAtMs: Date.now(),
          ownerPassword: newSecret().slice(0, 16),
          boot: randomUUID(),
          machines: {},
          isComplete: false,
        }
      : parseOrThrow(shape, JSON.parse(kept));
  return { state, save: () => writePrivateFile(file, `${JSON.stringify(state, null, 2)}\n`) };
};

export const newEpoch = (): string => randomBytes(8).toString('hex');

/** The same UUID (version 7) for the same roast at every start: time in front, the rest from a hash. */
export const stableRoastId = (epoch: string, atMs: number): string => {
  const bytes = createHash('sha256').update(`${epoch}:${atMs}`).digest().subarray(0, 16);
  bytes.writeUIntBE(atMs, 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};
