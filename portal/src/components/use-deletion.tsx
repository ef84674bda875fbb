import { useCallback, useState, type ReactNode } from 'react';
import { logError } from '../api/error-log.ts';
import { t } from '../language/t.ts';
import { toast, type ToastOptions } from '../ui/toast.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';

/** At least one. */
type Some<Row> = readonly [Row, ...Row[]];

/** How records of one kind are deleted, one or several at once. */
export interface Deletion<Row, Answer = unknown> {
  remove: (row: Row) => Promise<Answer>;
  /** Refreshes the data that showed the records. */
  refresh: () => Promise<void>;
  title: (rows: Some<Row>) => string;
  /** Names the records. Texts of the product document are word for word. */
  question: (rows: Some<Row>) => ReactNode;
  confirmLabel?: string;
  /** The toast when all of them were deleted. */
  done: (rows: Some<Row>, answers: readonly Answer[]) => { text: string } & ToastOptions;
  /** The toast when one of them could not be deleted. */
  failed: (error: unknown) => { text: string } & ToastOptions;
}

interface Deleting<Row> {
  /** Opens the confirmation. */
  ask: (rows: readonly Row[]) => void;
  /** The confirmation, to be put anywhere on the page. */
  dialog: ReactNode;
}

/**
 * Shows a confirmation, deletes each record, reads the list again and shows the result. `onEnd` gets the records that
 * could not be deleted.
 */
export const useDeletion = <Row, Answer>(
  deletion: Deletion<Row, Answer> | undefined,
  onEnd?: (left: readonly Row[]) => void,
): Deleting<Row> => {
  const [asked, setAsked] = useState<Some<Row> | null>(null);
  const ask = useCallback(
    ([first, ...others]: readonly Row[]) => setAsked(first === undefined ? null : [first, ...others]),
    [],
  );
  if (deletion === undefined) return { ask, dialog: null };
  const remove = async (rows: Some<Row>) => {
    const results = await Promise.allSettled(rows.map((row) => deletion.remove(row)));
    const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failures = results.filter((result) => result.status === 'rejected').map(({ reason }): unknown => reason);
    for (const failure of failures) logError('Failed to delete', failure);
    await deletion.refresh();
    onEnd?.(rows.filter((_, index) => results[index]?.status === 'rejected'));
    const { text, ...options } =
      failures.length === 0
        ? deletion.done(rows, answers)
        : { tone: 'danger' as const, ...deletion.failed(failures[0]) };
    toast(text, options);
  };
  return {
    ask,
    dialog: (
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={deletion.title}
        question={deletion.question}
        confirmLabel={deletion.confirmLabel ?? t`Delete`}
        onConfirm={remove}
      />
    ),
  };
};
