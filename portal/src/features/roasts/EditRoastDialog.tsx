import { zodResolver } from '@hookform/resolvers/zod';
import { editRoastShape, getRoast, listRoasts, roastLevels, updateRoast, type Roast } from '@roastery/contract/roasts';
import { Controller, useForm } from 'react-hook-form';
import { useState } from 'react';
import type { z } from 'zod';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { sentenceWithFields } from '../../api/api-error.ts';
import { FormError, showFieldErrors } from '../../components/forms.tsx';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField, TextArea, TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { roastNumber } from './roast-texts.ts';

type Values = z.input<typeof editRoastShape>;
type Parsed = z.output<typeof editRoastShape>;

const textFields = ['coffee_name', 'coffee_origin', 'coffee_process', 'roasted_by', 'notes'] as const;
const numberFields = ['batch_size_kg', 'end_weight_kg', 'cupping_score', 'color'] as const;
const fields = [...textFields, ...numberFields, 'roast_level', 'roast_level_target'] as const;

/** What is empty in a form is null in the record. */
const emptyToNull = (value: unknown): unknown => (value === '' || Number.isNaN(value) ? null : value);

interface EditRoastDialogProps {
  roast: Roast;
  open: boolean;
  onClose: () => void;
}

/** Edits what was roasted and by whom; the recorded curve stays as the machine made it. */
export const EditRoastDialog = ({ roast, open, onClose }: EditRoastDialogProps) => {
  const [failure, setFailure] = useState<string | null>(null);
  const { register, control, handleSubmit, setError, reset, formState } = useForm<Values, unknown, Parsed>({
    resolver: zodResolver(editRoastShape),
    values: Object.fromEntries(fields.map((field) => [field, roast[field]])) as Values,
  });
  const { errors, isDirty } = formState;
  const leave = () => {
    reset();
    setFailure(null);
    onClose();
  };
  const save = handleSubmit(async (body) => {
    setFailure(null);
    try {
      await call(updateRoast, { params: { id: roast.id }, body: { ...body, revision: roast.revision } });
      await refresh(getRoast, listRoasts);
      toast('Roast updated');
      onClose();
    } catch (error) {
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
    <Dialog
      open={open}
      onClose={leave}
      title={`Edit ${roastNumber(roast)}`}
      description="The recorded curve is not changed."
      width="md"
    >
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
            {text('roasted_by', 'Roasted by')}
            {number('cupping_score', 'Cupping score')}
            {number('color', 'Colour')}
          </div>
          <TextArea label="Notes" error={errors.notes?.message} {...register('notes', { setValueAs: emptyToNull })} />
          <FormError text={failure} />
        </DialogBody>
        <DialogFooter>
          <Button onClick={leave}>Cancel</Button>
          <Button kind="primary" type="submit" busy={formState.isSubmitting}>
            Save
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
};
