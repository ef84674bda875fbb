import type { MapDetail, MapRevision, MapSummary } from '@roastery/contract/machine-maps';
import { storedMapShape } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import type { UserContext } from '../../context.ts';
import { machineAccess } from '../../identity/access.ts';
import { catalogueRevisions, catalogueSummaries, exchangedRevs } from './catalogue.ts';
import { findMap, listOwnMaps } from './find-map.ts';

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Whether maker or model contain every typed word, ignoring accents and case. */
const matches = (summary: MapSummary, words: readonly string[]): boolean => {
  const text = plain(`${summary.maker} ${summary.model} ${summary.id}`);
  return words.every((word) => text.includes(word));
};

export interface MapListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly q?: string | undefined;
  readonly origin?: 'catalogue' | 'own' | undefined;
}

/** The caller's own first, then the catalogue. */
export const listMaps = async (
  { sql, user }: UserContext,
  query: MapListQuery,
): Promise<{ maps: MapSummary[]; total: number }> => {
  const words = plain(query.q ?? '')
    .split(/\s+/)
    .filter(Boolean);
  const all = [
    ...(query.origin === 'catalogue' ? [] : await listOwnMaps(sql, user)),
    ...(query.origin === 'own' ? [] : await catalogueSummaries()),
  ].filter((summary) => matches(summary, words));
  return { maps: all.slice(query.offset, query.offset + query.limit), total: all.length };
};

export const readMap = async ({ sql, user }: UserContext, id: string, rev?: number): Promise<MapDetail> => {
  const { summary, map, basedOn, ownerId } = await findMap(sql, user, id, rev);
  const machines = await sql<MapDetail['machines']>`
    SELECT m.id, m.display_name, m.map_rev AS rev FROM machines m
     WHERE m.map_id = ${id} AND m.archived_at IS NULL AND ${machineAccess(sql, user)}
     ORDER BY lower(m.display_name), m.id`;
  return {
    ...summary,
    map,
    based_on: basedOn,
    may_edit: ownerId !== null && (user.is_admin || ownerId === user.id),
    machines: [...machines],
  };
};

/** Newest first. Those of the catalogue have no user and no time. */
export const listRevisions = async ({ sql, user }: UserContext, id: string): Promise<{ revisions: MapRevision[] }> => {
  const { ownerId } = await findMap(sql, user, id, undefined);
  if (ownerId === null) {
    const [maps, exchanged] = await Promise.all([catalogueRevisions(id), exchangedRevs(id)]);
    const noteOf = (rev: number) =>
      exchanged.includes(rev - 1) ? 'Bean and exhaust temperature exchanged: they were the wrong way round' : null;
    return {
      revisions: maps.map((map) => ({
        rev: map.rev,
        saved_at: null,
        saved_by_name: null,
        note: noteOf(map.rev),
        map,
      })),
    };
  }
  const rows = await sql<(Omit<MapRevision, 'map'> & { map: unknown })[]>`
    SELECT r.rev, r.saved_at, u.full_name AS saved_by_name, r.note, r.map
      FROM machine_map_revisions r LEFT JOIN users u ON u.id = r.saved_by
     WHERE r.map_id = ${id} ORDER BY r.rev DESC LIMIT 200`;
  return { revisions: rows.map((row) => ({ ...row, map: parseOrThrow(storedMapShape, row.map) })) };
};
