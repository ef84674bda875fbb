import { createHash } from 'node:crypto';
import type { UploadChoices } from '@roastery/contract/imports';
import type { MachineFile } from '@roastery/contract/machine-files';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { DeviceContext } from '../../../context.ts';
import { boardActor, recordAudit } from '../../../db/audit.ts';
import type { Sql } from '../../../db/sql.ts';
import { notFound } from '../../../http/app-error.ts';
import { historyOwner } from '../../../identity/machines.ts';
import { refusedFile } from '../imported-roast.ts';
import { type FileRecording, readRecording } from '../file-jobs.ts';
import { findDoubts } from '../machine-figures.ts';
import { withTimeZone } from '../uploads.ts';
import { createFileRoast, factsOf, giveRoastFile, type SentFile, windowInFile } from './file-roast.ts';
import { hasDeletedRoast, joinPieces, liveRoastsOf } from './live-roasts.ts';

const dayMs = 86_400_000;

const known = async (sql: Sql, machineId: string, sha256: Buffer): Promise<MachineFile | undefined> => {
  const [row] = await sql<{ roast_id: string | null; outcome: string }[]>`
    SELECT roast_id, outcome FROM machine_files WHERE machine_id = ${machineId} AND file_sha256 = ${sha256}`;
  if (row === undefined) return undefined;
  return row.outcome === 'deleted'
    ? { outcome: 'deleted', roast_id: null }
    : { outcome: 'known', roast_id: row.roast_id };
};

const placed = (fileName: string, sha256: Buffer, recording: FileRecording, choices: UploadChoices): SentFile => {
  if (recording.source.format !== 'alog') throw refusedFile('This is not an Artisan roast file (.alog).');
  const window = windowInFile(recording);
  if (window === undefined) throw refusedFile('The file marks no charge and none was detected.');
  const { startedAtMs } = recording;
  if (startedAtMs === undefined) throw refusedFile('The file doesn’t say when it was roasted.');
  if (startedAtMs > Date.now() + dayMs) {
    throw refusedFile('The start is more than a day in the future. Check the clock of the computer that runs Artisan.');
  }
  return {
    fileName,
    sha256,
    recording,
    choices,
    startedAtMs,
    chargeAtMs: startedAtMs + window.from,
    dropAtMs: startedAtMs + window.to,
  };
};

interface EarlierVersion {
  roast_id: string | null;
  facts: Record<string, string | number | null>;
  /** The roast that it is part of now: a person may have merged it. */
  stands: boolean;
  part_of: string | null;
}

/** The newest earlier version of this file, found by Artisan's id of the roast, else by its time. */
const earlierVersion = async (tx: Sql, machineId: string, file: SentFile): Promise<EarlierVersion | undefined> => {
  const { sourceId, curveSha256 } = file.recording;
  const [row] = await tx<EarlierVersion[]>`
    SELECT f.roast_id, f.facts, EXISTS (SELECT FROM roasts r WHERE r.id = f.roast_id) AS stands,
           (SELECT s.roast_id FROM roast_sources s JOIN roasts r ON r.id = s.roast_id
            WHERE s.board_roast_id = f.roast_id AND s.is_merged LIMIT 1) AS part_of
    FROM machine_files f
    WHERE f.machine_id = ${machineId} AND f.source_id IS NOT DISTINCT FROM ${sourceId}
      AND (f.curve_sha256 = ${Buffer.from(curveSha256)}
        OR f.charge_at < ${new Date(file.dropAtMs)} AND f.drop_at > ${new Date(file.chargeAtMs)})
    ORDER BY f.received_at DESC, f.id DESC LIMIT 1`;
  return row;
};

/** A roast of this machine, or of its owner without a machine, that a person imported from the same file or curve. */
const importedByHand = async (tx: Sql, machineId: string, file: SentFile): Promise<string | undefined> => {
  const [row] = await tx<{ id: string }[]>`
    SELECT r.id FROM recordings c JOIN roasts r ON r.recording_id = c.id
    WHERE (c.file_sha256 = ${file.sha256} OR c.curve_sha256 = ${Buffer.from(file.recording.curveSha256)})
      AND (r.machine_id = ${machineId}
        OR r.machine_id IS NULL AND r.owner_id = (SELECT owner_id FROM machines WHERE id = ${machineId}))
    ORDER BY r.created_at, r.id LIMIT 1`;
  return row?.id;
};

type Taken = MachineFile & { readonly changed?: readonly string[] };

