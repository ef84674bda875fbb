import { useState, type ReactNode } from 'react';
import {
  useForm,
  type DefaultValues,
  type FieldPath,
  type FieldValues,
  type RegisterOptions,
  type Resolver,
  type UseFormRegisterReturn,
  type UseFormReturn,
} from 'react-hook-form';
import { sentenceWithFields } from '../../api/api-error.ts';
import { showFieldErrors } from './FormError.tsx';
import { useLeave } from './UnsavedChanges.tsx';
import { useEditConflict, type EditedRecord, type Revised } from './use-edit-conflict.tsx';

interface SaveContext<Values> {
  /** The present values of the form. */
  values: Values;
  /** Of the record that is edited; 0 for a new one. */
  revision: number;
  /** Names of the fields that were changed. */
  changed: ReadonlySet<string>;
}

interface AfterSave<Values, Thing> {
  /** Leaves the page without a confirmation. */
  leaveTo: (path: string) => void;
  /** The form stays and continues from this version. */
  continueFrom: (record: Thing) => void;
  /** The form stays and starts again with these values; without them as it was opened. */
  startAnew: (values?: Values) => void;
}

interface RecordFormOptions<Values extends FieldValues, Body, Saved, Thing extends Revised> {
  /** The initial values of the fields. */
  values: DefaultValues<NoInfer<Values>>;
  /** Turns the fields into the body of the request, or names the wrong ones. */
  resolver: Resolver<Values, unknown, Body>;
  /** The record that is edited; absent for a new one. */
  edited?: EditedRecord<NoInfer<Values>, Thing>;
  /** Fields beside which the server's messages are shown. */
  fields: readonly FieldPath<NoInfer<Values>>[];
  save: (body: Body, context: SaveContext<Values>) => Promise<Saved>;
  /** Refreshes the changed data, shows the toast, closes or leaves. */
  saved: (saved: Saved, after: AfterSave<NoInfer<Values>, Thing>) => Promise<void> | void;
  /** The sentence above the buttons when the server sends none, or a function that returns it; null shows none. */
  failure: string | ((error: unknown, isBesideFields: boolean) => string | null);
  /** The sentence above the buttons while fields are wrong. */
  invalid?: string;
}

export interface RecordForm<Values extends FieldValues, Body> {
  hookForm: UseFormReturn<Values, unknown, Body>;
  /** Props of a text field: `<TextField label="Name" {...field('name')} />`. */
  field: <Name extends FieldPath<Values>>(
    name: Name,
    rules?: RegisterOptions<Values, Name>,
  ) => UseFormRegisterReturn<Name> & { error: string | undefined };
  submit: () => void;
  isDirty: boolean;
  isSubmitting: boolean;
  /** Why saving failed. */
  failure: string | null;
  /** The notice of an edit conflict. */
  notice: ReactNode;
}

/**
 * A form that creates or edits one record. It manages the fields, their errors, saving, edit conflicts and the
 * confirmation before leaving. Show it with `PageForm`, `CardForm` or `ModalForm`. A field's error disappears when the
 * field is edited.
 */
export const useRecordForm = <Values extends FieldValues, Body, Saved, Thing extends Revised = Revised>(
  options: RecordFormOptions<Values, Body, Saved, Thing>,
): RecordForm<Values, Body> => {
  const { values, resolver, edited, fields, save, saved, invalid } = options;
  const explain = options.failure;
  const [failure, setFailure] = useState<string | null>(null);
  const { isLeaving, leaveTo } = useLeave();
  const form = useForm<Values, unknown, Body>({ resolver, defaultValues: values, reValidateMode: 'onSubmit' });
  const { formState } = form;
  const { isDirty, isSubmitting, dirtyFields } = formState;
  const conflict = useEditConflict(form, edited);

  const submit = form.handleSubmit(
    async (body) => {
      setFailure(null);
      try {
        const changed = new Set(Object.keys(dirtyFields));
        const context = { values: form.getValues(), revision: conflict.revision, changed };
        const sent = structuredClone(context.values);
        const made = await save(body, context);
        await saved(made, {
          leaveTo,
          continueFrom: (record) => conflict.continueFrom(record, sent),
          startAnew: (next) => form.reset(next),
        });
      } catch (error) {
        if (await conflict.explains(error).catch(() => false)) return;
        const isBesideFields = showFieldErrors<Values>(error, fields, form.setError);
        setFailure(typeof explain === 'string' ? sentenceWithFields(error, explain) : explain(error, isBesideFields));
      }
    },
    () => setFailure(invalid ?? null),
  );
  return {
    hookForm: form,
    field: (name, rules) => {
      const registered = form.register(name, rules);
      const onChange: typeof registered.onChange = (event) => {
        form.clearErrors(name);
        return registered.onChange(event);
      };
      return { ...registered, onChange, error: form.getFieldState(name, formState).error?.message };
    },
    submit: () => void submit(),
    isDirty: isDirty && !isLeaving,
    isSubmitting,
    failure,
    notice: conflict.notice,
  };
};
