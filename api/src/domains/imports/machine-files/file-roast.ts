import { randomUUID } from 'node:crypto';
import type { UploadChoices } from '@roastery/contract/imports';
import { markOf } from '@roastery/roasting/marks';
import { nearestSample } from '@roastery/roasting/artisan/alog-controls';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../../../db/sql.ts';
import { lockRecordingOf } from '../../roasts/life/lock-roast.ts';
import { refreshRoasts } from '../../roasts/life/recompute-roast.ts';
import { nameRoaster } from '../../planned/batch-number.ts';
import { insertFileMarks } from '../create-roast-from-upload.ts';
import { batchName } from '../imported-roast.ts';
import type { FileRecording } from '../file-jobs.ts';
import { readClocks, storeFile } from '../../../recordings/recordings.ts';

/** A file from a machine's computer, after reading. */
export interface SentFile {
  readonly fileName: string;
  readonly sha256: Buffer;
  readonly recording: FileRecording;
  /** With which it was read. */
  readonly choices: UploadChoices;
  /** Wall clock of the recording's 0, ms. */
  readonly startedAtMs: number;
  readonly chargeAtMs: number;
  readonly dropAtMs: number;
}

/** The facts in a file that a person can change, by column. */
export const factColumns = [
  'coffee_name',
  'coffee_origin',
  'coffee_process',
  'roasted_by',
  'batch_size_kg',
  'end_weight_kg',
  'notes',
  'cupping_score',
  'color',
] as const;
export type FileFacts = Partial<Record<(typeof factColumns)[number], string | number | null>>;

export const factsOf = ({ recording }: Pick<SentFile, 'recording'>): FileFacts =>
  Object.fromEntries(factColumns.map((column) => [column, recording.facts[column]]));

const isSame = (a: unknown, b: unknown): boolean => (a ?? null) === (b ?? null);

/**
 * The facts that the file may set: those with the value of its last version, or that were empty without one. A roasted
 * weight above the green weight is a typing error and ignored.
 */
export const settableFacts = (now: FileFacts, before: FileFacts, next: FileFacts): FileFacts => {
  const set: FileFacts = Object.fromEntries(
    factColumns
      .filter((column) => isSame(now[column], before[column]) && !isSame(now[column], next[column]))
      .map((column) => [column, next[column] ?? null]),
  );
  const { batch_size_kg: green, end_weight_kg: roasted, ...others } = { ...now, ...set };
  const isPossible = typeof green !== 'number' || typeof roasted !== 'number' || roasted <= green;
  if (isPossible) return set;
  return Object.fromEntries(Object.entries(set).filter(([column]) => column in others || column === 'batch_size_kg'));
};

const store = (tx: Sql, { fileName, sha256, recording, startedAtMs, choices }: SentFile) =>
  storeFile(tx, recording, startedAtMs, { fileName, sha256, choices });

/** Creates a roast from a file that was not recorded live. It takes the plan that was waiting for its charge. */
export const createFileRoast = async (tx: Sql, machineId: string, file: SentFile): Promise<string> => {
  const { recording } = file;
  const id = randomUUID();
  const stored = await store(tx, file);
  const sourceBatch = batchName(recording.batch);
  const row = {
    id,
    recording_id: stored.recordingId,
    status: 'completed',
    start_time: new Date(file.chargeAtMs),
    boot_no: stored.bootNo,
    is_numbered: sourceBatch === null,
    source_batch: sourceBatch,
    ...settableFacts({}, {}, factsOf(file)),
  };
  const [machine] = await tx<{ owner_id: string }[]>`SELECT owner_id FROM machines WHERE id = ${machineId}`;
  await tx`INSERT INTO roasts ${tx({ ...row, machine_id: machineId, owner_id: machine?.owner_id ?? null })}`;
  await insertFileMarks(tx, id, recording, stored, null);
  await refreshRoasts(tx, [id], null);
  if (!row.is_numbered) await nameRoaster(tx, id);
  return id;
};

interface PersonsEntry {
  kind: string;
  mono_ms: number | null;
  at_seq: number | null;
  temp: number | null;
  confidence: number;
  provisional: boolean;
  is_withdrawn: boolean;
  by_user: string | null;
  boot_no: number | null;
  created_at: string;
}

