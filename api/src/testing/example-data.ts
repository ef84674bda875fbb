import { gzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { artisanFile, drumRoast } from '@roastery/simulator/artisan/artisan-file';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import { startSession } from '../http/sessions.ts';
import { fromNow } from './present.ts';

/** The smallest possible machine map. */
export const exampleMap = {
  v: 1,
  id: 'example',
  maker: 'Maker',
  model: 'Drum 15',
  link: { kind: 'tcp', host: '192.168.0.20' },
  channels: { bean_temp: { at: 'h:6', as: 'i16', scale: 0.1 } },
};

/** A machine of this owner. */
export const addMachine = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = uuidV7();
  await sql`
    INSERT INTO machines (id, owner_id, serial_number, display_name, machine_type, max_capacity_kg)
    VALUES (${id}, ${ownerId}, ${`SN-${id}`}, 'A machine', 'RM15', 15)`;
  return id;
};

/** A machine of this owner that was updated to its map of the catalogue. */
export const addMappedMachine = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = await addMachine(sql, ownerId);
  const channels = { bean_temp: { at: 'i:0' }, exhaust_temp: { at: 'i:1' } };
  await sql`
    UPDATE machines SET map_id = 'rm30', map_rev = 1, map = ${sql.json({ ...exampleMap, id: 'rm30', rev: 1, channels })}
     WHERE id = ${id}`;
  await sql`
    INSERT INTO map_updates (machine_id, map_id, to_rev, from_rev, exchanged) VALUES (${id}, 'rm30', 1, 0, false)`;
  return id;
};

/** A drift of this machine. */
export const addDrift = async (sql: Sql, machineId: string): Promise<string> => {
  const id = uuidV7();
  await sql`
    INSERT INTO machine_drifts (id, machine_id, kind, change, deviation, since)
    VALUES (${id}, ${machineId}, 'burner', -6, 0.7, now())`;
  return id;
};

/** A map of this owner. */
export const addMap = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = `own-${uuidV7()}`;
  await sql`INSERT INTO machine_maps (id, owner_id, rev) VALUES (${id}, ${ownerId}, 1)`;
  await sql`
    INSERT INTO machine_map_revisions (map_id, rev, map, saved_by)
    VALUES (${id}, 1, ${JSON.stringify({ ...exampleMap, id })}::text::json, ${ownerId})`;
  return id;
};

export const exchangedMapId = 'exchanged-map';

/**
 * A machine of this owner with a recording by revision 1 of an own map, whose revision 2 reads bean and exhaust from each
 * other's register. `isStated`: the owner has confirmed it.
 */
export const addExchangedMachine = async (sql: Sql, ownerId: string, isStated: boolean): Promise<string> => {
  await sql`
    INSERT INTO machine_maps (id, owner_id, rev) VALUES (${exchangedMapId}, ${ownerId}, 2) ON CONFLICT DO NOTHING`;
  for (const [rev, bean, exhaust] of [
    [1, 'h:6', 'h:8'],
    [2, 'h:8', 'h:6'],
  ] as const) {
    const map = {
      ...exampleMap,
      id: exchangedMapId,
      rev,
      channels: { bean_temp: { at: bean }, exhaust_temp: { at: exhaust } },
    };
    await sql`
      INSERT INTO machine_map_revisions (map_id, rev, map) VALUES (${exchangedMapId}, ${rev}, ${JSON.stringify(map)}::text::json)
      ON CONFLICT DO NOTHING`;
  }
  const [machineId, recordingId] = [await addMachine(sql, ownerId), uuidV7()];
  await sql`
    INSERT INTO recordings (id, machine_id, epoch, source)
    VALUES (${recordingId}, ${machineId}, ${recordingId.replaceAll('-', '').slice(0, 16)}, 'agent')`;
  await sql`
    INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels)
    VALUES (${recordingId}, 0, ${exchangedMapId}, 1, '{bean_temp,exhaust_temp}')`;
  if (isStated) {
    await sql`
      INSERT INTO channel_exchanges (machine_id, map_id, map_rev, is_exchanged) VALUES (${machineId}, ${exchangedMapId}, 1, true)`;
  }
  return machineId;
};

