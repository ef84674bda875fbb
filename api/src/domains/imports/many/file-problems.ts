import type { ImportProblem } from '@roastery/contract/roast-imports';
import type { SignedInUser } from '../../../http/server-context.ts';
import type { Sql } from '../../../db/sql.ts';
import { findDuplicates } from '../uploads.ts';

interface JudgedFile {
  id: string;
  import_id: string;
  file_sha256: Buffer;
  curve_sha256: Buffer | null;
  has_charge: boolean;
  needs_columns: boolean;
  start_time: string | null;
  batch_size_kg: number | null;
  end_weight_kg: number | null;
  left_out: boolean | null;
  remarks: string[];
}

interface Judgement {
  readonly problem: ImportProblem | null;
  readonly sentence: string | null;
}

const dayMs = 86_400_000;

const isWeightOdd = ({ batch_size_kg: green, end_weight_kg: roasted }: JudgedFile): boolean =>
  green !== null && roasted !== null && (roasted > green || roasted < green * 0.6);

/** The name of the duplicate: a roast that was imported before, or an earlier file of this import. */
const duplicateOf = async (sql: Sql, user: SignedInUser, file: JudgedFile): Promise<string | undefined> => {
  if (file.curve_sha256 === null) return undefined;
  const [roast] = await findDuplicates(sql, user, file.file_sha256, file.curve_sha256);
  if (roast !== undefined) return `${roast.roast_number}${roast.coffee_name === null ? '' : ` ${roast.coffee_name}`}`;
  const [earlier] = await sql<{ file_name: string }[]>`
    SELECT file_name FROM roast_import_files
    WHERE import_id = ${file.import_id} AND id < ${file.id} AND state = 'read' AND left_out IS NOT TRUE
      AND (curve_sha256 = ${file.curve_sha256} OR file_sha256 = ${file.file_sha256})
    ORDER BY id LIMIT 1`;
  return earlier?.file_name;
};

const judge = async (sql: Sql, user: SignedInUser, file: JudgedFile): Promise<Judgement> => {
  if (file.left_out === true) return { problem: 'left_out', sentence: 'Skipped: it is not imported.' };
  if (file.needs_columns) {
    return {
      problem: 'columns',
      sentence:
        'The columns are not known. Open the file and choose them: they are kept for all files with these columns.',
    };
  }
  if (!file.has_charge) {
    return { problem: 'no_charge', sentence: 'No charge was found. Open the file and set the charge.' };
  }
  if (file.start_time === null) {
    return { problem: 'no_date', sentence: 'The file doesn’t say when it was roasted. Enter the date.' };
  }
  if (Date.parse(file.start_time) > Date.now() + dayMs) {
    return { problem: 'no_date', sentence: 'The start is more than a day in the future. Check the date.' };
  }
  const duplicate = file.left_out === false ? undefined : await duplicateOf(sql, user, file);
  if (duplicate !== undefined) return { problem: 'duplicate', sentence: `The same roast as ${duplicate}.` };
  if (isWeightOdd(file)) {
    return { problem: 'weights', sentence: 'The weights are unlikely: a roast loses 10 to 25 % of its weight.' };
  }
  return file.remarks.length > 0 ? { problem: 'check', sentence: null } : { problem: null, sentence: null };
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
    SELECT id, import_id, file_sha256, curve_sha256, has_charge, needs_columns, start_time, batch_size_kg, end_weight_kg, left_out, remarks,
           warnings AS found
    FROM roast_import_files WHERE id = ${fileId} AND state = 'read' FOR UPDATE`;
  if (file === undefined) return;
  const remarks = [...(warnings ?? file.found)];
  const { problem, sentence } = await judge(sql, user, { ...file, remarks });
  const said = sentence === null || remarks.includes(sentence) ? remarks : [sentence, ...remarks];
  await sql`UPDATE roast_import_files SET problem = ${problem}, remarks = ${said}::text[] WHERE id = ${fileId}`;
};
