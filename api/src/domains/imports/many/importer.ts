import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { parseShape } from '@roastery/contract/parse-shape';
import { uploadChoicesShape } from '@roastery/contract/imports';
import { systemActor, type Actor } from '../../../db/audit.ts';
import { isConnectionLost, loggable, statementOf } from '../../../db/postgres-errors.ts';
import type { Sql, Statement } from '../../../db/sql.ts';
import type { SignedInUser } from '../../../http/server-context.ts';
import { sharedOf } from '../../../http/sessions.ts';
import { AppError } from '../../../http/app-error.ts';
import { endRoast } from '../../roasts/life/end-roast.ts';
import { keepDays, maxTries, workInBackground, type ImportContext } from '../background-work.ts';
import { readContent } from '../file-parts.ts';
import { insertRoastOfUpload } from '../create-roast-from-upload.ts';
import { completedByName, stemOf } from '../named-file.ts';
import { describeRoastFile, readRecording } from '../file-jobs.ts';
import { lockLayout, readLayout, withLayouts } from '../kept-layouts.ts';
import { findMachine, findUpload, withTimeZone } from '../uploads.ts';
import { judgeFile } from './file-problems.ts';
import { isReady } from './import-rows.ts';
import { numberImported } from './number-roasts.ts';

/** Two thirds of the time are left to requests: 2,000 files still take only some minutes. */
const restShare = 2;
const jobsAtOnce = 20;
const gaveUp = 'The server could not process this file. Ask your administrator to check the server log.';

interface Job {
  file_id: string;
  import_id: string;
  file_name: string;
  user: SignedInUser;
}

const userOf = (sql: Sql) => sql`
  jsonb_build_object('id', u.id, 'full_name', u.full_name, 'email', u.email, 'is_active', u.is_active,
                     'is_admin', u.is_admin, 'created_at', u.created_at, 'preferences', '{}'::jsonb,
                     'shared', ${sharedOf(sql)}) AS user`;

const actorFor = ({ email, id }: SignedInUser): Actor => ({ ...systemActor, actor: email, actorId: id });

/** The only lot whose number or coffee has this name. */
const findLot = async (sql: Sql, name: string | null): Promise<string | null> => {
  if (name === null) return null;
  const lots = await sql<{ id: string }[]>`
    SELECT id FROM lots WHERE lower(lot_number) = lower(${name}) OR lower(coffee_name) = lower(${name}) LIMIT 2`;
  return lots.length === 1 ? (lots[0]?.id ?? null) : null;
};

/**
 * The readers are busy or the database is unavailable: this is not a fault of the file. A statement that times out may
 * be one.
 */
const isBusy = (error: unknown): boolean =>
  isConnectionLost(error) ||
  (error instanceof AppError && (error.code === 'too_many_requests' || error.code === 'not_ready'));

/** A sentence for the file's row; anything but a refusal is an internal error and is thrown. */
const refusalOf = (error: unknown): string => {
  if (!(error instanceof AppError)) throw error;
  return typeof error.detail === 'string' ? error.detail : error.detail.map(({ message }) => message).join(' ');
};

