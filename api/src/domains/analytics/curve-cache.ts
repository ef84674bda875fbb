import type { SignedInUser } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { readCurve } from '../roasts/roast-curve.ts';
import { secondCurve, type SecondCurve } from './second-curve.ts';

/** Some 7 KB each: at most about 7 MB of curves are kept. */
const mostCurves = 1000;
/** Readings at once: as many as leave connections for everybody else. */
const atOnce = 3;

/** What a curve is made of. `is_complete`: every sample between charge and drop has arrived, so it will never change. */
export interface CurveSource {
  readonly id: string;
  readonly recording_id: string | null;
  readonly boot_no: number | null;
  readonly charge_mono_ms: number | null;
  readonly drop_mono_ms: number | null;
  readonly is_complete: boolean;
}

/** Columns of `roasts r` for a {@link CurveSource}; a board's journal may still be on its way, an uploaded file is whole. */
export const curveSourceColumns = (sql: Sql) => sql`
  r.recording_id, r.boot_no, r.charge_mono_ms, r.drop_mono_ms,
  EXISTS (SELECT FROM recordings c
           WHERE c.id = r.recording_id
             AND (c.source <> 'agent' OR c.committed @> int8range(r.charge_seq, r.drop_seq, '[]'))) AS is_complete`;

/** A moved mark moves the window: the curve is another one then. */
const keyOf = ({ id, recording_id, boot_no, charge_mono_ms, drop_mono_ms }: CurveSource): string =>
  [id, recording_id, boot_no, charge_mono_ms, drop_mono_ms].join(' ');

/** Reads curves second by second and keeps the newest used ones of roasts that can't change any more. */
export const createCurveCache = () => {
  const kept = new Map<string, SecondCurve>();

  const read = async (sql: Sql, user: SignedInUser, source: CurveSource): Promise<SecondCurve> => {
    const key = keyOf(source);
    const known = kept.get(key);
    if (known !== undefined) {
      // Last in the map is newest used.
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const curve = await readCurve(sql, user, source.id, { before: 0, after: 0 });
    const seconds = secondCurve(curve?.timeSeconds ?? [], curve?.channels.get('bean_temp') ?? []);
    if (source.is_complete) {
      kept.set(key, seconds);
      const [oldest] = kept.keys();
      if (kept.size > mostCurves && oldest !== undefined) kept.delete(oldest);
    }
    return seconds;
  };

  return {
    /** The curves of these roasts, in their order. The caller has checked that the person may see them. */
    async readAll(sql: Sql, user: SignedInUser, sources: readonly CurveSource[]): Promise<SecondCurve[]> {
      const curves: SecondCurve[] = [];
      let next = 0;
      const work = async (): Promise<void> => {
        for (let index = next++; index < sources.length; index = next++) {
          const source = sources[index];
          if (source !== undefined) curves[index] = await read(sql, user, source);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return curves;
    },
  };
};
export type CurveCache = ReturnType<typeof createCurveCache>;
