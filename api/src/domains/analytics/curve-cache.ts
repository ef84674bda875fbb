import type { Sql } from '../../db/sql.ts';
import { readBeanCurves, type Recorded } from './read-bean-curves.ts';
import type { SecondCurve } from './curve-band.ts';

/** About 7 KB each: at most about 7 MB of curves are cached. */
const maxCurves = 1000;

/** The source of a curve. `is_complete`: every sample between charge and drop has arrived, so it will never change. */
export type CurveSource = Recorded & { readonly is_complete: boolean; readonly layouts_rev: number | null };

/**
 * Columns of `roasts r` for a {@link CurveSource}; a board's journal may still be incomplete, an uploaded file is
 * complete.
 */
export const curveSourceColumns = (sql: Sql) => sql`
  r.recording_id, r.status, r.status_seq, r.boot_no, r.charge_mono_ms, r.charge_seq, r.drop_mono_ms, r.drop_seq,
  (SELECT c.layouts_rev FROM recordings c WHERE c.id = r.recording_id) AS layouts_rev,
  EXISTS (SELECT FROM recordings c
           WHERE c.id = r.recording_id
             AND (c.source <> 'agent' OR c.committed @> int8range(r.charge_seq, r.drop_seq, '[]'))) AS is_complete`;

/** A moved mark moves the window, and exchanged channels have other readings: the curve changes. */
const keyOf = ({ id, recording_id, layouts_rev, boot_no, charge_mono_ms, drop_mono_ms }: CurveSource): string =>
  [id, recording_id, layouts_rev, boot_no, charge_mono_ms, drop_mono_ms].join(' ');

/** Reads curves second by second and caches the last used ones of roasts that can't change any more. */
export const createCurveCache = () => {
  const kept = new Map<string, SecondCurve>();

  /** The last entry of the map is the last used one. */
  const keep = (key: string, curve: SecondCurve): void => {
    kept.delete(key);
    kept.set(key, curve);
    const [oldest] = kept.keys();
    if (kept.size > maxCurves && oldest !== undefined) kept.delete(oldest);
  };

  return {
    /** The curves of these roasts, in their order. The caller has checked that the person may see them. */
    async readAll(sql: Sql, sources: readonly CurveSource[]): Promise<SecondCurve[]> {
      const known = sources.map((source) => kept.get(keyOf(source)));
      const missing = sources.filter((_, index) => known[index] === undefined);
      const read = await readBeanCurves(sql, missing);
      let next = 0;
      return sources.map((source, index) => {
        const curve = known[index] ?? read[next++] ?? [];
        if (source.is_complete) keep(keyOf(source), curve);
        return curve;
      });
    },
  };
};
export type CurveCache = ReturnType<typeof createCurveCache>;
