import type { Sql } from '../db/sql.ts';

/** The wall clock of a boot turned out to be earlier or later than was thought. */
export interface ClockChange {
  readonly recordingId: string;
  readonly machineId: string;
  readonly bootNo: number;
  readonly byMs: number;
}

/** Moves the start of the roasts of these boots; elapsed times stay, since they are monotonic. Answers the roasts' ids. */
export const moveStarts = async (tx: Sql, changes: readonly ClockChange[]): Promise<string[]> => {
  const moved: string[] = [];
  for (const { recordingId, machineId, bootNo, byMs } of changes) {
    const rows = await tx<{ id: string }[]>`
      UPDATE roasts SET start_time = start_time + make_interval(secs => ${byMs / 1000})
      WHERE machine_id = ${machineId} AND recording_id = ${recordingId} AND boot_no = ${bootNo}
      RETURNING id`;
    moved.push(...rows.map((row) => row.id));
  }
  return moved;
};
