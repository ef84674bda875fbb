import { createOption, listOptions, type Option } from '@roastery/contract/settings';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { ApiError, sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
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

const failureOf = (error: unknown): string =>
  (error instanceof ApiError ? error.fields[0]?.message : undefined) ?? sentenceFor(error, t`Failed to add option`);

export const AddOptionForm = ({ category, one, existing }: AddOptionFormProps) => {
  const [value, setValue] = useState('');
  const [description, setDescription] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);

  const add = async () => {
    if (value.trim() === '') {
      setProblem(t`Please enter a value`);
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await call(createOption, {
        body: {
          category,
          value,
          description: description.trim() === '' ? null : description,
          is_active: true,
          ...(existing === undefined ? {} : { sort_order: existing + 1 }),
        },
      });
      await refresh(listOptions);
      toast(t`${value.trim()} was added`);
      setValue('');
      setDescription('');
    } catch (error) {
      setProblem(failureOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
      className="grid items-start gap-3 border-t border-stroke p-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_auto]"
    >
      <TextField
        label={t`New ${one}`}
        maxLength={120}
        autoComplete="off"
        value={value}
        onChange={(event) => {
          setValue(event.target.value);
          setProblem(undefined);
        }}
        error={problem}
      />
      <TextField
        label={t`Description`}
        placeholder={t`Optional`}
        maxLength={300}
        autoComplete="off"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <Button type="submit" kind="primary" size="md" busy={busy} icon={<Plus aria-hidden />} className="sm:mt-6.5">
        {t`Add`}
      </Button>
    </form>
  );
};
