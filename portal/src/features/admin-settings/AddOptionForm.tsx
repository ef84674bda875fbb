import { createOption, listOptions, type Option } from '@roastery/contract/settings';
import { Plus } from 'lucide-react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import type { Resolver } from 'react-hook-form';
import { FormError } from '../../components/form/FormError.tsx';
import { FormFrame } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';

export type Category = Option['category'];

/** The option lists in the document's order: where each is offered, and the name of one value. */
export const categories: readonly { value: Category; label: string; one: string; where: string }[] = [
  { value: 'variety', label: t`Variety`, one: 'variety', where: t`Offered in lots and recipes.` },
  { value: 'origin', label: t`Origin`, one: 'origin', where: t`Offered in lots, recipes and roasts.` },
  { value: 'process', label: t`Process`, one: 'process', where: t`Offered in lots and roasts.` },
  { value: 'warehouse', label: t`Warehouse`, one: 'warehouse', where: t`Offered as the location of a lot.` },
  {
    value: 'machine_type',
    label: t`Machine Type`,
    one: t`machine type`,
    where: t`Offered when a machine is registered.`,
  },
];

export const categoryNames: readonly Category[] = categories.map(({ value }) => value);

interface AddOptionFormProps {
  category: Category;
  /** Name of one value. */
  one: string;
  /** Number of existing values: the new one is added at the end. `undefined` while unknown. */
  existing: number | undefined;
}

interface OptionValues {
  value: string;
  description: string;
}

const resolver: Resolver<OptionValues, unknown, OptionValues> = (values) =>
  values.value.trim() === ''
    ? { values: {}, errors: { value: { type: 'required', message: t`Please enter a value` } } }
    : { values, errors: {} };

export const AddOptionForm = ({ category, one, existing }: AddOptionFormProps) => {
  const form = useRecordForm({
    values: { value: '', description: '' },
    resolver,
    fields: ['value', 'description'],
    failure: (error, isBesideFields) => (isBesideFields ? null : sentenceFor(error, t`Failed to add option`)),
    save: ({ value, description }) =>
      call(createOption, {
        body: {
          category,
          value,
          description: description.trim() === '' ? null : description,
          is_active: true,
          ...(existing === undefined ? {} : { sort_order: existing + 1 }),
        },
      }),
    saved: async ({ value }, { startAnew }) => {
      startAnew();
      await refresh(listOptions);
      toast(t`${value} was added`);
    },
  });
  return (
    <FormFrame
      of={form}
      className="grid items-start gap-3 border-t border-stroke p-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_auto]"
    >
      <TextField label={t`New ${one}`} maxLength={120} autoComplete="off" {...form.field('value')} />
      <TextField
        label={t`Description`}
        placeholder={t`Optional`}
        maxLength={300}
        autoComplete="off"
        {...form.field('description')}
      />
      <Button
        type="submit"
        kind="primary"
        size="md"
        busy={form.isSubmitting}
        icon={<Plus aria-hidden />}
        className="sm:mt-6.5"
      >
        {t`Add`}
      </Button>
      {form.failure !== null && (
        <div className="col-span-full">
          <FormError text={form.failure} />
        </div>
      )}
    </FormFrame>
  );
};
