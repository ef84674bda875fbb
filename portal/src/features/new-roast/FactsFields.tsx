import { roastLevels } from '@roastery/contract/roasts';
import { useFormContext, type FieldPath } from 'react-hook-form';
import { FormField } from '../../components/form/RecordForm.tsx';
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

/**
 * What was roasted, on which machine, by whom and when: the fields that both forms share. A lot prefills its coffee.
 */
export const FactsFields = ({ coffeeRequired, timeZone }: FactsFieldsProps) => {
  const hookForm = useFormContext<FactValues>();
  const { register, setValue, getValues, clearErrors, formState } = hookForm;
  const of = { hookForm };
  const input = (name: FieldPath<FactValues>) => ({
    ...register(name, { onChange: () => clearErrors(name) }),
    error: formState.errors[name]?.message,
  });
  const fillIn = (name: 'coffee_name' | 'coffee_origin' | 'coffee_process', text: string | null) => {
    if (text !== null && getValues(name).trim() === '') setValue(name, text, { shouldDirty: true });
  };
  return (
    <>
      <FormField of={of} name="lot_id">
        {({ ref: _ref, ...field }) => (
          <LotField
            {...field}
            placeholder={t`No lot`}
            hint={t`The batch is deducted from it.`}
            onLot={(lot) => {
              if (lot === null) return;
              fillIn('coffee_name', lot.coffee_name);
              fillIn('coffee_origin', lot.origin);
              fillIn('coffee_process', lot.process);
            }}
          />
        )}
      </FormField>
      <TextField label={t`Coffee name`} required={coffeeRequired} maxLength={200} {...input('coffee_name')} />
      <FormField of={of} name="coffee_origin">
        {(field) => <OptionField category="origin" label={t`Origin`} maxLength={120} {...field} />}
      </FormField>
      <FormField of={of} name="coffee_process">
        {(field) => <OptionField category="process" label={t`Process`} maxLength={120} {...field} />}
      </FormField>
      <DateTimeField label={t`Roasted at`} required hint={timeZone} {...input('start_time')} />
      <FormField of={of} name="machine_id">
        {(field) => <MachineField {...field} placeholder={t`No machine`} />}
      </FormField>
      <WeightField label={t`Batch`} {...input('batch_size_kg')} />
      <WeightField label={t`Roasted weight`} {...input('end_weight_kg')} />
      <FormField of={of} name="profile_id">
        {({ ref: _ref, ...field }) => <RecipeField {...field} />}
      </FormField>
      <TextField label={t`Roasted by`} maxLength={120} {...input('roasted_by')} />
      <FormField of={of} name="roast_level">
        {(field) => <Select label={t`Roast level`} choices={levels} {...field} />}
      </FormField>
      <TextField
        label={t`Roast number`}
        maxLength={40}
        hint={t`Leave empty to number it automatically.`}
        {...input('roast_number')}
      />
      <NumberField label={t`Color`} {...input('color')} />
      <NumberField label={t`Cupping score`} {...input('cupping_score')} />
      <div className="sm:col-span-2">
        <TextArea label={t`Notes`} rows={3} {...input('notes')} />
      </div>
    </>
  );
};
