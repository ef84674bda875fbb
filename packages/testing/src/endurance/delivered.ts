import postgres from 'postgres';
import { readStoredSamples } from './stored-recording.ts';

/** All data that boards delivered, comparable between databases. */
export interface Delivered {
  readonly epochs: readonly string[];
  /** By stream and sequence number. */
  readonly samples: ReadonlyMap<string, string>;
  /** Samples that are stored more than once. */
  readonly doubled: number;
  /** Completed roasts and their marks: a running one keeps changing. */
  readonly roasts: readonly string[];
  readonly marks: readonly string[];
  /** The status of a roast; undefined when there is none of that id. */
  statusOf(roastId: string): string | undefined;
}

const lines = async (rows: PromiseLike<readonly postgres.Row[]>): Promise<string[]> =>
  (await rows).map((row) => JSON.stringify(row));

export const readDelivered = async (databaseUrl: string): Promise<Delivered> => {
  const sql = postgres(databaseUrl, { max: 1 });
  try {
    return await sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (tx) => {
      const recordings = await tx<{ id: string; epoch: string }[]>`
        SELECT id, epoch FROM recordings WHERE source = 'agent' ORDER BY epoch`;
      const samples = new Map<string, string>();
      let stored = 0;
      for (const { id, epoch } of recordings) {
        for (const { seq, mono, values } of await readStoredSamples(tx, id)) {
          samples.set(`${epoch}/${seq}`, JSON.stringify([mono, values]));
          stored += 1;
        }
      }
      const statuses = new Map(
        (await tx<{ id: string; status: string }[]>`SELECT id, status FROM roasts`).map(({ id, status }) => [
          id,
          status,
        ]),
      );
      return {
        epochs: recordings.map(({ epoch }) => epoch),
        samples,
        doubled: stored - samples.size,
        roasts: await lines(tx`
          SELECT id, charge_mono_ms, drop_mono_ms, charge_temp, drop_temp, duration_seconds FROM roasts
          WHERE status = 'completed' ORDER BY id`),
        marks: await lines(tx`
          SELECT m.roast_id, m.kind, m.at_seq, m.mono_ms, m.temp, m.event_seq
          FROM roast_marks m JOIN roasts r ON r.id = m.roast_id
          WHERE m.event_seq IS NOT NULL AND r.status = 'completed' ORDER BY m.roast_id, m.event_seq, m.kind`),
        statusOf: (roastId: string) => statuses.get(roastId),
      };
    });
  } finally {
    await sql.end();
  }
};

export interface Differences {
  readonly samples: number;
  readonly doubled: number;
  readonly marks: number;
  readonly roasts: number;
}

/** How much of the earlier data is missing or different now. */
export const differences = (before: Delivered, now: Delivered): Differences => {
  const [marks, roasts] = [new Set(now.marks), new Set(now.roasts)];
  return {
    samples: [...before.samples].filter(([key, value]) => now.samples.get(key) !== value).length,
    doubled: now.doubled,
    marks: before.marks.filter((row) => !marks.has(row)).length,
    roasts: before.roasts.filter((row) => !roasts.has(row)).length,
  };
};
