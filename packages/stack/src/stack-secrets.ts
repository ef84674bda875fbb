import path from 'node:path';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import { newSecret, readIfPresent, writePrivateFile } from './private-file.ts';

const shape = z.object({
  /** The api's own MQTT password, which the broker also sends with its requests about devices. */
  brokerSecret: z.string().min(32),
  /** Keys the hashes of pairing codes. */
  secretKey: z.string().min(32),
  /** The first admin's password, used when none is given. */
  adminPassword: z.string().min(12),
});
export type StackSecrets = z.infer<typeof shape>;

/** Secrets that the processes of one stack share, created on the first start and stored readable by the owner only. */
export async function openSecrets(dataDir: string): Promise<StackSecrets & { isNew: boolean }> {
  const file = path.join(dataDir, 'secrets.json');
  const kept = await readIfPresent(file);
  if (kept !== undefined) return { ...parseOrThrow(shape, JSON.parse(kept)), isNew: false };
  const secrets = {
    brokerSecret: newSecret(),
    secretKey: newSecret(),
    adminPassword: newSecret().replaceAll(/[-_]/g, '').slice(0, 16),
  };
  await writePrivateFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return { ...secrets, isNew: true };
}