const readFile = async (
  { sql, files }: ImportContext,
  { file_id: id, file_name: fileName, user }: Job,
): Promise<void> => {
  const [upload, [file]] = await Promise.all([
    findUpload(sql, id, user.id),
    sql<{ state: string; time_zone: string | null }[]>`
      SELECT f.state, i.time_zone FROM roast_import_files f JOIN roast_imports i ON i.id = f.import_id WHERE f.id = ${id}`,
  ]);
  // Another instance of the api has read it, or its import was deleted.
  if (file?.state !== 'waiting') return;
  if (upload === undefined) {
    await sql`DELETE FROM roast_import_files WHERE id = ${id} AND state = 'waiting'`;
    return;
  }
  const zone = file.time_zone === null ? {} : { time_zone: file.time_zone };
  const choices = await withLayouts(sql, await withTimeZone(sql, { ...zone, ...upload.choices }));
  let described;
  try {
    described = await files.run(describeRoastFile, user.id, await readContent(sql, 'upload', id), choices);
  } catch (error) {
    if (isBusy(error)) throw error;
    const why = refusalOf(error);
    await sql`
      UPDATE roast_import_files SET state = 'refused', problem = 'refused', remarks = ${[why]}::text[] WHERE id = ${id}`;
    return;
  }
  const found = completedByName(fileName, described.upload, choices.time_zone);
  const drop = found.marks.find(({ kind }) => kind === 'drop')?.time_seconds ?? null;
  const [machineId, lotId] = await Promise.all([
    findMachine(sql, user, found.machine_name),
    findLot(sql, found.coffee_name),
  ]);
  await sql.begin(async (tx) => {
    // Two files of one roast, read at the same time, would not find each other.
    const curve = Buffer.from(described.curveSha256);
    await tx`SELECT pg_advisory_xact_lock(${curve.readInt32BE(0)}, ${curve.readInt32BE(4)})`;
    // Units or marks may have changed since: then it waits, and is read with the new ones.
    const [now] = await tx<{ choices: unknown; time_zone: string | null }[]>`
      SELECT u.choices, i.time_zone FROM roast_uploads u JOIN roast_imports i ON i.id = u.import_id
      WHERE u.id = ${id} FOR UPDATE OF u FOR SHARE OF i`;
    if (!isDeepStrictEqual(parseShape(uploadChoicesShape, now?.choices).data, upload.choices)) return;
    if (now?.time_zone !== file.time_zone) return;
    const { layout } = described;
    if (layout !== null) {
      await lockLayout(tx, layout);
      if (!isDeepStrictEqual(await readLayout(tx, layout), choices.layouts?.[layout])) return;
    }
    // It keeps corrections that a person made before it was read, or read again.
    await tx`
      UPDATE roast_import_files SET
        state = 'read', format = ${found.format}, duration_seconds = ${drop}, has_charge = ${found.missing === null},
        figures = ${described.figures === null ? null : tx.json(described.figures)}, heads_key = ${described.layout}, needs_columns = ${found.table !== null && found.samples === 0},
        curve_sha256 = ${curve}, warnings = ${found.warnings}::text[],
        start_time = CASE WHEN start_time IS DISTINCT FROM read_start_time THEN start_time ELSE ${found.start_time}::timestamptz END,
        read_start_time = ${found.start_time}, time_zone = ${found.time_zone}, source_batch = ${found.source_batch},
        coffee_name = CASE WHEN format IS NULL THEN coalesce(coffee_name, ${found.coffee_name ?? stemOf(fileName)}) ELSE coffee_name END,
        batch_size_kg = CASE WHEN format IS NULL THEN coalesce(batch_size_kg, ${found.batch_size_kg}) ELSE batch_size_kg END,
        end_weight_kg = CASE WHEN format IS NULL THEN coalesce(end_weight_kg, ${found.end_weight_kg}) ELSE end_weight_kg END,
        machine_name = ${found.machine_name},
        machine_id = CASE WHEN format IS NULL THEN coalesce(machine_id, ${machineId}) ELSE machine_id END,
        lot_id = CASE WHEN format IS NULL THEN coalesce(lot_id, ${lotId}) ELSE lot_id END
      WHERE id = ${id} AND state = 'waiting'`;
    await judgeFile(tx, user, id, found.warnings);
  });
};

interface ReadyRow {
  time_zone: string | null;
  coffee_name: string | null;
  start_time: string;
  batch_size_kg: number | null;
  end_weight_kg: number | null;
  machine_id: string | null;
  lot_id: string | null;
  left_out: boolean | null;
  takes_green: boolean;
}

