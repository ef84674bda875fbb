import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Upload, type UploadChoices, uploadChoicesShape } from '@roastery/contract/imports';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import type { UserContext } from '../../context.ts';
import { notFound } from '../../http/app-error.ts';
import { fileAnswer } from '../../http/file-answer.ts';
import { requireRoast, roastAccess } from '../../identity/access.ts';
import { uploadRoastFile } from './uploads.ts';

const unpack = promisify(gunzip);

/** The file that a roast was imported from. */
const readOriginal = async (
  { sql, user }: UserContext,
  roastId: string,
): Promise<{ name: string; content: Buffer; choices: UploadChoices }> => {
  const [row] = await sql<{ file_name: string | null; content: Buffer; choices: unknown }[]>`
    SELECT c.file_name, f.content, f.choices FROM roasts r
    JOIN recordings c ON c.id = r.recording_id JOIN recording_files f ON f.recording_id = c.id
    WHERE r.id = ${roastId} AND ${roastAccess(sql, user)}`;
  if (row === undefined) throw notFound('File');
  return {
    name: row.file_name?.split(/[/\\]/).at(-1) || 'roast',
    content: await unpack(row.content),
    choices: parseOrThrow(uploadChoicesShape, row.choices),
  };
};

/** The file as it was uploaded. */
export const downloadOriginal = async (context: UserContext, roastId: string): Promise<Response> => {
  const { name, content } = await readOriginal(context, roastId);
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.codePointAt(0)?.toString(16)}`);
  const disposition = `attachment; filename*=UTF-8''${encoded}`;
  return fileAnswer(new Uint8Array(content), 'application/octet-stream', disposition);
};

/** Uploads the file once more: the preview shows how it is read today, with the choices that were made then. */
export const readOriginalAgain = async (context: UserContext, roastId: string): Promise<Upload> => {
  await requireRoast(context.sql, context.user, roastId, 'roast');
  const { name, content, choices } = await readOriginal(context, roastId);
  return uploadRoastFile(context, name, content, { roastId, choices });
};