/** An open pairing ticket of a new machine of this owner; its code is unknown. */
export const addTicket = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = uuidV7();
  await sql`
    INSERT INTO pairing_tickets (id, machine_id, code_hash, expires_at)
    VALUES (${id}, ${await addMachine(sql, ownerId)}, ${Buffer.from(id)}, now() + interval '7 days')`;
  return id;
};

/** A completed roast of a new machine of this owner, without a recording. */
export const addRoast = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = uuidV7();
  const machineId = await addMachine(sql, ownerId);
  await sql`
    INSERT INTO roasts (id, machine_id, owner_id, status, start_time, coffee_name, batch_size_kg)
    VALUES (${id}, ${machineId}, ${ownerId}, 'completed', now(), 'Yirgacheffe', 12)`;
  return id;
};

/** A roast of this owner from a file that is kept, with a time to check. */
export const addTimeToCheck = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = await addRoast(sql, ownerId);
  const recordingId = uuidV7();
  await sql`
    INSERT INTO recordings (id, source, file_name, file_format) VALUES (${recordingId}, 'upload', 'loring.csv', 'loring')`;
  await sql`
    INSERT INTO recording_boots (recording_id, boot_no, boot_id, wall_offset_ms, quality)
    VALUES (${recordingId}, 0, 'file', ${Date.parse('2022-06-14T13:10:29Z')}, 2)`;
  await sql`INSERT INTO times_to_check (recording_id) VALUES (${recordingId})`;
  await sql`
    INSERT INTO recording_files (recording_id, format, choices, content)
    VALUES (${recordingId}, 'csv', '{}', ${gzipSync(exampleCsv(id))})`;
  await sql`
    UPDATE roasts SET recording_id = ${recordingId}, boot_no = 0, start_time = '2022-06-14T13:10:29Z' WHERE id = ${id}`;
  return id;
};

/** A discarded roast of this owner. */
export const addDiscardedRoast = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = await addRoast(sql, ownerId);
  await sql`
    INSERT INTO roast_tombstones (roast_id, kept)
    SELECT id, jsonb_build_object('roast', to_jsonb(r), 'plan_id', NULL, 'favorites', '[]'::jsonb, 'references', '[]'::jsonb)
    FROM roasts r WHERE id = ${id}`;
  await sql`DELETE FROM roasts WHERE id = ${id}`;
  return id;
};

/** A blend of 3 kg of a new roast of this owner. */
export const addBlend = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = uuidV7();
  const roastId = await addRoast(sql, ownerId);
  await sql`INSERT INTO blends (id, owner_id, name) VALUES (${id}, ${ownerId}, 'House blend')`;
  await sql`
    INSERT INTO blend_components (blend_id, place, roast_id, roast_number, kg) VALUES (${id}, 0, ${roastId}, 'PR-1', 3)`;
  return id;
};

/** A waiting plan for a new machine of this owner. */
export const addPlan = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = uuidV7();
  const machineId = await addMachine(sql, ownerId);
  await sql`
    INSERT INTO planned_roasts (id, machine_id, created_by, coffee_name, batch_size_kg)
    VALUES (${id}, ${machineId}, ${ownerId}, 'Yirgacheffe', 12)`;
  return id;
};

export const addWallLink = async (sql: Sql): Promise<string> => {
  const id = uuidV7();
  await sql`INSERT INTO wall_links (id, name, token_hash) VALUES (${id}, 'Roasting room', ${randomBytes(32)})`;
  return id;
};

export const addLot = async (sql: Sql): Promise<string> => {
  const id = uuidV7();
  await sql`
    INSERT INTO lots (id, lot_number, coffee_name, origin, initial_weight, current_weight)
    VALUES (${id}, ${`L-${id}`}, 'Yirgacheffe', 'Ethiopia', 60, 60)`;
  return id;
};

/** A lot that ran low; the id is the lot's. */
export const addLotAlert = async (sql: Sql): Promise<string> => {
  const id = await addLot(sql);
  await sql`INSERT INTO lot_alerts (lot_id) VALUES (${id})`;
  return id;
};

