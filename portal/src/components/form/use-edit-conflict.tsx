import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { ApiError } from '../../api/api-error.ts';
import { conventions } from '../../format/conventions.ts';
import { dateTexts } from '../../format/dates.ts';
import { formatPrice } from '../../format/money.ts';
import { numberInField } from '../../format/numbers.ts';
import { exactWeight } from '../../format/weights.ts';
import { EditConflict } from './EditConflict.tsx';
import { mergeThreeWay } from './three-way.ts';
import { offerUndo } from './use-removal.ts';
import { t } from '../../language/t.ts';

export interface Revised {
  readonly revision: number;
}

export interface EditedRecord<Values extends FieldValues, Thing extends Revised> {
  /** `machine`, `roast`. */
  noun: string;
  /** The newest version that the page knows. */
  record: Thing;
  valuesOf: (record: Thing) => Values;
  labels: Readonly<Partial<Record<keyof Values & string, string>>>;
  /** A value as text, where it is not a text or a number. */
  textOf?: (field: keyof Values & string, value: Values[keyof Values & string]) => string;
  /** Reads the record from the server. */
  read: () => Promise<Thing>;
}

interface EditConflictState<Values, Thing> {
  /** Revision that the form began with; sent with the change. 0 for a new record. */
  revision: number;
  /** The other person's changes and the two choices; null without a conflict. */
  notice: ReactNode;
  /** Whether saving failed because another person saved first. Then `notice` explains it. */
  explains: (error: unknown) => Promise<boolean>;
  /** Continues from the version just saved. Input since the request was sent stays unsaved. */
  continueFrom: (record: Thing, sent: Values) => void;
}

const weights: ReadonlySet<string> = new Set([
  'batch_size_kg',
  'end_weight_kg',
  'initial_weight',
  'max_batch_size',
  'max_capacity_kg',
  'min_batch_size',
]);

/** A weight, a price or a day in this person's format; undefined for other values. */
const ownText = (field: string, value: unknown): string | undefined => {
  if (value === '' || (typeof value !== 'string' && typeof value !== 'number')) return undefined;
  if (weights.has(field)) return exactWeight(Number(value));
  if (field === 'cost_per_kg') return formatPrice(Number(value));
  return field.endsWith('_date') ? dateTexts('UTC', conventions().region).figures(String(value)) : undefined;
};

const plainText = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? t`Yes` : t`No`;
  return typeof value === 'string' ? value : typeof value === 'number' ? numberInField(value) : '';
};

/** The notice may be below the visible part of a long form. */
const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

/**
 * Optimistic locking for a form over a record with a `revision`. The form sends the revision it began with. When another person
 * saved first, the notice shows their changes and the form continues from both versions. A form without changes follows the
 * newest version by itself.
 */
export const useEditConflict = <Values extends FieldValues, Body, Thing extends Revised>(
  form: UseFormReturn<Values, unknown, Body>,
  edited: EditedRecord<Values, Thing> | undefined,
): EditConflictState<Values, Thing> => {
  const [base, setBase] = useState(edited?.record);
  const [known, setKnown] = useState(edited?.record);
  const { isDirty } = form.formState;
  const given = edited?.record;
  const newest = known !== undefined && given !== undefined && known.revision > given.revision ? known : given;
  const isBehind = newest !== undefined && newest.revision !== base?.revision;

  if (isBehind && !isDirty) setBase(newest);
  const follow = useEffectEvent((from: Thing | undefined) => {
    if (edited !== undefined && from !== undefined && !form.formState.isDirty) form.reset(edited.valuesOf(from));
  });
  useEffect(() => follow(base), [base]);

  const noticeOf = (of: EditedRecord<Values, Thing>, before: Thing, now: Thing): ReactNode => {
    const { labels, valuesOf } = of;
    const textOf: NonNullable<typeof of.textOf> = (field, value) =>
      ownText(field, value) ?? of.textOf?.(field, value) ?? plainText(value);
    const own = form.getValues();
    const saved = valuesOf(now);
    const { merged, theirs, clashes } = mergeThreeWay<Values>(valuesOf(before), saved, own);
    return (
      <div ref={intoView}>
        <EditConflict
          thing={of.noun}
          theirs={theirs.map((field) => labels[field] ?? field)}
          clashes={clashes.map((field) => ({
            label: labels[field] ?? field,
            now: textOf(field, saved[field]),
            yours: textOf(field, own[field]),
          }))}
          onMerge={() => {
            form.reset(saved);
            form.reset(merged, { keepDefaultValues: true });
            setBase(now);
          }}
          onDiscard={() => {
            form.reset(saved);
            setBase(now);
            const restore = (): void => {
              form.reset(valuesOf(before));
              form.reset(own, { keepDefaultValues: true });
              setBase(before);
            };
            offerUndo(t`Your changes were discarded`, restore);
          }}
        />
      </div>
    );
  };
  return {
    revision: base?.revision ?? 0,
    notice: edited && base && newest && isBehind && isDirty ? noticeOf(edited, base, newest) : null,
    explains: async (error) => {
      if (edited === undefined || !(error instanceof ApiError) || error.code !== 'changed_meanwhile') return false;
      setKnown(await edited.read());
      return true;
    },
    continueFrom: (record, sent) => {
      if (edited !== undefined) {
        const saved = edited.valuesOf(record);
        const { merged } = mergeThreeWay<Values>(sent, saved, form.getValues());
        form.reset(saved);
        form.reset(merged, { keepDefaultValues: true });
      }
      setBase(record);
      setKnown(record);
    },
  };
};
