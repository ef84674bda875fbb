import type { Sql } from '../../db/sql.ts';

/** As long as the migration's parts. The driver needs 1 ms to write or read one as text. */
const partBytes = 256 * 1024;

/** The table that stores files, and the column of the owner. */
const places = {
  upload: { table: 'roast_upload_parts', owner: 'upload_id' },
  lots: { table: 'lot_import_parts', owner: 'import_id' },
} as const;
type Place = keyof typeof places;

/** Stores a file. Between two parts the api does other work. */
export const storeContent = async (tx: Sql, place: Place, ownerId: string, content: Uint8Array): Promise<void> => {
  const { table, owner } = places[place];
  for (let part = 0; part * partBytes < content.length; part += 1) {
    const piece = Buffer.from(content.subarray(part * partBytes, (part + 1) * partBytes));
    await tx`INSERT INTO ${tx(table)} (${tx(owner)}, part, content) VALUES (${ownerId}, ${part}, ${piece})`;
  }
};

/** A stored file; empty when its owner no longer exists. */
export const readContent = async (sql: Sql, place: Place, ownerId: string): Promise<Uint8Array> => {
  const { table, owner } = places[place];
  const pieces: Buffer[] = [];
  for (;;) {
    const [piece] = await sql<{ content: Buffer }[]>`
      SELECT content FROM ${sql(table)} WHERE ${sql(owner)} = ${ownerId} AND part = ${pieces.length}`;
    if (piece === undefined) return Buffer.concat(pieces);
    pieces.push(piece.content);
  }
};
