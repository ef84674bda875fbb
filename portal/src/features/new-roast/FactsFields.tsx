import { roastLevels } from '@roastery/contract/roasts';
import { Controller, useFormContext } from 'react-hook-form';
import { LotField } from '../../components/LotField.tsx';
import { MachineField } from '../../components/MachineField.tsx';
import { OptionField } from '../../components/fields.tsx';
import { RecipeField } from '../../components/RecipeField.tsx';
import { t } from '../../language/t.ts';
import { Select } from '../../ui/Select.tsx';
import { DateTimeField } from '../../components/date-fields.tsx';
import { NumberField, WeightField } from '../../components/number-fields.tsx';
import { TextArea, TextField } from '../../ui/TextField.tsx';
import type { FactValues } from './fact-values.ts';

const levels = [{ value: '', label: t`Not set` }, ...roastLevels.map((level) => ({ value: level, label: level }))];

interface FactsFieldsProps {
  /** A roast from a file may stay without a name. */
  coffeeRequired: boolean;
  /** Of the roastery, as a hint beside the time. */
  timeZone: string;
}

/** What was roasted, on what, by whom and when: the fields that both forms share. A lot prefills its coffee. */
export const FactsFields = ({ coffeeRequired, timeZone }: FactsFieldsProps) => {
  const { register, control, setValue, getValues, formState } = useFormContext<FactValues>();
  const { errors } = formState;
  const fillIn = (field: 'coffee_name' | 'coffee_origin' | 'coffee_process', text: string | null) => {
    if (text !== null && getValues(field).trim() === '') setValue(field, text, { shouldDirty: true });
  };
  const option = (field: 'coffee_origin' | 'coffee_process', category: 'origin' | 'process', label: string) => (
    <Controller
      control={control}
      name={field}
      render={({ field: { value, onChange, onBlur, ref } }) => (
        <OptionField
          {...{ category, label, value, onChange, onBlur, ref }}
          maxLength={120}
          error={errors[field]?.message}
        />
      )}
    />
  );
  const weight = (field: 'batch_size_kg' | 'end_weight_kg', label: string) => (
    <WeightField label={label} error={errors[field]?.message} {...register(field)} />
  );
  const number = (field: 'color' | 'cupping_score', label: string) => (
    <NumberField label={label} error={errors[field]?.message} {...register(field)} />
  );
  return (
    <>
      <Controller
        control={control}
        name="lot_id"
        render={({ field: { value, onChange, onBlur } }) => (
          <LotField
            {...{ value, onChange, onBlur }}
            placeholder={t`No lot`}
            hint={t`The batch is deducted from it.`}
            error={errors.lot_id?.message}
            onLot={(lot) => {
              if (lot === null) return;
              fillIn('coffee_name', lot.coffee_name);
              fillIn('coffee_origin', lot.origin);
              fillIn('coffee_process', lot.process);
            }}
          />
        )}
      />
      <TextField
        label={t`Coffee name`}
        required={coffeeRequired}
        maxLength={200}
        error={errors.coffee_name?.message}
        {...register('coffee_name')}
      />
      {option('coffee_origin', 'origin', t`Origin`)}
      {option('coffee_process', 'process', t`Process`)}
      <DateTimeField
        label={t`Roasted at`}
        required
        hint={timeZone}
        error={errors.start_time?.message}
        {...register('start_time')}
      />
      <Controller
        control={control}
        name="machine_id"
        render={({ field: { value, onChange, onBlur } }) => (
          <MachineField
            {...{ value, onChange, onBlur }}
            placeholder={t`No machine`}
            error={errors.machine_id?.message}
          />
        )}
      />
      {weight('batch_size_kg', t`Batch`)}
      {weight('end_weight_kg', t`Roasted weight`)}
      <Controller
        control={control}
        name="profile_id"
        render={({ field: { value, onChange, onBlur } }) => (
          <RecipeField {...{ value, onChange, onBlur }} error={errors.profile_id?.message} />
        )}
      />
      <TextField label={t`Roasted by`} maxLength={120} error={errors.roasted_by?.message} {...register('roasted_by')} />
      <Controller
        control={control}
        name="roast_level"
        render={({ field: { value, onChange, onBlur, ref } }) => (
          <Select
            label={t`Roast level`}
            choices={levels}
            {...{ value, onChange, onBlur, ref }}
            error={errors.roast_level?.message}
          />
        )}
      />
      <TextField
        label={t`Roast number`}
        maxLength={40}
        hint={t`Leave empty to number it automatically.`}
        error={errors.roast_number?.message}
        {...register('roast_number')}
      />
      {number('color', t`Color`)}
      {number('cupping_score', t`Cupping score`)}
      <div className="sm:col-span-2">
        <TextArea label={t`Notes`} rows={3} error={errors.notes?.message} {...register('notes')} />
      </div>
    </>
  );
};