const importFile = async ({ sql, files }: ImportContext, { file_id: id, user }: Job): Promise<void> => {
  const upload = await findUpload(sql, id, user.id);
  const [row] = await sql<ReadyRow[]>`
    SELECT i.time_zone, f.coffee_name, f.start_time, f.batch_size_kg, f.end_weight_kg, coalesce(f.machine_id, i.machine_id) AS machine_id,
           coalesce(f.lot_id, i.lot_id) AS lot_id, f.left_out, i.takes_green
    FROM roast_import_files f JOIN roast_imports i ON i.id = f.import_id WHERE f.id = ${id}`;
  try {
    if (upload === undefined || row === undefined) throw new AppError('not_found', 'The file no longer exists.');
    const zone = row.time_zone === null ? {} : { time_zone: row.time_zone };
    const choices = await withTimeZone(sql, { ...zone, ...upload.choices });
    const recording = await files.run(
      readRecording,
      user.id,
      await readContent(sql, 'upload', id),
      await withLayouts(sql, choices),
    );
    const { machine_name: _machine, profile_name: _profile, roast_level: _level, ...facts } = recording.facts;
    const isPossible =
      row.batch_size_kg === null || row.end_weight_kg === null || row.end_weight_kg <= row.batch_size_kg;
    await sql.begin((tx) =>
      insertRoastOfUpload(tx, { user, actor: actorFor(user) }, upload, recording, {
        choices,
        facts: {
          ...facts,
          // A lot's coffee name takes precedence over a file's.
          coffee_name: row.lot_id !== null && row.coffee_name === stemOf(upload.file_name) ? null : row.coffee_name,
          start_time: row.start_time,
          batch_size_kg: row.batch_size_kg,
          // A roasted weight above the green weight is a typing error: it was reported, and is not stored.
          end_weight_kg: isPossible ? row.end_weight_kg : null,
          machine_id: row.machine_id,
          lot_id: row.lot_id,
        },
        even_if_duplicate: row.left_out === false,
        deducts: row.takes_green ? undefined : false,
        isNumberedLater: true,
      }),
    );
  } catch (error) {
    if (isBusy(error)) throw error;
    const why = refusalOf(error);
    await sql`
      UPDATE roast_import_files SET problem = 'failed', remarks = ${[why]}::text[] WHERE id = ${id} AND state = 'read'`;
  }
};

/** Deletes a roast of an import and its samples. A roast that is part of a blend stays. */
const undoFile = async ({ sql }: ImportContext, { file_id: id, user }: Job): Promise<void> => {
  await sql.begin(async (tx) => {
    const [roast] = await tx<{ id: string }[]>`
      SELECT r.id FROM roast_import_files f JOIN roasts r ON r.id = f.roast_id WHERE f.id = ${id}`;
    try {
      if (roast !== undefined) await endRoast(tx, roast.id, { how: 'undone' }, actorFor(user));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const why = 'A blend contains this roast. Remove it from the blend, then delete the roast.';
      await tx`
        UPDATE roast_import_files SET state = 'undone', problem = 'failed', remarks = ${[why]}::text[] WHERE id = ${id}`;
      return;
    }
    await tx`UPDATE roast_import_files SET state = 'undone', roast_id = NULL WHERE id = ${id}`;
  });
};

/** Gives up a file that fails repeatedly, so that the others continue. */
const giveUp = async ({ sql }: ImportContext, { file_id: id }: Job, error?: unknown): Promise<void> => {
  const why = error instanceof AppError ? refusalOf(error) : gaveUp;
  await sql`
    UPDATE roast_import_files SET
      state = CASE state WHEN 'waiting' THEN 'refused' WHEN 'imported' THEN 'undone' ELSE state END,
      problem = CASE state WHEN 'waiting' THEN 'refused' ELSE 'failed' END, remarks = ${[why]}::text[], attempted_by = '{}'
    WHERE id = ${id}`;
};

/** Stores a try before its work, because a file may end the thread. Answers the number of tries of this host that did not end. */
const storeTry = async ({ sql }: ImportContext, { file_id: id }: Job): Promise<number> => {
  const [row] = await sql<{ tries: number }[]>`
    UPDATE roast_import_files SET attempted_by = array_append(attempted_by, ${hostname()}) WHERE id = ${id}
    RETURNING cardinality(array_positions(attempted_by, ${hostname()})) AS tries`;
  return row?.tries ?? 0;
};
const removeTries = ({ sql }: ImportContext, { file_id: id }: Job) =>
  sql`UPDATE roast_import_files SET attempted_by = '{}' WHERE id = ${id}`;