export const addProfile = async (sql: Sql): Promise<string> => {
  const id = uuidV7();
  const points = [
    { time: 0, burner: 100, exhaust: 30, drum: 60 },
    { time: 720, burner: 0, exhaust: 90, drum: 30 },
  ];
  await sql`
    INSERT INTO profiles (id, name, roast_level, target_drop_temp, target_roast_time, control_profile)
    VALUES (${id}, 'House blend', 'Medium', 210, 720, ${sql.json(points)})`;
  return id;
};

export const addOption = async (sql: Sql): Promise<string> => {
  const id = uuidV7();
  await sql`INSERT INTO options (id, category, value, sort_order) VALUES (${id}, 'origin', ${`Origin ${id}`}, 1)`;
  return id;
};

/** A user without sign-ins. */
export const addUser = async (sql: Sql): Promise<string> => {
  const id = uuidV7();
  await sql`
    INSERT INTO users (id, full_name, email, password_hash) VALUES (${id}, 'Other User', ${`${id}@example.com`}, 'none')`;
  return id;
};

/** A session of this user, as if signed in elsewhere. */
export const addSession = async (sql: Sql, userId: string): Promise<string> => {
  await startSession(sql, userId, { address: null, userAgent: null });
  const [row] = await sql<{ id: string }[]>`
    SELECT id FROM sessions WHERE user_id = ${userId} ORDER BY created_at DESC, id DESC LIMIT 1`;
  if (!row) throw new Error('the session just added is not there');
  return row.id;
};

/** The curve of a short roast as CSV, with charge, first crack and drop. */
export const exampleCsv = (unique = uuidV7()): string => {
  const marks = new Map([
    [5, 'Charge'],
    [70, 'First Crack'],
    [110, 'Drop'],
  ]);
  const shift = Number.parseInt(unique.slice(-4), 16) / 65_536 || 0;
  const rows = Array.from({ length: 120 }, (_, k) => {
    const temp = (k < 5 ? 200 : k < 20 ? 200 - (k - 5) * 7 : 95 + (k - 20) * 1.3) + shift;
    return `${k * 5},${temp.toFixed(4)},${marks.get(k) ?? ''}`;
  });
  return ['time (s),BT (°C),event', ...rows].join('\n');
};

/** A roast of an hour ago as Artisan saves it, different each time. */
export const exampleAlog = (): string => artisanFile(drumRoast(fromNow(-3_600_000)));

/** A file that this person uploaded and has not imported. */
export const addUpload = async (sql: Sql, userId: string): Promise<string> => {
  const id = uuidV7();
  const content = Buffer.from(exampleCsv(id));
  await sql`
    WITH upload AS (
      INSERT INTO roast_uploads (id, user_id, file_name, file_sha256)
      VALUES (${id}, ${userId}, 'roast.csv', sha256(${content})))
    INSERT INTO roast_upload_parts (upload_id, part, content) VALUES (${id}, 0, ${content})`;
  return id;
};

/** An open import of this person with one file that was read. */
export const addImport = async (sql: Sql, userId: string): Promise<string> => {
  const id = uuidV7();
  await sql`INSERT INTO roast_imports (id, user_id) VALUES (${id}, ${userId})`;
  await addFileToImport(sql, userId, id);
  return id;
};

/** A finished import of this person that can be undone. */
export const addDoneImport = async (sql: Sql, userId: string): Promise<string> => {
  const id = uuidV7();
  await sql`INSERT INTO roast_imports (id, user_id, state, finished_at) VALUES (${id}, ${userId}, 'done', now())`;
  return id;
};

