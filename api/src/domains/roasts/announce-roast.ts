import { parseJson } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { Sql } from '../../db/sql.ts';

/** Notification channel on which every instance hears of changed roasts, so that it can tell those who watch. */
export const roastChangedChannel = 'roast_changed';

const noticeShape = z.object({ roast_id: z.string(), machine_id: z.string() });
export type RoastNotice = z.infer<typeof noticeShape>;

/** Tells all instances when the transaction commits; nothing is told when it doesn't. */
export const announceRoast = async (tx: Sql, roastId: string, machineId: string | null): Promise<void> => {
  if (machineId === null) return;
  const notice: RoastNotice = { roast_id: roastId, machine_id: machineId };
  await tx`SELECT pg_notify(${roastChangedChannel}, ${JSON.stringify(notice)})`;
};

/** Undefined for a notice that another version of the api wrote. */
export const parseRoastNotice = (text: string): RoastNotice | undefined => parseJson(noticeShape, text).data;
