import { useState, type ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { ApiError } from '../api/api-error.ts';
import { ChangedMeanwhile } from './ChangedMeanwhile.tsx';
import { mergeThreeWay } from './three-way.ts';

interface MeanwhileOptions<Values extends FieldValues, Thing> {
  form: UseFormReturn<Values, unknown, never> | UseFormReturn<Values>;
  /** `machine`, `roast`. */
  thing: string;
  /** What the form began with. */
  record: Thing;
  valuesOf: (record: Thing) => Values;
  labels: Readonly<Partial<Record<keyof Values & string, string>>>;
  /** How a value is told, where it is not its own text. */
  textOf?: (field: keyof Values & string, value: unknown) => string;
  /** The record as it is now. */
  read: () => Promise<Thing>;
}

const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** A long form may hide what it has to say: whoever pressed Save at its end must see why it was not saved. */
const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

interface Meanwhile<Thing> {
  /** Goes along with the edit. */
  revision: number;
  /** Who was faster and what they changed; null when nobody was. */
  notice: ReactNode;
  /** Whether an edit failed because somebody was faster: then the notice tells. */
  explains: (error: unknown) => Promise<boolean>;
  /** The form goes on from this record, e.g. the one just saved. */
  goOnFrom: (record: Thing) => void;
}

/**
 * For a form over a record with a `revision`: sends the one it began with, and when somebody else saved first shows what they
 * changed and goes on from both. Nothing is overwritten unseen.
 */
export const useMeanwhile = <Values extends FieldValues, Thing extends { readonly revision: number }>(
  options: MeanwhileOptions<Values, Thing>,
): Meanwhile<Thing> => {
  const { thing, record, valuesOf, labels, read, textOf = (_field, value) => plainText(value) } = options;
  const form = options.form as UseFormReturn<Values>;
  const [base, setBase] = useState(record);
  const [newest, setNewest] = useState(record);

  const goOnFrom = (next: Thing): void => {
    setBase(next);
    setNewest(next);
  };
  const noticeOf = (): ReactNode => {
    const own = form.getValues();
    const now = valuesOf(newest);
    const { merged, theirs, clashes } = mergeThreeWay(valuesOf(base), now, own);
    return (
      <div ref={intoView}>
        <ChangedMeanwhile
          thing={thing}
          theirs={theirs.map((field) => labels[field] ?? field)}
          clashes={clashes.map((field) => ({
            label: labels[field] ?? field,
            now: textOf(field, now[field]),
            yours: textOf(field, own[field]),
          }))}
          onMerge={() => {
            form.reset(now);
            form.reset(merged, { keepDefaultValues: true });
            goOnFrom(newest);
          }}
          onDiscard={() => {
            form.reset(now);
            goOnFrom(newest);
          }}
        />
      </div>
    );
  };
  return {
    revision: base.revision,
    notice: newest.revision === base.revision ? null : noticeOf(),
    explains: async (error) => {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') return false;
      setNewest(await read());
      return true;
    },
    goOnFrom,
  };
};
