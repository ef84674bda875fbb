import { zodResolver } from '@hookform/resolvers/zod';
import { getLot, listLots } from '@roastery/contract/inventory';
import { editRoastShape, getRoast, listRoasts, roastLevels, updateRoast, type Roast } from '@roastery/contract/roasts';
import { useState } from 'react';
import type { z } from 'zod';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { FormField, ModalForm } from '../../components/form/RecordForm.tsx';
import { keysOf } from '../../components/form/three-way.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { LotField } from '../../components/LotField.tsx';
import { RecipeField } from '../../components/RecipeField.tsx';
import { t } from '../../language/t.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField, WeightField } from '../../components/number-fields.tsx';
import { TextArea, TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { roastName } from '../../components/live/roast-texts.ts';

type Values = z.input<typeof editRoastShape>;
type Parsed = z.output<typeof editRoastShape>;

const resolver = zodResolver<Values, unknown, Parsed>(editRoastShape);

/** An empty field is null in the record. */
const emptyToNull = (value: unknown): unknown => (value === '' || Number.isNaN(value) ? null : value);

const levelOf = (text: string | null) => roastLevels.find((level) => level === text) ?? null;

const valuesOf = (roast: Roast) => ({
  coffee_name: roast.coffee_name,
  coffee_origin: roast.coffee_origin,
  coffee_process: roast.coffee_process,
  roasted_by: roast.roasted_by,
  notes: roast.notes,
  batch_size_kg: roast.batch_size_kg,
  end_weight_kg: roast.end_weight_kg,
  cupping_score: roast.cupping_score,
  color: roast.color,
  roast_level: levelOf(roast.roast_level),
  roast_level_target: levelOf(roast.roast_level_target),
  lot_id: roast.lot_id,
  profile_id: roast.profile_id,
});

const labels = {
  coffee_name: t`Coffee name`,
  coffee_origin: t`Origin`,
  coffee_process: t`Process`,
  roasted_by: t`Roasted by`,
  notes: t`Notes`,
  batch_size_kg: t`Batch size`,
  end_weight_kg: t`Roasted weight`,
  cupping_score: t`Cupping score`,
  color: t`Color`,
  roast_level: t`Roast level`,
  roast_level_target: t`Target level`,
  lot_id: t`Green coffee lot`,
  profile_id: t`Recipe`,
} satisfies Record<keyof ReturnType<typeof valuesOf>, string>;

/** Ids are not shown. */
const textOf = (field: string, value: unknown): string => {
  if (field === 'lot_id' || field === 'profile_id') return value === null ? '' : t`Another`;
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
};

interface EditRoastDialogProps {
  roast: Roast;
  open: boolean;
  onClose: () => void;
}

/** Edits what was roasted and by whom; the recorded curve is not changed. */
export const EditRoastDialog = ({ roast, open, onClose }: EditRoastDialogProps) => {
  // Each opening begins with the present roast; later updates do not change the input.
  const [opened, setOpened] = useState<{ roast: Roast; times: number }>({ roast, times: 0 });
  const [wasOpen, setWasOpen] = useState(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setOpened({ roast, times: opened.times + 1 });
  }
  // A fresh form fades out: a dirty one would show a confirmation before the page is left.
  const leave = () => {
    setOpened({ roast, times: opened.times + 1 });
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={leave}
      title={t`Edit ${roastName(roast)}`}
      description={t`The recorded curve is not changed.`}
      width="md"
    >
      <EditForm key={opened.times} roast={opened.roast} onClose={leave} />
    </Dialog>
  );
};

const levels = roastLevels.map((level) => ({ value: level, label: level }));

const EditForm = ({ roast, onClose }: Omit<EditRoastDialogProps, 'open'>) => {
  const form = useRecordForm({
    values: valuesOf(roast),
    resolver,
    fields: keysOf(labels),
    failure: (error, isBesideFields) => (isBesideFields ? null : sentenceWithFields(error, t`Failed to update roast`)),
    edited: {
      noun: 'roast',
      record: roast,
      valuesOf,
      labels,
      textOf,
      read: () => call(getRoast, { params: { id: roast.id } }),
    },
    save: (body, { changed, revision }) =>
      call(updateRoast, {
        params: { id: roast.id },
        // Only the changed fields: the server checks a lot or recipe again when it is sent.
        body: { ...Object.fromEntries(Object.entries(body).filter(([field]) => changed.has(field))), revision },
      }),
    saved: async () => {
      await refresh(getRoast, listRoasts, getLot, listLots);
      toast(t`Roast updated`);
      onClose();
    },
  });
  const text = (name: 'coffee_name' | 'coffee_origin' | 'coffee_process' | 'roasted_by' | 'notes') =>
    form.field(name, { setValueAs: emptyToNull });
  const number = (name: 'batch_size_kg' | 'end_weight_kg' | 'cupping_score' | 'color') =>
    form.field(name, { setValueAs: (value: unknown) => (value === '' || value === null ? null : Number(value)) });
  const level = (name: 'roast_level' | 'roast_level_target', label: string) => (
    <FormField of={form} name={name}>
      {({ value, ...field }) => (
        <Select label={label} choices={levels} value={value ?? null} placeholder={t`Not set`} {...field} />
      )}
    </FormField>
  );
  return (
    <ModalForm of={form} submit={t`Save`}>
      <TextField label={t`Coffee name`} {...text('coffee_name')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t`Origin`} {...text('coffee_origin')} />
        <TextField label={t`Process`} {...text('coffee_process')} />
        <WeightField label={t`Batch size`} {...number('batch_size_kg')} />
        <WeightField label={t`Roasted weight`} {...number('end_weight_kg')} />
        {level('roast_level_target', t`Target level`)}
        {level('roast_level', t`Roast level`)}
        <FormField of={form} name="lot_id">
          {({ value, onChange, onBlur, error }) => <LotField value={value ?? null} {...{ onChange, onBlur, error }} />}
        </FormField>
        <FormField of={form} name="profile_id">
          {({ value, onChange, onBlur, error }) => (
            <RecipeField value={value ?? null} {...{ onChange, onBlur, error }} />
          )}
        </FormField>
        <TextField label={t`Roasted by`} {...text('roasted_by')} />
        <NumberField label={t`Cupping score`} {...number('cupping_score')} />
        <NumberField label={t`Color`} {...number('color')} />
      </div>
      <TextArea label={t`Notes`} {...text('notes')} />
    </ModalForm>
  );
};
