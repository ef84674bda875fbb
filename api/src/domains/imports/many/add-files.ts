import { createHash } from 'node:crypto';
import { maxUploadBytes } from '@roastery/contract/imports';
import { importFileNameShape, maxFilesOfRequest, maxImportFiles } from '@roastery/contract/roast-imports';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { UserContext } from '../../../context.ts';
import { actorOf, recordAudits } from '../../../db/audit.ts';
import type { Database, Sql } from '../../../db/sql.ts';
import { AppError, invalid } from '../../../http/app-error.ts';
import type { SentFile } from '../../../http/multipart.ts';
import { parsePart } from '../../../http/request-shape.ts';
import { storeContents } from '../file-parts.ts';
import { lockImport } from './change-import.ts';

/** The sender of files. */
export type Sender = Pick<UserContext, 'user' | 'address'>;

interface NewFile extends SentFile {
  readonly id: string;
  readonly sha256: Buffer;
}

const checked = ({ name, content }: SentFile): NewFile => {
  const { file_name: fileName } = parsePart(importFileNameShape, { file_name: name });
  if (content.length > maxUploadBytes) {
    throw new AppError('too_large', `The file is larger than ${maxUploadBytes / 1024 / 1024} MB.`);
  }
  return { id: uuidV7(), name: fileName, content, sha256: createHash('sha256').update(content).digest() };
};

const keyOf = ({ name, sha256 }: Pick<NewFile, 'name' | 'sha256'>): string => `${sha256.toString('hex')} ${name}`;

/** Ids of files in the import, by name and content. */
const findThere = async (tx: Sql, importId: string, files: readonly NewFile[]): Promise<Map<string, string>> => {
  const rows = await tx<{ id: string; name: string; sha256: Buffer }[]>`
    SELECT id, file_name AS name, file_sha256 AS sha256 FROM roast_import_files
    WHERE import_id = ${importId} AND file_name = ANY(${files.map(({ name }) => name)}::text[])`;
  return new Map(rows.map((row) => [keyOf(row), row.id]));
};

const insertFiles = async (tx: Sql, sender: Sender, importId: string, added: readonly NewFile[]) => {
  const [{ files } = { files: 0 }] = await tx<{ files: number }[]>`
    SELECT count(*)::int AS files FROM roast_import_files WHERE import_id = ${importId}`;
  if (files + added.length > maxImportFiles) {
    throw new AppError('conflict', `An import has at most ${maxImportFiles} files. Start another one for the rest.`);
  }
  const rows = added.map(({ id, name, content, sha256 }) => {
    return { id, import_id: importId, file_name: name, file_sha256: sha256, size_bytes: content.length };
  });
  await tx`INSERT INTO roast_import_files ${tx(rows)}`;
  const uploads = rows.map(({ size_bytes: _size, ...row }) => ({ ...row, user_id: sender.user.id }));
  await tx`INSERT INTO roast_uploads ${tx(uploads)}`;
  await storeContents(tx, 'upload', added);
  await recordAudits(
    tx,
    actorOf(sender),
    added.map(({ id, name, content }) => {
      return { action: 'upload.created', subject: id, detail: { file_name: name, bytes: content.length } };
    }),
  );
};

/**
 * Stores files, all or none; a background service reads them. The same file under the same name is stored once,
 * however often it is sent.
 */
export const addFiles = async (
  sql: Database,
  sender: Sender,
  importId: string,
  sent: readonly SentFile[],
): Promise<{ ids: string[] }> => {
  if (sent.length === 0) throw invalid('files', 'must hold a file');
  if (sent.length > maxFilesOfRequest) throw invalid('files', `must be ${maxFilesOfRequest} files at most`);
  const files = sent.map(checked);
  return sql.begin(async (tx) => {
    await lockImport(tx, sender, importId, 'open');
    const ids = await findThere(tx, importId, files);
    const added = files.filter((file) => {
      const isNew = !ids.has(keyOf(file));
      if (isNew) ids.set(keyOf(file), file.id);
      return isNew;
    });
    if (added.length > 0) await insertFiles(tx, sender, importId, added);
    return { ids: files.map((file) => ids.get(keyOf(file)) ?? file.id) };
  });
};