const takeFile = async (tx: Sql, machineId: string, file: SentFile): Promise<Taken> => {
  const earlier = await earlierVersion(tx, machineId, file);
  if (earlier !== undefined) {
    if (earlier.roast_id === null) return { outcome: 'deleted', roast_id: null };
    if (earlier.stands) {
      const changed = await giveRoastFile(tx, earlier.roast_id, file, earlier.facts);
      return { outcome: 'updated', roast_id: earlier.roast_id, changed };
    }
    return earlier.part_of === null
      ? { outcome: 'deleted', roast_id: null }
      : { outcome: 'known', roast_id: earlier.part_of };
  }
  const imported = await importedByHand(tx, machineId, file);
  if (imported !== undefined) return { outcome: 'known', roast_id: imported };
  const [live, ...pieces] = await liveRoastsOf(tx, machineId, file);
  if (live !== undefined) {
    await joinPieces(tx, live, pieces);
    return { outcome: 'joined', roast_id: live, changed: await giveRoastFile(tx, live, file, {}) };
  }
  if (await hasDeletedRoast(tx, machineId, file)) return { outcome: 'deleted', roast_id: null };
  return { outcome: 'created', roast_id: await createFileRoast(tx, machineId, file) };
};

const auditActions = {
  created: 'roast.imported',
  joined: 'roast.file_joined',
  updated: 'roast.file_updated',
} as const;

/** The contents that were never stored for this machine, or were lost with the database. */
export const findMissingFiles = async (
  { sql, machine }: DeviceContext,
  sha256: readonly string[],
): Promise<{ owner: string; missing: string[] }> => {
  const rows = await sql<{ sha256: string }[]>`
    SELECT encode(file_sha256, 'hex') AS sha256 FROM machine_files
    WHERE machine_id = ${machine.id}
      AND file_sha256 IN (SELECT decode(hex, 'hex') FROM unnest(${[...sha256]}::text[]) AS hex)`;
  const there = new Set(rows.map((row) => row.sha256));
  const [row] = await sql<{ owner_id: string }[]>`SELECT owner_id FROM machines WHERE id = ${machine.id}`;
  if (row === undefined) throw notFound('Machine');
  return { owner: historyOwner(machine.id, row.owner_id), missing: sha256.filter((hex) => !there.has(hex)) };
};

/**
 * Stores a file that Artisan saved for this machine. The same content is stored once, however often it is sent; a newer
 * version of a file changes its roast, and the file of a roast that was recorded live replaces its recording. Throws
 * `validation` with a sentence if it can't be read.
 */
export const takeMachineFile = async (
  { sql, files, machine, address }: DeviceContext,
  fileName: string,
  content: Uint8Array,
): Promise<MachineFile> => {
  const sha256 = createHash('sha256').update(content).digest();
  const before = await known(sql, machine.id, sha256);
  if (before !== undefined) return before;
  const choices = await withTimeZone(sql, {});
  const recording = await files.run(readRecording, `machine ${machine.id}`, content, choices);
  const file = placed(fileName, sha256, recording, choices);
  // No person is asked: the roast is kept, and the person reads it with the file.
  const doubts = (await findDoubts(sql, recording.figures, machine.id)).map(({ sentence }) => sentence);
  return sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`files of ${machine.id}`}, 0))`;
    // Ingest locks a recording while it creates roasts from it: each transaction sees the other's result.
    await tx`
      SELECT 1 FROM recordings WHERE machine_id = ${machine.id} AND source = 'agent' ORDER BY id FOR NO KEY UPDATE`;
    const again = await known(tx, machine.id, sha256);
    if (again !== undefined) return again;
    const { outcome, roast_id: roastId, changed = [] } = await takeFile(tx, machine.id, file);
    await tx`
      INSERT INTO machine_files (id, machine_id, file_name, file_sha256, curve_sha256, source_id, charge_at, drop_at, outcome,
                                 roast_id, facts)
      VALUES (${uuidV7()}, ${machine.id}, ${fileName}, ${sha256}, ${Buffer.from(recording.curveSha256)},
              ${recording.sourceId}, ${new Date(file.chargeAtMs)}, ${new Date(file.dropAtMs)}, ${outcome}, ${roastId},
              ${tx.json(factsOf(file))})`;
    if (outcome === 'created' || outcome === 'joined' || outcome === 'updated') {
      await recordAudit(tx, boardActor(machine.serial_number, address), {
        action: auditActions[outcome],
        subject: roastId,
        detail: { file_name: fileName, ...(outcome === 'created' ? {} : { fields: [...changed] }) },
      });
    }
    const isStored = outcome === 'created' || outcome === 'joined' || outcome === 'updated';
    return { outcome, roast_id: roastId, ...(isStored && doubts.length > 0 && { doubts: [...doubts] }) };
  });
};
