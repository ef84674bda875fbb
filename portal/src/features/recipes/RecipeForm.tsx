import { roastLevels } from '@roastery/contract/roasts';
import type { TemperatureUnit } from '@roastery/roasting/units';
import type { ReactNode } from 'react';
import { Controller } from 'react-hook-form';
import { FormActions } from '../../components/FormActions.tsx';
import { FormError } from '../../components/forms.tsx';
import { OptionField } from '../../components/OptionField.tsx';
import { paths } from '../../components/paths.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField, TextArea, TextField } from '../../ui/TextField.tsx';
import { ControlProfileSection } from './ControlProfileSection.tsx';
import { InventorySection } from './InventorySection.tsx';
import type { RecipeField, RecipeFormState } from './recipe-form-values.ts';

interface RecipeFormProps {
  form: RecipeFormState;
  unit: TemperatureUnit;
  isNew: boolean;
  /** Best past roast of the recipe, for the preview. */
  referenceRoastId: string | null;
  failure: string | null;
  /** Above the buttons: somebody else's changes. */
  notice?: ReactNode;
  onSubmit: () => void;
}

/** The sections of the document: what the recipe is, what it aims at, what it draws on, and how the machine is set. */
export const RecipeForm = (props: RecipeFormProps) => {
  const { form, unit, isNew, referenceRoastId, failure, notice, onSubmit } = props;
  const { register, formState } = form;
  const { errors } = formState;
  const clearing = (field: RecipeField) => ({ onChange: () => form.clearErrors(field) });
  const time = (field: 'target_roast_time' | 'target_development_time', label: string, required = false) => (
    <TextField
      label={label}
      required={required}
      unit="m:ss"
      inputMode="text"
      autoComplete="off"
      error={errors[field]?.message}
      {...register(field, clearing(field))}
    />
  );
  const batch = (field: 'min_batch_size' | 'max_batch_size', label: string) => (
    <NumberField
      label={label}
      unit="kg"
      min={0}
      step={0.1}
      error={errors[field]?.message}
      {...register(field, clearing(field))}
    />
  );
  const option = (field: 'coffee_origin' | 'coffee_variety', category: 'origin' | 'variety', label: string) => (
    <Controller
      control={form.control}
      name={field}
      render={({ field: { value, onChange, onBlur, ref } }) => (
        <OptionField
          {...{ category, label, value, onBlur, ref }}
          onChange={(next) => {
            form.clearErrors(field);
            onChange(next);
          }}
          maxLength={120}
          error={errors[field]?.message}
        />
      )}
    />
  );
  return (
    <form
      noValidate
      aria-label={isNew ? 'New recipe' : 'Recipe'}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      className="flex min-w-0 flex-col gap-4"
    >
      <div className="grid items-stretch gap-4 lg:grid-cols-2 xl:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_minmax(0,1fr)]">
        <Panel title="Basic Information">
          <div className="grid gap-4 p-4 sm:grid-cols-2">
            <TextField
              label="Recipe name"
              required
              maxLength={200}
              className="sm:col-span-2"
              error={errors.name?.message}
              {...register('name', clearing('name'))}
            />
            <TextArea
              label="Description"
              rows={2}
              maxLength={5000}
              className="sm:col-span-2"
              error={errors.description?.message}
              {...register('description', clearing('description'))}
            />
            {option('coffee_origin', 'origin', 'Origin')}
            {option('coffee_variety', 'variety', 'Variety')}
            <Controller
              control={form.control}
              name="roast_level"
              render={({ field: { value, onChange, onBlur, ref } }) => (
                <Select
                  label="Roast level"
                  choices={roastLevels.map((level) => ({ value: level, label: level }))}
                  {...{ value, onChange, onBlur, ref }}
                />
              )}
            />
          </div>
        </Panel>
        <Panel title="Target Parameters">
          <div className="grid grid-cols-2 gap-4 p-4">
            <NumberField
              label="Drop temp"
              required
              unit={`°${unit}`}
              min={0}
              step={0.1}
              className="col-span-2"
              error={errors.target_drop_temp?.message}
              {...register('target_drop_temp', clearing('target_drop_temp'))}
            />
            {time('target_roast_time', 'Roast time', true)}
            {time('target_development_time', 'Development time')}
            {batch('min_batch_size', 'Min batch size')}
            {batch('max_batch_size', 'Max batch size')}
          </div>
        </Panel>
        <InventorySection form={form} />
      </div>
      <ControlProfileSection form={form} referenceRoastId={referenceRoastId} />
      <FormActions>
        {notice}
        <FormError text={failure} />
        <div className="flex justify-end gap-2">
          <ButtonLink to={paths.recipes} size="md">
            Cancel
          </ButtonLink>
          <Button type="submit" kind="primary" size="md" busy={formState.isSubmitting}>
            {isNew ? 'Save Recipe' : 'Update Recipe'}
          </Button>
        </div>
      </FormActions>
    </form>
  );
};
