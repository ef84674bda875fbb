import type { ChannelExchange, ChannelExchanges } from '@roastery/contract/channel-exchanges';
import { storedMapShape, type MachineMap } from '@roastery/contract/machine-map';
import { parseShape } from '@roastery/contract/parse-shape';
import type { Sql } from '../../db/sql.ts';
import { exchangedRevs, readCatalogueMap } from '../machine-maps/catalogue.ts';

interface RecordedRevision {
  readonly map_id: string;
  readonly map_rev: number;
  readonly is_exchanged: boolean | null;
  readonly stated_at: string | null;
  readonly stated_by_name: string | null;
}

/** The map revisions of a machine's recordings, and what was said about them. */
const recordedRevisions = (sql: Sql, machineId: string) => sql<RecordedRevision[]>`
  SELECT DISTINCT l.map_id, l.map_rev, e.is_exchanged, e.stated_at, p.full_name AS stated_by_name
  FROM recorded_layouts l
  LEFT JOIN channel_exchanges e ON e.machine_id = l.machine_id AND e.map_id = l.map_id AND e.map_rev = l.map_rev
  LEFT JOIN users p ON p.id = e.stated_by
  WHERE l.machine_id = ${machineId} AND l.channels && '{bean_temp,exhaust_temp}'
  ORDER BY l.map_id, l.map_rev`;

type CountedRevision = Pick<ChannelExchange, 'map_id' | 'map_rev' | 'roasts' | 'first_at' | 'last_at'>;

/** Their roasts, by the layout at the beginning of each. Reads each roast of their recordings. */
const countRoasts = (sql: Sql, machineId: string, revisions: readonly RecordedRevision[]) => sql<CountedRevision[]>`
  WITH used AS (
    SELECT l.recording_id, l.layout_no, l.map_id, l.map_rev
    FROM unnest(${revisions.map((row) => row.map_id)}::text[], ${revisions.map((row) => row.map_rev)}::int[])
      AS wanted (map_id, map_rev)
    JOIN recorded_layouts l ON l.map_id = wanted.map_id AND l.map_rev = wanted.map_rev
    WHERE l.machine_id = ${machineId}),
  began AS (
    SELECT r.recording_id, r.start_time,
           layout_at(r.recording_id, coalesce(b.begin_seq, r.charge_seq)) AS layout_no
    FROM roasts r LEFT JOIN board_roasts b ON b.id = r.id
    WHERE r.machine_id = ${machineId} AND r.recording_id IN (SELECT recording_id FROM used))
  SELECT u.map_id, u.map_rev, count(b.recording_id) AS roasts, min(b.start_time) AS first_at, max(b.start_time) AS last_at
  FROM used u LEFT JOIN began b ON b.recording_id = u.recording_id AND b.layout_no = u.layout_no
  GROUP BY u.map_id, u.map_rev`;

interface KnownMap {
  readonly maker: string;
  readonly model: string;
  readonly exchanged: readonly number[];
}

const isExchangedIn = (old: MachineMap, newest: MachineMap): boolean => {
  const [bean, exhaust] = [newest.channels['bean_temp']?.at, newest.channels['exhaust_temp']?.at];
  return (
    bean !== undefined &&
    exhaust !== undefined &&
    bean !== exhaust &&
    old.channels['bean_temp']?.at === exhaust &&
    old.channels['exhaust_temp']?.at === bean
  );
};

/** An own map: revisions that read bean and exhaust from each other's register, compared with the newest one. */
const readOwnMap = async (sql: Sql, id: string): Promise<KnownMap | undefined> => {
  const rows = await sql<{ rev: number; map: unknown }[]>`
    SELECT rev, map FROM machine_map_revisions WHERE map_id = ${id} ORDER BY rev`;
  const revisions = rows.flatMap(({ rev, map }) => {
    const { data } = parseShape(storedMapShape, map);
    return data === undefined ? [] : [{ rev, map: data }];
  });
  const newest = revisions.at(-1)?.map;
  if (newest === undefined) return undefined;
  const exchanged = revisions.filter(({ map }) => isExchangedIn(map, newest)).map(({ rev }) => rev);
  return { maker: newest.maker, model: newest.model, exchanged };
};

const readMap = async (sql: Sql, id: string): Promise<KnownMap | undefined> => {
  const ofCatalogue = await readCatalogueMap(id);
  if (ofCatalogue === undefined) return readOwnMap(sql, id);
  const { maker, model } = ofCatalogue.map;
  return { maker, model, exchanged: await exchangedRevs(id) };
};

const stateOf = (row: RecordedRevision, map: KnownMap | undefined): ChannelExchange['state'] | undefined => {
  if (row.is_exchanged !== null) return row.is_exchanged ? 'exchanged' : 'right';
  return map?.exchanged.includes(row.map_rev) === true ? 'proposed' : undefined;
};

/** Revisions of a machine's recordings that are proposed, and those that something was said about. */
export const readRevisions = async (sql: Sql, machineId: string): Promise<ChannelExchange[]> => {
  const rows = await recordedRevisions(sql, machineId);
  const maps = new Map<string, KnownMap | undefined>();
  for (const { map_id: id } of rows) if (!maps.has(id)) maps.set(id, await readMap(sql, id));
  const shown = rows.flatMap((row) => {
    const map = maps.get(row.map_id);
    const state = stateOf(row, map);
    return state === undefined ? [] : [{ row, map, state }];
  });
  if (shown.length === 0) return [];
  const counts = await countRoasts(
    sql,
    machineId,
    shown.map(({ row }) => row),
  );
  return shown.map(({ row: { is_exchanged: _stated, ...row }, map, state }) => {
    const counted = counts.find(({ map_id, map_rev }) => map_id === row.map_id && map_rev === row.map_rev);
    const { roasts, first_at, last_at } = counted ?? { roasts: 0, first_at: null, last_at: null };
    return { ...row, roasts, first_at, last_at, maker: map?.maker ?? '', model: map?.model ?? row.map_id, state };
  });
};

export const readExchanges = async (sql: Sql, machineId: string): Promise<ChannelExchanges> => {
  const revisions = await readRevisions(sql, machineId);
  const [counts] = await sql<Omit<ChannelExchanges, 'revisions'>[]>`
    SELECT
      (SELECT count(*) FROM marks_to_follow q JOIN recordings c ON c.id = q.recording_id
       WHERE c.machine_id = ${machineId} AND q.times = 0) AS pending,
      (SELECT count(DISTINCT r.id) FROM recordings c JOIN roasts r ON r.recording_id = c.id
       JOIN replaced_marks p ON p.roast_id = r.id JOIN roast_marks w ON w.id = p.id
       WHERE c.machine_id = ${machineId} AND p.kind = 'charge' AND p.origin = 'detector' AND p.event_seq IS NOT NULL)
        AS without_new_marks`;
  return { revisions, pending: counts?.pending ?? 0, without_new_marks: counts?.without_new_marks ?? 0 };
};
