import { parseJson } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { Sql } from '../../db/sql.ts';

/** Notification channel on which every instance hears of changed roasts, so that it can tell those who watch. */
export const roastChangedChannel = 'roast_changed';

const noticeShape = z.object({ roast_id: z.string(), machine_id: z.string(), deleted: z.boolean().default(false) });
export type RoastNotice = z.infer<typeof noticeShape>;

const announce = async (tx: Sql, roastId: string, machineId: string | null, deleted: boolean): Promise<void> => {
  if (machineId === null) return;
  const notice: RoastNotice = { roast_id: roastId, machine_id: machineId, deleted };
  await tx`SELECT pg_notify(${roastChangedChannel}, ${JSON.stringify(notice)})`;
};

/** Tells all instances when the transaction commits. A rollback sends nothing. */
export const announceRoast = async (tx: Sql, roastId: string, machineId: string | null): Promise<void> => {
  await announce(tx, roastId, machineId, false);
};

/** Tells all instances that a running roast is gone, so that its watchers see it. */
export const announceDeletedRoast = async (tx: Sql, roastId: string, machineId: string | null): Promise<void> => {
  await announce(tx, roastId, machineId, true);
};

/** Undefined for a notice that another version of the api wrote. */
export const parseRoastNotice = (text: string): RoastNotice | undefined => parseJson(noticeShape, text).data;
