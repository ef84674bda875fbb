import type { Sql } from '../../db/sql.ts';

/** As long as the migration's parts. One of them takes the driver 1 ms to write or read as text. */
const partBytes = 256 * 1024;

/** Stores the file of an upload. Between two parts the api does other work. */
export const storeContent = async (tx: Sql, uploadId: string, content: Uint8Array): Promise<void> => {
  for (let part = 0; part * partBytes < content.length; part += 1) {
    const piece = Buffer.from(content.subarray(part * partBytes, (part + 1) * partBytes));
    await tx`INSERT INTO roast_upload_parts (upload_id, part, content) VALUES (${uploadId}, ${part}, ${piece})`;
  }
};

/** The file of an upload; empty when the upload is gone. */
export const readContent = async (sql: Sql, uploadId: string): Promise<Uint8Array> => {
  const pieces: Buffer[] = [];
  for (;;) {
    const [piece] = await sql<{ content: Buffer }[]>`
      SELECT content FROM roast_upload_parts WHERE upload_id = ${uploadId} AND part = ${pieces.length}`;
    if (piece === undefined) return Buffer.concat(pieces);
    pieces.push(piece.content);
  }
};
