import type { Blend } from '@roastery/contract/blends';
import { kilograms, milligrams } from '@roastery/roasting/units';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { blendAccess } from '../../identity/access.ts';
import { foundByWord, type RoastSearch } from '../roasts/search-words.ts';

type BlendRow = Omit<Blend, 'components' | 'total_kg'>;
type ComponentRow = Omit<Blend['components'][number], 'share'> & { blend_id: string };

const columns = (sql: Sql) => sql`b.id, b.name, b.notes, b.created_at, u.full_name AS created_by, b.revision`;

const total = (components: readonly ComponentRow[]): number =>
  kilograms(components.reduce((sum, { kg }) => sum + milligrams(kg), 0));

const withComponents = async (sql: Sql, rows: readonly BlendRow[]): Promise<Blend[]> => {
  const components = await sql<ComponentRow[]>`
    SELECT c.blend_id, c.roast_id, c.kg, coalesce(r.said_number, c.roast_number) AS said_number,
           CASE WHEN r.id IS NULL THEN c.coffee_name ELSE r.coffee_name END AS coffee_name,
           coalesce(r.start_time, c.roasted_at) AS roasted_at
    FROM blend_components c LEFT JOIN roasts r ON r.id = c.roast_id
    WHERE c.blend_id = ANY(${rows.map(({ id }) => id)}::uuid[]) ORDER BY c.blend_id, c.place`;
  return rows.map((row) => {
    const own = components.filter(({ blend_id: blendId }) => blendId === row.id);
    const totalKg = total(own);
    return {
      ...row,
      total_kg: totalKg,
      components: own.map(({ blend_id: _blend, ...component }) => ({
        ...component,
        share: totalKg === 0 ? 0 : component.kg / totalKg,
      })),
    };
  });
};

export const readBlend = async (sql: Sql, user: SignedInUser, id: string): Promise<Blend | undefined> => {
  const rows = await sql<BlendRow[]>`
    SELECT ${columns(sql)} FROM blends b JOIN users u ON u.id = b.owner_id
    WHERE b.id = ${id} AND ${blendAccess(sql, user)}`;
  return (await withComponents(sql, rows))[0];
};

/** Every word, in any order: in the name of the blend, or found by one of its roasts. */
const foundInBlend = (sql: Sql, { words, zone }: RoastSearch) =>
  words.map(
    (word) => sql`AND (b.name ILIKE ${word.pattern} OR EXISTS (
      SELECT FROM blend_components c LEFT JOIN roasts r ON r.id = c.roast_id
      WHERE c.blend_id = b.id AND (
        ${foundByWord(sql, word, zone)}
        OR (r.id IS NULL AND coalesce(c.coffee_name, c.roast_number) ILIKE ${word.pattern}))))`,
  );

/** One page of blends, newest first. */
export const readBlends = async (
  sql: Sql,
  user: SignedInUser,
  { search, limit, offset }: { search: RoastSearch | undefined; limit: number; offset: number },
): Promise<{ blends: Blend[]; total: number }> => {
  const where = sql`
    ${blendAccess(sql, user)}
    ${search === undefined ? sql`` : foundInBlend(sql, search)}`;
  const [rows, [count]] = await Promise.all([
    sql<BlendRow[]>`
      SELECT ${columns(sql)} FROM blends b JOIN users u ON u.id = b.owner_id WHERE ${where}
      ORDER BY b.created_at DESC, b.id DESC LIMIT ${limit} OFFSET ${offset}`,
    sql<{ total: number }[]>`SELECT count(*) AS total FROM blends b WHERE ${where}`,
  ]);
  return { blends: await withComponents(sql, rows), total: count?.total ?? 0 };
};
