import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import { clockQuality, type ClockQuality, type WallClock } from './wall-clock.ts';
import { parseMultirange, type SeqRanges } from './seq-ranges.ts';

/** A stream's row in `recordings`, locked for the transaction, with its boots and column layouts. */
export interface Stream {
  readonly recordingId: string;
  readonly machineId: string;
  readonly epoch: string;
  committed: SeqRanges;
  readonly boots: Map<string, { bootNo: number; clock: WallClock | undefined }>;
  /** By `layoutKey`. */
  readonly layouts: Map<string, number>;
}

export interface StreamKey {
  readonly machineId: string;
  readonly epoch: string;
}

export const keyOf = ({ machineId, epoch }: StreamKey): string => `${machineId}/${epoch}`;

export const layoutKey = (map: { id: string; rev: number }, channels: readonly string[]): string =>
  JSON.stringify([map.id, map.rev, channels]);

/**
 * Locks the rows of these streams, making those that are new. Keys are taken in one order everywhere, so that instances
 * which share streams wait for each other instead of deadlocking.
 */
export const lockStreams = async (tx: Sql, keys: readonly StreamKey[]): Promise<Map<string, Stream>> => {
  const sorted = [...new Map(keys.map((key) => [keyOf(key), key])).values()].sort((a, b) =>
    keyOf(a) < keyOf(b) ? -1 : 1,
  );
  const machineIds = sorted.map((key) => key.machineId);
  const epochs = sorted.map((key) => key.epoch);
  const lock = () => tx<{ id: string; machine_id: string; epoch: string; committed: string }[]>`
    SELECT r.id, r.machine_id, r.epoch, r.committed::text AS committed
    FROM recordings r
    JOIN unnest(${machineIds}::uuid[], ${epochs}::text[]) AS wanted (machine_id, epoch)
      ON wanted.machine_id = r.machine_id AND wanted.epoch = r.epoch
    ORDER BY r.machine_id, r.epoch
    FOR NO KEY UPDATE OF r`;
  let rows = await lock();
  if (rows.length < sorted.length) {
    await tx`
      INSERT INTO recordings (id, machine_id, epoch, source)
      SELECT id, machine_id, epoch, 'agent'
      FROM unnest(${sorted.map(() => uuidV7())}::uuid[], ${machineIds}::uuid[], ${epochs}::text[])
        AS made (id, machine_id, epoch)
      ORDER BY machine_id, epoch
      ON CONFLICT (machine_id, epoch) DO NOTHING`;
    rows = await lock();
  }
  const streams = new Map<string, Stream>(
    rows.map((row) => [
      row.id,
      {
        recordingId: row.id,
        machineId: row.machine_id,
        epoch: row.epoch,
        committed: parseMultirange(row.committed),
        boots: new Map(),
        layouts: new Map(),
      },
    ]),
  );
  await readBootsAndLayouts(tx, streams);
  return new Map([...streams.values()].map((stream) => [keyOf(stream), stream]));
};

const readBootsAndLayouts = async (tx: Sql, streams: ReadonlyMap<string, Stream>): Promise<void> => {
  const ids = [...streams.keys()];
  // Sent together: the connection is one, so they run in this order without waiting for each other's answer.
  const [boots, layouts] = await Promise.all([
    tx<{ recording_id: string; boot_no: number; boot_id: string; wall_offset_ms: number; quality: number }[]>`
      SELECT recording_id, boot_no, boot_id, wall_offset_ms, quality FROM recording_boots
      WHERE recording_id = ANY(${ids}::uuid[])`,
    tx<{ recording_id: string; layout_no: number; map_id: string; map_rev: number; channels: string[] }[]>`
      SELECT recording_id, layout_no, map_id, map_rev, channels FROM recording_layouts
      WHERE recording_id = ANY(${ids}::uuid[])`,
  ]);
  for (const row of boots) {
    const quality = Object.values(clockQuality).find((value) => value === row.quality) ?? clockQuality.received;
    const clock = { offsetMs: row.wall_offset_ms, quality: quality satisfies ClockQuality };
    streams.get(row.recording_id)?.boots.set(row.boot_id, { bootNo: row.boot_no, clock });
  }
  for (const row of layouts) {
    const key = layoutKey({ id: row.map_id, rev: row.map_rev }, row.channels);
    streams.get(row.recording_id)?.layouts.set(key, row.layout_no);
  }
};
