import { getRoastCurveColumns, type CurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, type Roast } from '@roastery/contract/roasts';
import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { lineStyles, type LineStyle } from './compare-lines.ts';

export interface ComparedRoast {
  readonly id: string;
  readonly style: LineStyle;
  /** Undefined while it loads, and when it is unavailable. */
  readonly roast: Roast | undefined;
  readonly curve: CurveColumns | undefined;
  readonly error: unknown;
}

const once = { revalidateOnFocus: false, revalidateIfStale: false, compare: Object.is };

const useOne = (id: string | undefined) => {
  const input = id === undefined ? null : { params: { id } };
  const roast = useApi(getRoast, input, once);
  const curve = useApi(getRoastCurveColumns, input, once);
  const error: unknown = roast.error ?? curve.error;
  return { roast: roast.data, curve: curve.data, error };
};

/** The roasts with these ids, as they load. There is one slot per line style. */
export const useCompared = (ids: readonly string[]): readonly ComparedRoast[] => {
  const a = useOne(ids[0]);
  const b = useOne(ids[1]);
  const c = useOne(ids[2]);
  const d = useOne(ids[3]);
  const e = useOne(ids[4]);
  return useMemo(
    () =>
      [a, b, c, d, e].flatMap((slot, place) => {
        const id = ids[place];
        const style = lineStyles[place];
        return id === undefined || style === undefined ? [] : [{ id, style, ...slot }];
      }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the slots are new objects around the same answers
    [ids.join(','), ...[a, b, c, d, e].flatMap(({ roast, curve, error }) => [roast, curve, error])],
  );
};
