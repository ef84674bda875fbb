import { type MachineMap, storedMapShape } from '@roastery/contract/machine-map';
import type { MapSummary } from '@roastery/contract/machine-maps';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { mapAccess } from '../../identity/access.ts';
import { readCatalogueMap, readCatalogueRevision, summaryOf } from './catalogue.ts';

interface OwnRow {
  readonly owner_id: string;
  readonly owner_name: string;
  readonly based_on: string | null;
  readonly newest: number;
  readonly map: unknown;
  readonly saved_at: string;
}

/** Newest revision of every map of this roastery's users that the caller may see, by maker and model. */
export const listOwnMaps = async (sql: Sql, user: SignedInUser): Promise<MapSummary[]> => {
  const rows = await sql<Pick<OwnRow, 'owner_name' | 'map' | 'saved_at'>[]>`
    SELECT o.full_name AS owner_name, r.map, r.saved_at
      FROM machine_maps p
      JOIN machine_map_revisions r ON r.map_id = p.id AND r.rev = p.rev
      JOIN users o ON o.id = p.owner_id
     WHERE p.deleted_at IS NULL AND ${mapAccess(sql, user)}
     ORDER BY lower(r.map ->> 'maker'), lower(r.map ->> 'model'), p.id`;
  return rows.map(({ owner_name, map, saved_at }) => ({
    ...summaryOf(parseOrThrow(storedMapShape, map)),
    origin: 'own',
    owner_name,
    saved_at,
  }));
};

export interface FoundMap {
  readonly summary: MapSummary;
  /** The requested revision, else the newest. */
  readonly map: MachineMap;
  readonly basedOn: string | null;
  /** Null: a map of the catalogue. */
  readonly ownerId: string | null;
}

/** A map of the catalogue or of a user. Throws `not_found` when there is none, or none that this user may see. */
export const findMap = async (sql: Sql, user: SignedInUser, id: string, rev: number | undefined): Promise<FoundMap> => {
  const ofCatalogue = await readCatalogueMap(id);
  if (ofCatalogue !== undefined) {
    const map = rev === undefined ? ofCatalogue.map : await readCatalogueRevision(id, rev);
    if (map === undefined) throw notFound('Revision');
    return { summary: ofCatalogue.summary, map, basedOn: null, ownerId: null };
  }
  const [row] = await sql<OwnRow[]>`
    SELECT p.owner_id, o.full_name AS owner_name, p.based_on, p.rev AS newest, r.map, r.saved_at
      FROM machine_maps p
      JOIN machine_map_revisions r ON r.map_id = p.id AND r.rev = ${rev === undefined ? sql`p.rev` : sql`${rev}`}
      JOIN users o ON o.id = p.owner_id
     WHERE p.id = ${id} AND p.deleted_at IS NULL AND ${mapAccess(sql, user)}`;
  if (!row) throw notFound('Machine map');
  const map = parseOrThrow(storedMapShape, row.map);
  return {
    summary: {
      ...summaryOf(map),
      rev: row.newest,
      origin: 'own',
      owner_name: row.owner_name,
      saved_at: row.saved_at,
    },
    map,
    basedOn: row.based_on,
    ownerId: row.owner_id,
  };
};

/**
 * As `findMap`, for a machine that is to use it: it can't be deleted until the transaction ends. Call it before a
 * machine is locked, as saving a map does.
 */
export const findMapToUse = async (
  tx: Sql,
  user: SignedInUser,
  id: string,
  rev: number | undefined,
): Promise<FoundMap> => {
  await tx`SELECT 1 FROM machine_maps WHERE id = ${id} FOR SHARE`;
  return findMap(tx, user, id, rev);
};
