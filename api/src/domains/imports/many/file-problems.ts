import { parseShape } from '@roastery/contract/parse-shape';
import type { ImportProblem } from '@roastery/contract/roast-imports';
import type { SignedInUser } from '../../../http/server-context.ts';
import type { Sql } from '../../../db/sql.ts';
import { findDoubts } from '../machine-figures.ts';
import { figuresShape } from '../plausibility.ts';
import { findDuplicates } from '../uploads.ts';

interface JudgedFile {
  id: string;
  import_id: string;
  file_sha256: Buffer;
  curve_sha256: Buffer | null;
  has_charge: boolean;
  needs_columns: boolean;
  start_time: string | null;
  source_batch: string | null;
  batch_size_kg: number | null;
  end_weight_kg: number | null;
  left_out: boolean | null;
  accepted: boolean;
  figures: unknown;
  machine_id: string | null;
  remarks: string[];
}

interface Judgement {
  readonly problem: ImportProblem | null;
  readonly sentences: readonly string[];
}

const because = (problem: ImportProblem, ...sentences: readonly string[]): Judgement => ({ problem, sentences });

const dayMs = 86_400_000;
/** The first remark of a file that a person leaves out. */
export const skippedSentence = 'Skipped: it is not imported.';

const isWeightOdd = ({ batch_size_kg: green, end_weight_kg: roasted }: JudgedFile): boolean =>
  green !== null && roasted !== null && (roasted > green || roasted < green * 0.6);

const changedWords = { date: 'another date', number: 'another number' } as const;

/** `The same roast as R-12 Guji, saved again with another date`: one that was imported before, or an earlier file of this import. */
const duplicateOf = async (sql: Sql, user: SignedInUser, file: JudgedFile): Promise<string | undefined> => {
  if (file.curve_sha256 === null) return undefined;
  const [roast] = await findDuplicates(sql, user, {
    file: file.file_sha256,
    curve: file.curve_sha256,
    startTime: file.start_time,
    sourceBatch: file.source_batch,
  });
  if (roast !== undefined) {
    const name = `${roast.said_number}${roast.coffee_name === null ? '' : ` ${roast.coffee_name}`}`;
    const changed = roast.differs.map((what) => changedWords[what]).join(' and ');
    return `The same roast as ${name}${changed === '' ? '' : `, saved again with ${changed}`}.`;
  }
  const [earlier] = await sql<{ file_name: string; is_other_date: boolean; is_other_number: boolean }[]>`
    SELECT file_name, file_sha256 <> ${file.file_sha256} AND (abs(extract(epoch FROM start_time - ${file.start_time}::timestamptz)) > 60) IS TRUE AS is_other_date,
           file_sha256 <> ${file.file_sha256} AND (source_batch <> ${file.source_batch}::text) IS TRUE AS is_other_number
    FROM roast_import_files
    WHERE import_id = ${file.import_id} AND id < ${file.id} AND state = 'read' AND left_out IS NOT TRUE
      AND (curve_sha256 = ${file.curve_sha256} OR file_sha256 = ${file.file_sha256})
    ORDER BY id LIMIT 1`;
  if (earlier === undefined) return undefined;
  const changed = [
    ...(earlier.is_other_date ? [changedWords.date] : []),
    ...(earlier.is_other_number ? [changedWords.number] : []),
  ].join(' and ');
  return `The same roast as ${earlier.file_name}${changed === '' ? '' : `, saved again with ${changed}`}.`;
};

const judge = async (sql: Sql, user: SignedInUser, file: JudgedFile): Promise<Judgement> => {
  if (file.left_out === true) return because('left_out', skippedSentence);
  if (file.needs_columns) {
    return because(
      'columns',
      'The columns are not known. Open the file and choose them: they are kept for all files with these columns.',
    );
  }
  if (!file.has_charge) return because('no_charge', 'No charge was found. Open the file and set the charge.');
  if (file.start_time === null) {
    return because('no_date', 'The file doesn’t say when it was roasted. Enter the date.');
  }
  if (Date.parse(file.start_time) > Date.now() + dayMs) {
    return because('no_date', 'The start is more than a day in the future. Check the date.');
  }
  const duplicate = file.left_out === false ? undefined : await duplicateOf(sql, user, file);
  if (duplicate !== undefined) return because('duplicate', duplicate);
  const figures = parseShape(figuresShape, file.figures);
  const doubts = await findDoubts(sql, figures.success ? figures.data : null, file.machine_id);
  const sentences = doubts.map(({ sentence }) => sentence);
  const [doubt] = doubts;
  if (doubt !== undefined) return because(file.accepted ? 'check' : doubt.problem, ...sentences);
  if (isWeightOdd(file)) {
    return because('weights', 'The weights are unlikely: a roast loses 10 to 25 % of its weight.');
  }
  return { problem: file.remarks.length > 0 ? 'check' : null, sentences };
};

/**
 * Finds the problems of a file, after reading and after each correction, also in later files of the same roast: files
 * are not read in their order.
 */
export const judgeFile = async (sql: Sql, user: SignedInUser, fileId: string, warnings?: readonly string[]) => {
  await judgeOne(sql, user, fileId, warnings);
  const later = await sql<{ id: string }[]>`
    SELECT g.id FROM roast_import_files f
    JOIN roast_import_files g ON g.import_id = f.import_id AND g.curve_sha256 = f.curve_sha256 AND g.id > f.id
    WHERE f.id = ${fileId} AND g.state = 'read' ORDER BY g.id LIMIT 20`;
  for (const { id } of later) await judgeOne(sql, user, id);
};

const judgeOne = async (sql: Sql, user: SignedInUser, fileId: string, warnings?: readonly string[]) => {
  const [file] = await sql<(JudgedFile & { found: string[] })[]>`
    SELECT f.id, f.import_id, f.file_sha256, f.curve_sha256, f.has_charge, f.needs_columns, f.start_time, f.source_batch, f.batch_size_kg,
           f.end_weight_kg, f.left_out, f.accepted, f.figures, coalesce(f.machine_id, i.machine_id) AS machine_id, f.remarks,
           f.warnings AS found
    FROM roast_import_files f JOIN roast_imports i ON i.id = f.import_id
    WHERE f.id = ${fileId} AND f.state = 'read' FOR UPDATE OF f`;
  if (file === undefined) return;
  const remarks = [...(warnings ?? file.found)];
  const { problem, sentences } = await judge(sql, user, { ...file, remarks });
  const texts = [...sentences.filter((sentence) => !remarks.includes(sentence)), ...remarks];
  await sql`UPDATE roast_import_files SET problem = ${problem}, remarks = ${texts}::text[] WHERE id = ${fileId}`;
};