/**
 * Users' marks of this roast are on its earlier recording: they move to the file's by wall clock, after the marks of the
 * file. Marks that were stored together with that recording are those of its file.
 */
export const carryPersonsMarks = async (
  tx: Sql,
  roastId: string,
  fromRecording: string | null,
  { recording, startedAtMs }: Pick<SentFile, 'recording' | 'startedAtMs'>,
  to: { readonly recordingId: string; readonly bootNo: number },
): Promise<void> => {
  const entries = await tx<PersonsEntry[]>`
    SELECT w.kind, w.mono_ms, w.at_seq, w.temp, w.confidence, w.provisional, w.is_withdrawn, w.by_user, w.created_at, w.boot_no
    FROM roast_marks w JOIN recordings c ON c.id = w.recording_id
    WHERE w.roast_id = ${roastId} AND w.recording_id = ${fromRecording} AND w.event_seq IS NULL AND w.origin = 'person'
      AND w.created_at <> c.created_at
    ORDER BY w.id`;
  if (fromRecording === null || entries.length === 0) return;
  const clocks = await readClocks(
    tx,
    fromRecording,
    entries.map(({ boot_no: bootNo }) => bootNo),
  );
  const times = Array.from(recording.monoMs);
  // The ids are in the order of the entries, and the later one counts.
  const now = Date.now() + 1;
  const rows = entries.flatMap(({ boot_no: bootNo, mono_ms: mono, at_seq: _seq, ...entry }, index) => {
    const clock = bootNo === null ? undefined : clocks.get(bootNo);
    if (mono === null || clock === undefined) return [];
    const monoMs = Math.max(0, Math.round(mono + clock.offsetMs - startedAtMs));
    return {
      ...entry,
      id: uuidV7(now + index),
      roast_id: roastId,
      origin: 'person',
      recording_id: to.recordingId,
      boot_no: to.bootNo,
      mono_ms: monoMs,
      at_seq: Math.max(0, nearestSample(times, monoMs)),
      event_seq: null,
    };
  });
  if (rows.length > 0) await tx`INSERT INTO roast_marks ${tx(rows)}`;
};

/**
 * Replaces the recording of an existing roast by that of a file; the roast was recorded live or by an earlier version
 * of the file: its curve has no gap and its marks are those of the person at the machine. Row, numbers, plan and users'
 * changes in the portal stay; the earlier recording stays as history. Returns the changed facts.
 */
export const giveRoastFile = async (tx: Sql, roastId: string, file: SentFile, before: FileFacts): Promise<string[]> => {
  await lockRecordingOf(tx, roastId);
  const [roast] = await tx<(FileFacts & { recording_id: string | null })[]>`
    SELECT recording_id, ${tx(factColumns)} FROM roasts WHERE id = ${roastId} FOR UPDATE`;
  if (roast === undefined) return [];
  const stored = await store(tx, file);
  await insertFileMarks(tx, roastId, file.recording, stored, null);
  await carryPersonsMarks(tx, roastId, roast.recording_id, file, stored);
  const facts = settableFacts(roast, before, factsOf(file));
  const sourceBatch = batchName(file.recording.batch);
  await tx`
    UPDATE roasts SET ${tx({
      ...facts,
      recording_id: stored.recordingId,
      boot_no: stored.bootNo,
      status: 'completed',
      recorded_status: 'completed',
      status_seq: null,
      ...(sourceBatch === null ? { is_numbered: true } : {}),
      source_batch: sourceBatch,
    })}, revision = revision + 1 WHERE id = ${roastId}`;
  await refreshRoasts(tx, [roastId], null);
  return Object.keys(facts);
};

/** Charge and drop of a file, ms on its own clock; without a drop, its last sample. Undefined without a charge. */
export const windowInFile = ({ chargeMs, marks, monoMs }: FileRecording): { from: number; to: number } | undefined => {
  if (chargeMs === undefined) return undefined;
  const drop = markOf(marks, 'drop')?.monoMs ?? monoMs.at(-1) ?? chargeMs;
  return { from: chargeMs, to: Math.max(chargeMs, drop) };
};
