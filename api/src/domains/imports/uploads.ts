import { uploadChoicesShape, type Upload, type UploadChoices } from '@roastery/contract/imports';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { lttbIndices } from '@roastery/roasting/decimate';
import { markOf } from '@roastery/roasting/marks';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { SignedInUser, UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { visibleTo } from '../roasts/roast-row.ts';
import { valuesOf, type ImportedRoast } from './imported-roast.ts';
import { readRoastFile } from './read-roast-file.ts';
import { curveHash, fileHash } from './store-recording.ts';

/** A person looks at a few files at a time; whatever they left lying goes first. */
const mostUploads = 5;
const keepHours = 24;
const previewPoints = 300;

export interface StoredUpload {
  readonly id: string;
  readonly file_name: string;
  readonly file_sha256: Buffer;
  readonly content: Buffer;
  readonly choices: UploadChoices;
}

/** The caller's own upload, or undefined. */
export const findUpload = async (sql: Sql, id: string, userId: string, lock = false) => {
  const [row] = await sql<(Omit<StoredUpload, 'choices'> & { choices: unknown })[]>`
    SELECT id, file_name, file_sha256, content, choices FROM roast_uploads
    WHERE id = ${id} AND user_id = ${userId} ${lock ? sql`FOR UPDATE` : sql``}`;
  return row && { ...row, choices: parseOrThrow(uploadChoicesShape, row.choices) };
};

/** Roasts that this person may see and that hold the same file, or the same curve. */
export const findDuplicates = async (
  sql: Sql,
  user: SignedInUser,
  file: Uint8Array,
  curve: Uint8Array,
): Promise<Upload['duplicates']> => {
  const rows = await sql<(Omit<Upload['duplicates'][number], 'same'> & { is_file: boolean })[]>`
    SELECT r.id AS roast_id, r.shown_number AS roast_number, r.coffee_name, r.start_time,
           c.file_sha256 = ${Buffer.from(file)} AS is_file
    FROM recordings c JOIN roasts r ON r.recording_id = c.id
    WHERE (c.file_sha256 = ${Buffer.from(file)} OR c.curve_sha256 = ${Buffer.from(curve)})
      AND ${visibleTo(sql, user)}
    ORDER BY r.start_time DESC, r.id LIMIT 5`;
  return rows.map(({ is_file: isFile, ...row }) => ({ ...row, same: isFile ? 'file' : 'curve' }));
};

const findMachine = async (sql: Sql, user: SignedInUser, name: string | null): Promise<string | null> => {
  if (name === null) return null;
  const [machine] = await sql<{ id: string }[]>`
    SELECT id FROM machines
    WHERE archived_at IS NULL AND (lower(display_name) = lower(${name}) OR lower(serial_number) = lower(${name}))
      AND ${user.is_admin ? sql`true` : sql`owner_id = ${user.id}`}
    ORDER BY created_at LIMIT 1`;
  return machine?.id ?? null;
};

const pictureOf = (roast: ImportedRoast): Upload['curve'] => {
  const bean = valuesOf(roast, 'bean_temp') ?? [];
  const exhaust = valuesOf(roast, 'exhaust_temp');
  const shown = lttbIndices(roast.timesSeconds, bean, previewPoints);
  return {
    time_seconds: shown.map((index) => roast.timesSeconds[index] ?? 0),
    bean_temp: shown.map((index) => bean[index] ?? null),
    exhaust_temp: shown.map((index) => exhaust?.[index] ?? null),
  };
};

/** Reads an upload as its choices have it. Throws what `readRoastFile` throws. */
export const describeUpload = async (sql: Sql, user: SignedInUser, upload: StoredUpload): Promise<Upload> => {
  const { format, roast } = await readRoastFile(upload.content, upload.choices);
  const charge = markOf(roast.marks, 'charge');
  const first = roast.timesSeconds[0] ?? 0;
  const [duplicates, machineId] = await Promise.all([
    findDuplicates(sql, user, upload.file_sha256, curveHash(roast)),
    findMachine(sql, user, roast.facts.machine_name),
  ]);
  const startMs =
    roast.recordedAtMs === null || charge === undefined ? null : roast.recordedAtMs + charge.timeSeconds * 1000;
  return {
    id: upload.id,
    file_name: upload.file_name,
    format,
    size_bytes: upload.content.length,
    ...roast.facts,
    machine_id: machineId,
    start_time: startMs === null ? null : new Date(Math.round(startMs)).toISOString(),
    choices: upload.choices,
    temperature_unit: roast.temperatureUnit,
    time_unit: roast.timeUnit,
    samples: roast.timesSeconds.length,
    recorded_seconds: (roast.timesSeconds.at(-1) ?? first) - first,
    charge_seconds: charge?.timeSeconds ?? null,
    channels: roast.channels.map(({ name, label, unit, values }) => ({
      name,
      label,
      unit,
      readings: values.filter((value) => value !== null).length,
    })),
    marks:
      charge === undefined
        ? []
        : roast.marks.map(({ timeSeconds, tempC, ...mark }) => ({
            ...mark,
            time_seconds: Math.round((timeSeconds - charge.timeSeconds) * 1000) / 1000,
            temp: tempC,
          })),
    curve: pictureOf(roast),
    warnings: [...roast.warnings],
    missing:
      charge === undefined
        ? 'The file marks no charge and none was found in the curve: say when the beans went in.'
        : null,
    duplicates,
  };
};

const tidy = (sql: Sql, userId: string) => sql`
  DELETE FROM roast_uploads
  WHERE created_at < now() - make_interval(hours => ${keepHours})
     OR id IN (SELECT id FROM roast_uploads WHERE user_id = ${userId}
               ORDER BY created_at DESC, id DESC OFFSET ${mostUploads})`;

/** Keeps a file for a day and answers what is in it. A file that can't be read isn't kept. */
export const uploadRoastFile = async (
  { sql, user }: UserContext,
  fileName: string,
  bytes: Uint8Array,
): Promise<Upload> => {
  const upload: StoredUpload = {
    id: uuidV7(),
    file_name: fileName,
    file_sha256: fileHash(bytes),
    content: Buffer.from(bytes),
    choices: {},
  };
  const described = await describeUpload(sql, user, upload);
  await sql`
    INSERT INTO roast_uploads (id, user_id, file_name, file_sha256, content)
    VALUES (${upload.id}, ${user.id}, ${fileName}, ${upload.file_sha256}, ${upload.content})`;
  await tidy(sql, user.id);
  return described;
};

export const getUpload = async ({ sql, user }: UserContext, id: string): Promise<Upload> => {
  const upload = await findUpload(sql, id, user.id);
  if (upload === undefined) throw notFound('Upload');
  return describeUpload(sql, user, upload);
};

/** Reads the file again with these choices, and remembers them for when the roast is taken in. */
export const chooseUpload = async ({ sql, user }: UserContext, id: string, choices: UploadChoices): Promise<Upload> => {
  const upload = await findUpload(sql, id, user.id);
  if (upload === undefined) throw notFound('Upload');
  const described = await describeUpload(sql, user, { ...upload, choices });
  await sql`UPDATE roast_uploads SET choices = ${sql.json(choices)} WHERE id = ${id}`;
  return described;
};