/** An open import of lots of this person, with a row that can be imported. */
export const addLotImport = async (sql: Sql, userId: string): Promise<string> => {
  const id = uuidV7();
  const csv = Buffer.from(`lot_number,coffee_name,origin,initial_weight\n${id},Guji,Ethiopia,60\n`);
  const columns = ['lot_number', 'coffee_name', 'origin', 'initial_weight'].map((field) => ({
    head: field,
    samples: [],
    field,
    unit: null,
    decimal: null,
    date_order: null,
    is_order_open: false,
    notes: [],
  }));
  await sql`
    INSERT INTO lot_imports (id, user_id, file_name, reading)
    VALUES (${id}, ${userId}, 'lots.csv', ${sql.json({ sheet: null, sheets: [], columns, notes: [] })})`;
  await sql`INSERT INTO lot_import_parts (import_id, part, content) VALUES (${id}, 0, ${csv})`;
  const values = { lot_number: id, coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: 60 };
  await sql`INSERT INTO lot_import_rows (import_id, line, "values") VALUES (${id}, 2, ${sql.json(values)})`;
  return id;
};

/** A finished import of lots of this person that can be undone. */
export const addDoneLotImport = async (sql: Sql, userId: string): Promise<string> => {
  const id = await addLotImport(sql, userId);
  await sql`UPDATE lot_imports SET state = 'done', finished_at = now() WHERE id = ${id}`;
  return id;
};

/** A file of an import that was read, and can be imported. */
export const addFileToImport = async (sql: Sql, userId: string, importId: string): Promise<string> => {
  const id = await addUpload(sql, userId);
  await sql`UPDATE roast_uploads SET import_id = ${importId} WHERE id = ${id}`;
  await sql`
    INSERT INTO roast_import_files (id, import_id, file_name, size_bytes, file_sha256, state, format, coffee_name, start_time,
                                    has_charge, curve_sha256)
    SELECT id, ${importId}, file_name, 1000, file_sha256, 'read', 'csv', 'Guji', '2026-11-21T07:40:00Z', true, file_sha256
    FROM roast_uploads WHERE id = ${id}`;
  return id;
};

/** A refused message of a machine of this owner that can be stored now. */
export const addQuarantined = async (sql: Sql, ownerId: string): Promise<string> => {
  const id = uuidV7();
  const machineId = await addMachine(sql, ownerId);
  const batch = {
    v: 1,
    k: 'samples',
    epoch: '00112233445566aa',
    seq: 0,
    boot: id,
    synced: true,
    t: 1_790_000_000_000,
    mono: 5000,
    map: { id: 'example', rev: 1 },
    dt: [0],
    ch: ['bean_temp'],
    s: [[100.5]],
  };
  await sql`
    INSERT INTO quarantine (id, topic, serial_number, machine_id, reason, payload)
    VALUES (${id}, 'roastery/v1/x/journal', ${`SN-${machineId}`}, ${machineId}, 'example',
            ${Buffer.from(JSON.stringify(batch))})`;
  return id;
};

/** A rule of a machine or of a recipe. */
export const addAlarmRule = async (
  sql: Sql,
  { machineId = null, profileId = null }: { machineId?: string | null; profileId?: string | null },
): Promise<string> => {
  const id = uuidV7();
  await sql`
    INSERT INTO alarm_rules (id, machine_id, profile_id, armed_after, condition, message, colour, sound, push)
    VALUES (${id}, ${machineId}, ${profileId}, 'charge', ${sql.json({ kind: 'time', after: 'charge', seconds: 60 })},
            'Open the air', 'amber', true, false)`;
  return id;
};

/** A browser of this user that receives alarms. */
export const addPushSubscription = async (sql: Sql, userId: string): Promise<string> => {
  const id = uuidV7();
  await sql`
    INSERT INTO push_subscriptions (id, user_id, session_id, endpoint, p256dh, auth)
    VALUES (${id}, ${userId}, ${await addSession(sql, userId)}, ${`https://updates.push.services.mozilla.com/${id}`}, 'x', 'y')`;
  return id;
};

/** An unacknowledged alarm of this roast. */
export const addAlarm = async (sql: Sql, roastId: string): Promise<string> => {
  const id = uuidV7();
  await sql`
    INSERT INTO roast_alarms (id, roast_id, machine_id, kind, occurrence, channel, colour, sound, mono_ms, happened_at, is_late)
    SELECT ${id}::uuid, id, machine_id, 'frozen', 'frozen bean_temp 1', 'bean_temp', 'red', true, 1, now(), false
    FROM roasts WHERE id = ${roastId}`;
  return id;
};
