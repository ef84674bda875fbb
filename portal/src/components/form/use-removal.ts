import { useEffect, useRef } from 'react';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';

/** Long enough to notice that it was the wrong one. */
const undoMs = 10_000;

/** States what a form has lost, with Undo. */
export const offerUndo = (text: string, run: () => void): void =>
  toast(text, { tone: 'info', action: { label: t`Undo`, run }, stays: undoMs });

/**
 * Removes a row from a list of an unsaved form at once, and offers Undo: the row returns to its place, beside what changed
 * since.
 * @param text of the removed row, e.g. "Point 3 was removed"
 */
export const useRemoval = <Row>(rows: readonly Row[], onChange: (rows: Row[]) => void) => {
  const newest = useRef({ rows, onChange });
  useEffect(() => {
    newest.current = { rows, onChange };
  });
  return (row: Row, text: string): void => {
    const place = rows.indexOf(row);
    onChange(rows.filter((other) => other !== row));
    offerUndo(text, () => {
      const { rows: now, onChange: put } = newest.current;
      put(now.toSpliced(place, 0, row));
    });
  };
};
