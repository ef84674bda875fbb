import { zodResolver } from '@hookform/resolvers/zod';
import { getLot, listLots } from '@roastery/contract/inventory';
import { editRoastShape, getRoast, listRoasts, roastLevels, updateRoast, type Roast } from '@roastery/contract/roasts';
import { Controller, useForm } from 'react-hook-form';
import { useState } from 'react';
import type { z } from 'zod';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { sentenceWithFields } from '../../api/api-error.ts';
import { FormError, showFieldErrors } from '../../components/forms.tsx';
import { LotField } from '../../components/LotField.tsx';
import { RecipeField } from '../../components/RecipeField.tsx';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { useMeanwhile } from '../../components/use-meanwhile.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField, TextArea, TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { roastNumber } from './roast-texts.ts';

type Values = z.input<typeof editRoastShape>;
type Parsed = z.output<typeof editRoastShape>;

const textFields = ['coffee_name', 'coffee_origin', 'coffee_process', 'roasted_by', 'notes'] as const;
const numberFields = ['batch_size_kg', 'end_weight_kg', 'cupping_score', 'color'] as const;
const fields = [...textFields, ...numberFields, 'roast_level', 'roast_level_target', 'lot_id', 'profile_id'] as const;

/** What is empty in a form is null in the record. */
const emptyToNull = (value: unknown): unknown => (value === '' || Number.isNaN(value) ? null : value);

const valuesOf = (roast: Roast): Values => Object.fromEntries(fields.map((field) => [field, roast[field]])) as Values;

const labels = {
  coffee_name: 'Coffee name',
  coffee_origin: 'Origin',
  coffee_process: 'Process',
  roasted_by: 'Roasted by',
  notes: 'Notes',
  batch_size_kg: 'Batch size',
  end_weight_kg: 'Roasted weight',
  cupping_score: 'Cupping score',
  color: 'Color',
  roast_level: 'Roast level',
  roast_level_target: 'Target level',
  lot_id: 'Green coffee lot',
  profile_id: 'Recipe',
} satisfies Record<(typeof fields)[number], string>;

/** An id is not shown. */
const textOf = (field: string, value: unknown): string => {
  if (field === 'lot_id' || field === 'profile_id') return value === null ? '' : 'Another';
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
};

interface EditRoastDialogProps {
  roast: Roast;
  open: boolean;
  onClose: () => void;
}

/** Edits what was roasted and by whom; the recorded curve stays as the machine made it. */
export const EditRoastDialog = ({ roast, open, onClose }: EditRoastDialogProps) => {
  // Each opening begins with the roast as it is then; data that arrives while the user types does not replace it.
  const [opened, setOpened] = useState<{ roast: Roast; times: number }>({ roast, times: 0 });
  const [wasOpen, setWasOpen] = useState(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setOpened({ roast, times: opened.times + 1 });
  }
  // An untouched form fades out; a changed one would ask before the page is left.
  const leave = () => {
    setOpened({ roast, times: opened.times + 1 });
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={leave}
      title={`Edit ${roastNumber(roast)}`}
      description="The recorded curve is not changed."
      width="md"
    >
      <EditForm key={opened.times} roast={opened.roast} onClose={leave} />
    </Dialog>
  );
};

const EditForm = ({ roast, onClose }: Omit<EditRoastDialogProps, 'open'>) => {
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm<Values, unknown, Parsed>({
    resolver: zodResolver(editRoastShape),
    defaultValues: valuesOf(roast),
  });
  const { register, control, handleSubmit, setError, formState } = form;
  const { errors, isDirty, dirtyFields } = formState;
  const meanwhile = useMeanwhile({
    form,
    thing: 'roast',
    record: roast,
    valuesOf,
    labels,
    textOf,
    read: () => call(getRoast, { params: { id: roast.id } }),
  });
  const save = handleSubmit(async (body) => {
    setFailure(null);
    try {
      // Only what was changed: a lot or recipe that stays must not be checked again.
      const changed = Object.fromEntries(Object.entries(body).filter(([field]) => field in dirtyFields));
      await call(updateRoast, { params: { id: roast.id }, body: { ...changed, revision: meanwhile.revision } });
      await refresh(getRoast, listRoasts, getLot, listLots);
      toast('Roast updated');
      onClose();
    } catch (error) {
      if (await meanwhile.explains(error).catch(() => false)) return;
      if (!showFieldErrors<Values>(error, fields, setError))
        setFailure(sentenceWithFields(error, 'Failed to update roast'));
    }
  });
  const levels = roastLevels.map((level) => ({ value: level, label: level }));
  const text = (field: (typeof textFields)[number], label: string) => (
    <TextField label={label} error={errors[field]?.message} {...register(field, { setValueAs: emptyToNull })} />
  );
  const number = (field: (typeof numberFields)[number], label: string, unit?: string) => (
    <NumberField
      label={label}
      {...(unit === undefined ? {} : { unit })}
      error={errors[field]?.message}
      {...register(field, { setValueAs: (value: unknown) => (value === '' || value === null ? null : Number(value)) })}
    />
  );
  const link = (field: 'lot_id' | 'profile_id') => (
    <Controller
      control={control}
      name={field}
      render={({ field: { value, onChange, onBlur } }) => {
        const own = { value: value ?? null, onChange, onBlur, error: errors[field]?.message };
        return field === 'lot_id' ? <LotField {...own} /> : <RecipeField {...own} />;
      }}
    />
  );
  const level = (field: 'roast_level' | 'roast_level_target', label: string) => (
    <Controller
      control={control}
      name={field}
      render={({ field: { value, onChange, onBlur, ref } }) => (
        <Select
          label={label}
          choices={levels}
          value={value ?? null}
          placeholder="Not set"
          {...{ onChange, onBlur, ref }}
          error={errors[field]?.message}
        />
      )}
    />
  );
  return (
    <form onSubmit={(event) => void save(event)} className="flex min-h-0 flex-1 flex-col" noValidate>
      <UnsavedChanges dirty={isDirty} />
      <DialogBody>
        {text('coffee_name', 'Coffee name')}
        <div className="grid gap-4 sm:grid-cols-2">
          {text('coffee_origin', 'Origin')}
          {text('coffee_process', 'Process')}
          {number('batch_size_kg', 'Batch size', 'kg')}
          {number('end_weight_kg', 'Roasted weight', 'kg')}
          {level('roast_level_target', 'Target level')}
          {level('roast_level', 'Roast level')}
          {link('lot_id')}
          {link('profile_id')}
          {text('roasted_by', 'Roasted by')}
          {number('cupping_score', 'Cupping score')}
          {number('color', 'Color')}
        </div>
        <TextArea label="Notes" error={errors.notes?.message} {...register('notes', { setValueAs: emptyToNull })} />
        {meanwhile.notice}
        <FormError text={failure} />
      </DialogBody>
      <DialogFooter>
        <DialogCancel />
        <Button kind="primary" type="submit" busy={formState.isSubmitting}>
          Save
        </Button>
      </DialogFooter>
    </form>
  );
};
