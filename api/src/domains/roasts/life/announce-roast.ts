import { parseJson } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { Sql } from '../../../db/sql.ts';

/** Notification channel for changed roasts, so that every instance can update its watchers. */
export const roastChangedChannel = 'roast_changed';

const noticeShape = z.object({ roast_id: z.string(), machine_id: z.string(), deleted: z.boolean().default(false) });
export type RoastNotice = z.infer<typeof noticeShape>;

const announce = async (tx: Sql, roastId: string, machineId: string | null, deleted: boolean): Promise<void> => {
  if (machineId === null) return;
  const notice: RoastNotice = { roast_id: roastId, machine_id: machineId, deleted };
  await tx`SELECT pg_notify(${roastChangedChannel}, ${JSON.stringify(notice)})`;
};

/** Notifies all instances when the transaction commits. A rollback sends nothing. */
export const announceRoast = async (tx: Sql, roastId: string, machineId: string | null): Promise<void> => {
  await announce(tx, roastId, machineId, false);
};

/** Notifies all instances that a running roast was deleted, for its watchers. */
export const announceDeletedRoast = async (tx: Sql, roastId: string, machineId: string | null): Promise<void> => {
  await announce(tx, roastId, machineId, true);
};

/** Undefined for a notice from another version of the api. */
export const parseRoastNotice = (text: string): RoastNotice | undefined => parseJson(noticeShape, text).data;
