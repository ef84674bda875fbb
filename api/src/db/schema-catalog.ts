import type { Sql } from './sql.ts';

/**
 * The definition of a schema except for the order of columns, one line each: tables, columns, views, sequences, constraints,
 * indexes, functions, triggers, types and comments, as Postgres prints them. Two schemas with equal lines are equal. Left out:
 * what belongs to an extension, storage parameters, which operators tune, and the bookkeeping of migrations.
 */
export const readCatalog = async (sql: Sql, schema: string): Promise<string[]> => {
  const rows = await sql<{ line: string }[]>`
    WITH of_extensions AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e'),
    ours AS (
      SELECT oid, relname, relkind, relpersistence FROM pg_class
       WHERE relnamespace = ${schema}::regnamespace AND relkind NOT IN ('i', 'I') AND relname <> 'schema_migrations'
         AND ('pg_class'::regclass, oid) NOT IN (SELECT classid, objid FROM of_extensions))
    SELECT 'table ' || relname || ' ' || relkind::text || relpersistence::text AS line
      FROM ours WHERE relkind NOT IN ('v', 'S', 'c')
    UNION ALL
    SELECT 'column ' || relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' '
           || attstorage::text || attgenerated::text || attidentity::text
           || CASE WHEN attnotnull THEN ' not null' ELSE '' END || coalesce(' = ' || pg_get_expr(adbin, adrelid), '')
      FROM ours JOIN pg_attribute a ON attrelid = ours.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE relkind NOT IN ('v', 'S')
    UNION ALL
    SELECT 'view ' || relname || pg_get_viewdef(oid) FROM ours WHERE relkind = 'v'
    UNION ALL
    SELECT 'sequence ' || relname || ' ' || format_type(seqtypid, NULL)
           || concat_ws(' ', ' from', seqstart, 'by', seqincrement, 'in', seqmin, seqmax, 'cache', seqcache, 'cycle', seqcycle)
      FROM ours JOIN pg_sequence ON seqrelid = ours.oid
    UNION ALL
    -- From Postgres 18 on, NOT NULL is a constraint too; the lines of the columns have it.
    SELECT 'constraint ' || relname || '.' || conname || ' ' || pg_get_constraintdef(c.oid)
      FROM ours JOIN pg_constraint c ON conrelid = ours.oid WHERE contype <> 'n'
    UNION ALL
    SELECT 'index ' || pg_get_indexdef(indexrelid) || CASE WHEN indisvalid THEN '' ELSE ' invalid' END
      FROM ours JOIN pg_index ON indrelid = ours.oid
    UNION ALL
    SELECT 'function ' || pg_get_functiondef(oid) FROM pg_proc
     WHERE pronamespace = ${schema}::regnamespace AND prokind IN ('f', 'p')
       AND ('pg_proc'::regclass, oid) NOT IN (SELECT classid, objid FROM of_extensions)
    UNION ALL
    SELECT 'trigger ' || pg_get_triggerdef(t.oid) || CASE WHEN tgenabled = 'O' THEN '' ELSE ' ' || tgenabled::text END
      FROM ours JOIN pg_trigger t ON tgrelid = ours.oid WHERE NOT tgisinternal
    UNION ALL
    SELECT 'type ' || typname || ' ' || typtype::text || coalesce(
             (SELECT ' ' || string_agg(enumlabel, ' ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid), '')
      FROM pg_type t WHERE typnamespace = ${schema}::regnamespace AND typtype NOT IN ('b', 'c')
       AND ('pg_type'::regclass, oid) NOT IN (SELECT classid, objid FROM of_extensions)
    UNION ALL
    SELECT concat_ws(' ', 'comment', o.type, o.identity, 'is', description)
      FROM pg_description d, pg_identify_object(classoid, objoid, objsubid) o
     WHERE o.schema = ${schema} AND (classoid, objoid) NOT IN (SELECT classid, objid FROM of_extensions)`;
  const prefixes = new RegExp(`\\b(?:${schema}|public)\\.`, 'g');
  return rows.map(({ line }) => line.replaceAll(prefixes, '')).sort();
};
