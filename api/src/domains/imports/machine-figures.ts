import type { Sql } from '../../db/sql.ts';
import { type Doubt, doubtsOf, type MachineFigures, type RoastFigures } from './plausibility.ts';

/** The newest roasts of a machine say what is usual today. */
const newest = 200;

/** Durations and first cracks of a machine's roasts. Those of a detector are left out, since it may have missed them. */
const machineFigures = async (sql: Sql, machineId: string): Promise<MachineFigures> => {
  const rows = await sql<{ duration: number | null; crack: number | null }[]>`
    SELECT duration_seconds AS duration, CASE WHEN first_crack_observed THEN first_crack_temp END AS crack
    FROM roasts WHERE machine_id = ${machineId} AND status = 'completed' ORDER BY start_time DESC LIMIT ${newest}`;
  return {
    durationsSeconds: rows.flatMap(({ duration }) => duration ?? []),
    firstCracksC: rows.flatMap(({ crack }) => crack ?? []),
  };
};

/** What is unlikely about a roast, by the other roasts of its machine if it has one. */
export const findDoubts = async (
  sql: Sql,
  figures: RoastFigures | null,
  machineId: string | null,
): Promise<readonly Doubt[]> => {
  if (figures === null) return [];
  return doubtsOf(figures, machineId === null ? undefined : await machineFigures(sql, machineId));
};
