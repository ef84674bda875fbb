import type { Sql } from './sql.ts';

/**
 * The definition of a schema except for the order of columns, one line each: tables, columns, views, constraints,
 * indexes, functions and triggers, as Postgres prints them. Two schemas with equal lines are equal.
 */
export const readCatalog = async (sql: Sql, schema: string): Promise<string[]> => {
  const rows = await sql<{ line: string }[]>`
    WITH ours AS (SELECT oid, relname, relkind, relpersistence FROM pg_class WHERE relnamespace = ${schema}::regnamespace)
    SELECT 'table ' || relname || ' ' || relpersistence::text AS line FROM ours WHERE relkind = 'r'
    UNION ALL
    SELECT 'column ' || relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attstorage::text || attgenerated::text
           || CASE WHEN attnotnull THEN ' not null' ELSE '' END || coalesce(' = ' || pg_get_expr(adbin, adrelid), '')
      FROM ours JOIN pg_attribute a ON attrelid = ours.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE relkind = 'r'
    UNION ALL
    -- From Postgres 18 on, NOT NULL is a constraint too; the lines of the columns have it.
    SELECT 'constraint ' || relname || '.' || conname || ' ' || pg_get_constraintdef(c.oid)
      FROM ours JOIN pg_constraint c ON conrelid = ours.oid WHERE contype <> 'n'
    UNION ALL
    SELECT 'index ' || pg_get_indexdef(indexrelid) FROM ours JOIN pg_index ON indrelid = ours.oid WHERE relkind = 'r'
    UNION ALL
    SELECT 'view ' || relname || pg_get_viewdef(oid) FROM ours WHERE relkind = 'v'
    UNION ALL
    SELECT 'function ' || proname || ' ' || prosrc FROM pg_proc p
     WHERE pronamespace = ${schema}::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
    UNION ALL
    SELECT 'trigger ' || pg_get_triggerdef(t.oid) FROM ours JOIN pg_trigger t ON tgrelid = ours.oid WHERE NOT tgisinternal`;
  const prefixes = new RegExp(`\\b(?:${schema}|public)\\.`, 'g');
  return rows.map(({ line }) => line.replaceAll(prefixes, '')).sort();
};
