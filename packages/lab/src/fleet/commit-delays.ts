import type postgres from 'postgres';

/** For `readCommitDelays`: Postgres notes when it committed a transaction. */
export const notingCommits = { track_commit_timestamp: 'on' };

export interface CommitDelays {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Measured {
  readonly samplesPerBatch: number;
  /** Boards gather their seconds: the last one of a batch is published at once. */
  readonly isGathered?: boolean;
  /** When its batch arrived, ms since 1970. */
  readonly from: number;
  readonly to: number;
}

/**
 * How long the seconds of the boards of `registerBoards` took from their publication to their commit, as Postgres notes it: just
 * before it syncs the transaction, and before the api hears of it. A resend counts from the first time. Infinity without any.
 */
export const readCommitDelays = async (
  sql: postgres.Sql,
  { samplesPerBatch, isGathered = false, from, to }: Measured,
): Promise<CommitDelays> => {
  const [row] = await sql<{ p50: number | null; p99: number | null }[]>`
    SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) AS p99
    FROM (
      SELECT (extract(epoch FROM pg_xact_commit_timestamp(c.xmin)) * 1000 - c.mono_ms - cut.dt)::float8 AS ms
      FROM recordings r
        JOIN machines m ON m.id = r.machine_id AND m.serial_number LIKE 'FLEET-%'
        JOIN recording_chunks c ON c.recording_id = r.id
        CROSS JOIN LATERAL unnest(c.dt_ms) WITH ORDINALITY AS cut (dt, place)
      WHERE c.received_at BETWEEN ${new Date(from)} AND ${new Date(to)}
        AND CASE WHEN ${isGathered} THEN cut.place = cardinality(c.dt_ms) + 1 - ${samplesPerBatch}::int
          ELSE (cut.place - 1) % ${samplesPerBatch}::int = 0 END) AS delays`;
  return { p50Ms: row?.p50 ?? Infinity, p99Ms: row?.p99 ?? Infinity };
};
