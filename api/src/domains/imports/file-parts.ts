import type { Sql } from '../../db/sql.ts';

/** As long as the migration's parts. The driver needs 1 ms to write or read one as text. */
const partBytes = 256 * 1024;

/** The table that stores files, and the column of the owner. */
const places = {
  upload: { table: 'roast_upload_parts', owner: 'upload_id' },
  lots: { table: 'lot_import_parts', owner: 'import_id' },
} as const;
type Place = keyof typeof places;

interface StoredFile {
  readonly id: string;
  readonly content: Uint8Array;
}

/** Stores files. A statement holds as much as one part; between two of them the api does other work. */
export const storeContents = async (tx: Sql, place: Place, files: readonly StoredFile[]): Promise<void> => {
  const { table, owner } = places[place];
  let rows: Record<string, string | number | Buffer>[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (rows.length > 0) await tx`INSERT INTO ${tx(table)} ${tx(rows)}`;
    rows = [];
    bytes = 0;
  };
  for (const { id, content } of files) {
    for (let part = 0; part * partBytes < content.length; part += 1) {
      const piece = Buffer.from(content.subarray(part * partBytes, (part + 1) * partBytes));
      if (bytes + piece.length > partBytes) await flush();
      rows.push({ [owner]: id, part, content: piece });
      bytes += piece.length;
    }
  }
  await flush();
};

export const storeContent = (tx: Sql, place: Place, id: string, content: Uint8Array): Promise<void> =>
  storeContents(tx, place, [{ id, content }]);

/** A stored file; empty when its owner no longer exists. */
export const readContent = async (sql: Sql, place: Place, ownerId: string): Promise<Uint8Array> => {
  const { table, owner } = places[place];
  const pieces: Buffer[] = [];
  for (;;) {
    const [piece] = await sql<{ content: Buffer }[]>`
      SELECT content FROM ${sql(table)} WHERE ${sql(owner)} = ${ownerId} AND part = ${pieces.length}`;
    if (piece !== undefined) pieces.push(piece.content);
    if (piece === undefined || piece.content.length < partBytes) return Buffer.concat(pieces);
  }
};
