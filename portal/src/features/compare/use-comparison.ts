import { useMemo } from 'react';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { useTyped } from '../../components/use-typed.ts';
import type { PlacedRoast } from './AtMoment.tsx';
import {
  alignments,
  alignRoast,
  idsIn,
  maxCompared,
  quantities,
  zeroOf,
  type ComparedQuantity,
} from './compare-lines.ts';
import { useCompared } from './use-compared.ts';

/** The compared roasts and what is shown of them, as the address says. */
export const useComparison = () => {
  const { read, change } = useUrlState();
  const idsText = read('ids');
  const ids = useMemo(() => idsIn(idsText, maxCompared), [idsText]);
  const alignment = oneOf(alignments, read('align'), 'charge');
  const quantity = oneOf(quantities, read('show'), 'bean_temp');
  // Held arrow keys repeat faster than an address may change.
  const [at, setAt] = useTyped(read('at') ?? '', (moment) => change({ at: moment }));
  const selected = at === '' || !Number.isFinite(Number(at)) ? null : Number(at);
  const compared = useCompared(ids);
  const placed = useMemo(
    () =>
      compared.flatMap(({ id, style, roast, curve }): PlacedRoast[] => {
        const zero = roast && zeroOf(roast, alignment);
        if (!roast || !curve || zero === null || zero === undefined || curve.time_seconds.length === 0) return [];
        return [{ id, style, aligned: alignRoast(roast, curve, zero) }];
      }),
    [compared, alignment],
  );
  return {
    ids,
    alignment,
    quantity,
    selected,
    compared,
    placed,
    choose: (next: readonly string[]) => change({ ids: next.length === 0 ? undefined : next.join(',') }),
    align: (next: (typeof alignments)[number]) =>
      change({ align: next === 'charge' ? undefined : next, at: undefined }),
    show: (next: ComparedQuantity) => change({ show: next === 'bean_temp' ? undefined : next }),
    select: (seconds: number | null) => setAt(seconds === null ? '' : String(seconds)),
  };
};
export type Comparison = ReturnType<typeof useComparison>;