/** Undone imports whose last roast is deleted. */
const finishUndone = (sql: Sql) => sql`
  UPDATE roast_imports i SET state = 'undone', finished_at = now()
  WHERE i.state = 'undoing'
    AND NOT EXISTS (SELECT FROM roast_import_files f WHERE f.import_id = i.id AND f.state = 'imported')`;

interface Step {
  readonly job: Job;
  readonly work: (context: ImportContext, job: Job) => Promise<void>;
}

/**
 * The next files, at most `jobsAtOnce`: finding them costs as much as part of the work on one. Each step reads again
 * what it changes. The imports of an inactive user wait.
 */
const nextSteps = async (sql: Sql): Promise<Step[]> => {
  const steps = async (work: Step['work'], which: Statement): Promise<Step[]> => {
    const jobs = await sql<Job[]>`
      SELECT f.id AS file_id, f.import_id, f.file_name, ${userOf(sql)}
      FROM roast_import_files f JOIN roast_imports i ON i.id = f.import_id JOIN users u ON u.id = i.user_id
      WHERE u.is_active AND ${which} ORDER BY i.created_at, f.id LIMIT ${jobsAtOnce}`;
    return jobs.map((job) => ({ job, work }));
  };
  const undone = await steps(undoFile, sql`i.state = 'undoing' AND f.state = 'imported'`);
  if (undone.length > 0) return undone;
  const waiting = await steps(readFile, sql`f.state = 'waiting'`);
  if (waiting.length > 0) return waiting;
  // A duplicate that a person wants waits for the first file, which would otherwise be refused as its duplicate.
  return steps(
    importFile,
    sql`
      i.state = 'importing' AND ${isReady(sql)} AND NOT EXISTS (
        SELECT FROM roast_import_files e
        WHERE e.import_id = f.import_id AND e.curve_sha256 = f.curve_sha256 AND e.id < f.id AND ${isReady(sql, 'e')})`,
  );
};

/** Finished imports, with the files without a roast. */
export const removeOldImports = async (sql: Sql): Promise<void> => {
  await sql`
    DELETE FROM roast_imports
    WHERE state IN ('open', 'done', 'undone') AND created_at < now() - make_interval(days => ${keepDays})`;
};

/**
 * Reads, imports and undoes the files of imports in the background, one after the other. The progress is in the
 * database: after a restart it continues.
 */
export const importer = async (whole: ImportContext): Promise<{ close(): Promise<void> }> => {
  /** Failures of the files that this thread has begun and not finished. */
  const failures = new Map<string, number>();
  const work = async (context: ImportContext, step: Step): Promise<void> => {
    const { job } = step;
    if (!failures.has(job.file_id)) {
      const tries = await storeTry(context, job);
      failures.set(job.file_id, 0);
      if (tries > maxTries) {
        context.log.error({ file: job.file_id, tries: tries - 1 }, 'import of a file ended the thread');
        return giveUp(context, job);
      }
    }
    return step.work(context, job);
  };
  const countFailure = async (context: ImportContext, job: Job, error: unknown): Promise<void> => {
    const count = (failures.get(job.file_id) ?? 0) + 1;
    failures.set(job.file_id, count);
    const statement = statementOf(error);
    context.log.error({ ...loggable(error), statement, file: job.file_id, count }, 'import of a file failed');
    if (count < maxTries) return;
    await giveUp(context, job, error);
    failures.delete(job.file_id);
  };
  let steps: Step[] = [];
  return workInBackground(whole, restShare, async (context) => {
    if (steps.length === 0) steps = await nextSteps(context.sql);
    const next = steps.shift();
    if (next === undefined) {
      await finishUndone(context.sql);
      return numberImported(context.sql);
    }
    try {
      await work(context, next);
      await removeTries(context, next.job);
      failures.delete(next.job.file_id);
    } catch (error) {
      if (isBusy(error)) throw error;
      await countFailure(context, next.job, error);
      return false;
    }
    return true;
  });
};
