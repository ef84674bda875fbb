import type { Lot } from '@roastery/contract/inventory';
import { useId, type ReactNode } from 'react';
import { Controller, useWatch, type UseFormReturn } from 'react-hook-form';
import { FormActions } from '../../components/FormActions.tsx';
import { FormError } from '../../components/forms.tsx';
import { OptionField } from '../../components/OptionField.tsx';
import { paths } from '../../components/paths.ts';
import { formatMoney } from '../../format/numbers.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { NumberField, TextArea, TextField } from '../../ui/TextField.tsx';
import { totalCost, type LotBody, type LotField, type LotValues } from './lot-form-values.ts';

export type LotFormState = UseFormReturn<LotValues, unknown, LotBody>;

interface LotFormProps {
  form: LotFormState;
  /** The lot that is edited; without one a new lot is taken in. */
  lot?: Lot | undefined;
  failure: string | null;
  /** Above the buttons: somebody else's changes. */
  notice?: ReactNode;
  onSubmit: () => void;
}

const Fields = ({ children }: { children: ReactNode }) => (
  <div className="grid gap-x-4 gap-y-4 p-4 sm:grid-cols-2">{children}</div>
);

/** The four sections of the document, and the buttons that stay in reach. */
export const LotForm = ({ form, lot, failure, notice, onSubmit }: LotFormProps) => {
  const { register, control, clearErrors, formState } = form;
  const { errors } = formState;
  const isArchived = lot !== undefined && lot.archived_at !== null;
  const clearing = (field: LotField) => ({ onChange: () => clearErrors(field) });
  const text = (
    field: LotField,
    label: string,
    more: { required?: boolean; hint?: string; maxLength?: number } = {},
  ) => <TextField label={label} error={errors[field]?.message} {...more} {...register(field, clearing(field))} />;
  const number = (
    field: LotField,
    label: string,
    more: { unit?: string; min?: number; max?: number; step?: number | 'any'; required?: boolean } = {},
  ) => <NumberField label={label} error={errors[field]?.message} {...more} {...register(field, clearing(field))} />;
  const day = (field: 'harvest_date' | 'purchase_date', label: string) => (
    <TextField type="date" label={label} error={errors[field]?.message} {...register(field, clearing(field))} />
  );
  const option = (
    field: 'origin' | 'variety' | 'process' | 'location',
    category: 'origin' | 'variety' | 'process' | 'warehouse',
    label: string,
    required = false,
  ) => (
    <Controller
      control={control}
      name={field}
      render={({ field: { value, onChange, onBlur, ref } }) => (
        <OptionField
          category={category}
          label={label}
          required={required}
          value={value}
          onChange={(next) => {
            clearErrors(field);
            onChange(next);
          }}
          onBlur={onBlur}
          ref={ref}
          maxLength={120}
          error={errors[field]?.message}
        />
      )}
    />
  );
  return (
    <form
      noValidate
      aria-label={lot === undefined ? 'New lot' : `Lot ${lot.lot_number}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      className="min-w-0"
    >
      {/* A lot that was deleted is shown, not changed. */}
      <fieldset disabled={isArchived} className="flex min-w-0 flex-col gap-4">
        <Panel title="Coffee Information">
          <Fields>
            <TextField
              label="Lot number"
              required
              mono
              readOnly={lot !== undefined}
              maxLength={60}
              error={errors.lot_number?.message}
              {...register('lot_number', clearing('lot_number'))}
            />
            {text('coffee_name', 'Coffee name', { required: true, maxLength: 200 })}
            {option('origin', 'origin', 'Origin', true)}
            {text('region', 'Region', { maxLength: 120 })}
            {text('farm', 'Farm', { maxLength: 120 })}
            {option('variety', 'variety', 'Variety')}
            {number('altitude', 'Altitude', { unit: 'm', min: 0, step: 1 })}
            {day('harvest_date', 'Harvest date')}
          </Fields>
        </Panel>
        <Panel title="Processing & Quality">
          <Fields>
            {option('process', 'process', 'Process')}
            {text('screen_size', 'Screen size', { maxLength: 40 })}
            {number('cupping_score', 'Cupping score', { min: 0, max: 100, step: 0.1 })}
            {number('moisture_content', 'Moisture content', { unit: '%', min: 0, max: 100 })}
            {number('water_activity', 'Water activity', { unit: 'aw', min: 0, max: 1, step: 0.01 })}
            {number('density', 'Density', { unit: 'g/mL', min: 0, step: 0.01 })}
          </Fields>
        </Panel>
        <Panel title="Procurement">
          <Fields>
            {text('supplier', 'Supplier', { maxLength: 200 })}
            {day('purchase_date', 'Purchase date')}
            {number('cost_per_kg', 'Cost per kg', { unit: '$', min: 0, step: 0.01 })}
            <TotalCost form={form} />
          </Fields>
        </Panel>
        <Panel title="Inventory">
          <Fields>
            {number('initial_weight', 'Initial weight', { unit: 'kg', min: 0, step: 0.1, required: true })}
            {option('location', 'warehouse', 'Location')}
            <TextArea
              label="Notes"
              className="sm:col-span-2"
              maxLength={10_000}
              error={errors.notes?.message}
              {...register('notes', clearing('notes'))}
            />
            {lot !== undefined && (
              <Controller
                control={control}
                name="is_reserved"
                render={({ field: { value, onChange } }) => (
                  <Checkbox
                    className="sm:col-span-2"
                    label="Reserved: promised to somebody, so not offered as available"
                    checked={value}
                    onChange={onChange}
                  />
                )}
              />
            )}
          </Fields>
        </Panel>
        {!isArchived && (
          <FormActions>
            {notice}
            <FormError text={failure} />
            <div className="flex justify-end gap-2">
              <ButtonLink to={paths.lots} size="md">
                Cancel
              </ButtonLink>
              <Button type="submit" kind="primary" size="md" busy={formState.isSubmitting}>
                {lot === undefined ? 'Save Lot' : 'Update Lot'}
              </Button>
            </div>
          </FormActions>
        )}
      </fieldset>
    </form>
  );
};

/** Cost per kg × initial weight, as they stand in the fields. */
const TotalCost = ({ form }: { form: LotFormState }) => {
  const [costPerKg, initialWeight] = useWatch({ control: form.control, name: ['cost_per_kg', 'initial_weight'] });
  const cost = totalCost(costPerKg, initialWeight);
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium text-content">
        Total Cost
      </label>
      <output
        id={id}
        className="figures flex h-10 items-center rounded-md border border-stroke bg-sunken px-3 text-base text-strong"
      >
        {cost === null ? <span className="text-muted">--</span> : formatMoney(cost)}
      </output>
      <p className="text-xs text-muted">Cost per kg × initial weight</p>
    </div>
  );
};
