import type { ChannelCheck } from '@roastery/contract/channel-check';
import { storedMapShape, type MachineMap } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import type { Sql } from '../../db/sql.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { exchangedChannel } from '@roastery/contract/channels';
import { machineAccess } from '../../identity/access.ts';
import { findPlace, readClocks, readSamples } from '../../recordings/recordings.ts';
import { findManagedMachine } from '../../identity/machines.ts';

/** Bean and exhaust temperature of a machine `m` were confirmed: for its map as long as that has the same registers. */
const isConfirmed = (sql: Sql) => sql`
  EXISTS (SELECT FROM confirmed_channels k
           WHERE k.map_id = m.map_id AND k.bean_at = m.map #>> '{channels,bean_temp,at}'
             AND k.exhaust_at = m.map #>> '{channels,exhaust_temp,at}')`;

/**
 * In how many roasts the two look exchanged, as the board of a machine `m` last reported it; null if the machine has
 * another map since, or a person has confirmed them.
 */
export const exchangedRoasts = (sql: Sql) => sql`
  CASE WHEN (m.map_id IS NULL
             OR (m.status #> '{channels_exchanged,map}') = jsonb_build_object('id', m.map_id, 'rev', m.map_rev))
            AND NOT ${isConfirmed(sql)}
       THEN (m.status #>> '{channels_exchanged,roasts}')::integer END`;

/** Whether the manager of a machine `m` is asked about its bean and exhaust temperature. */
export const asksChannels = (sql: Sql, user: SignedInUser) => sql`
  (m.map #> '{channels,bean_temp}' IS NOT NULL AND m.map #> '{channels,exhaust_temp}' IS NOT NULL
   AND ${machineAccess(sql, user, 'manage')} AND NOT ${isConfirmed(sql)}
   AND (${exchangedRoasts(sql)} IS NOT NULL
        OR EXISTS (SELECT FROM machine_maps p WHERE p.id = m.map_id AND p.check_channels)))`;

interface Row {
  readonly map: unknown;
  readonly suspected: boolean;
  readonly asks: boolean;
  readonly origin: 'copy' | 'artisan_settings' | 'other' | null;
  readonly owner_id: string | null;
  readonly newest: number | null;
}

/** Readings older than this are not those of the machine now. Between roasts a board sends them once a minute. */
const presentMs = 150_000;

/** The newest readings of a machine by the names of this map, if the board read them with that. */
const readPresent = async (sql: Sql, machineId: string, map: MachineMap) => {
  const [recording] = await sql<{ id: string }[]>`
    SELECT id FROM recordings WHERE machine_id = ${machineId} AND epoch IS NOT NULL
    ORDER BY last_received_at DESC NULLS LAST LIMIT 1`;
  const place = recording && (await findPlace(sql, [recording.id], 'newest'));
  if (place === undefined || place.stored_ago_ms > presentMs) return undefined;
  const { recording_id: recordingId, at_seq: seq, boot_no: bootNo } = place;
  const [layout] = await sql<{ map_id: string; map_rev: number; is_exchanged: boolean }[]>`
    SELECT map_id, map_rev, is_exchanged FROM recorded_layouts
    WHERE recording_id = ${recordingId} AND layout_no = layout_at(${recordingId}, ${seq})`;
  if (layout?.map_id !== map.id || layout.map_rev !== map.rev) return undefined;
  const { channels } = await readSamples(sql, { recordingId, fromSeq: seq, toSeq: seq });
  const clock = (await readClocks(sql, recordingId, [bootNo])).get(bootNo);
  const sent = (name: string) => channels.get(layout.is_exchanged ? exchangedChannel(name) : name)?.at(-1) ?? null;
  return {
    bean: sent('bean_temp'),
    exhaust: sent('exhaust_temp'),
    read_at: clock === undefined ? null : new Date(clock.offsetMs + place.mono_ms).toISOString(),
  };
};

/** Whether an exchange needs an own copy: only the newest revision of a map that the caller may edit gets a next one. */
export const needsCopy = (
  user: SignedInUser,
  map: MachineMap,
  { owner_id: ownerId, newest }: { readonly owner_id: string | null; readonly newest: number | null },
): boolean => ownerId === null || !(user.is_admin || ownerId === user.id) || newest !== map.rev;

const otherMachines = async (sql: Sql, user: SignedInUser, id: string, mapId: string) => {
  const rows = await sql<{ display_name: string; may_see: boolean }[]>`
    SELECT m.display_name, ${machineAccess(sql, user)} AS may_see FROM machines m
     WHERE m.map_id = ${mapId} AND m.id <> ${id} AND m.archived_at IS NULL ORDER BY lower(m.display_name), m.id`;
  const names = rows.filter((row) => row.may_see).map((row) => row.display_name);
  return { names, hidden: rows.length - names.length };
};

const noOthers = { names: [], hidden: 0 };

export const readChannelCheck = async (sql: Sql, user: SignedInUser, id: string): Promise<ChannelCheck> => {
  await findManagedMachine(sql, user, id);
  const [row] = await sql<Row[]>`
    SELECT m.map, ${exchangedRoasts(sql)} IS NOT NULL AS suspected, ${asksChannels(sql, user)} AS asks,
           p.origin, p.owner_id, p.rev AS newest
      FROM machines m LEFT JOIN machine_maps p ON p.id = m.map_id WHERE m.id = ${id}`;
  if (!row) throw new Error('the machine just found is not there');
  const { suspected, asks } = row;
  if (row.map === null) {
    const none = { map: null, bean: null, exhaust: null, read_at: null };
    return { ...none, suspected, asks, makes_copy: false, others: noOthers };
  }
  const map = parseOrThrow(storedMapShape, row.map);
  const present = await readPresent(sql, id, map);
  const placeOf = (channel: 'bean_temp' | 'exhaust_temp', value: number | null | undefined) => {
    const found = map.channels[channel];
    return found === undefined ? null : { at: found.at, value: value ?? null };
  };
  const makesCopy = needsCopy(user, map, row);
  return {
    map: { id: map.id, rev: map.rev, maker: map.maker, model: map.model, source: row.origin ?? 'catalogue' },
    bean: placeOf('bean_temp', present?.bean),
    exhaust: placeOf('exhaust_temp', present?.exhaust),
    read_at: present?.read_at ?? null,
    suspected,
    asks,
    makes_copy: makesCopy,
    others: makesCopy ? noOthers : await otherMachines(sql, user, id, map.id),
  };
};
