import type { Profile } from '@roastery/contract/profiles';
import { roastLevels } from '@roastery/contract/roasts';
import type { TemperatureUnit } from '@roastery/roasting/units';
import type { ReactNode } from 'react';
import { FormField, PageForm } from '../../components/form/RecordForm.tsx';
import type { RecordForm } from '../../components/form/use-record-form.ts';
import { OptionField } from '../../components/fields.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Panel, Skeleton } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField, WeightField } from '../../components/number-fields.tsx';
import { TextArea, TextField } from '../../ui/TextField.tsx';
import { ControlProfileSection } from './ControlProfileSection.tsx';
import { InventorySection } from './InventorySection.tsx';
import type { PreviewedReference } from './PreviewDialog.tsx';
import type { RecipeBody, RecipeValues } from './recipe-form-values.ts';

const levels = roastLevels.map((level) => ({ value: level, label: level }));

interface RecipeFormProps {
  of: RecordForm<RecipeValues, RecipeBody>;
  unit: TemperatureUnit;
  /** The recipe that is edited; absent for a new one. */
  recipe?: Profile;
  reference: PreviewedReference;
  /** Where the steps come from. */
  aboutSteps?: ReactNode;
}

/** The sections of the document. */
export const RecipeForm = ({ of, unit, recipe, reference, aboutSteps }: RecipeFormProps) => {
  const { field } = of;
  const time = { unit: 'm:ss', inputMode: 'text', autoComplete: 'off' } as const;
  const option = (name: 'coffee_origin' | 'coffee_variety', category: 'origin' | 'variety', label: string) => (
    <FormField of={of} name={name}>
      {(props) => <OptionField {...{ category, label }} {...props} maxLength={120} />}
    </FormField>
  );
  return (
    <PageForm
      of={of}
      label={recipe === undefined ? t`New recipe` : t`Recipe`}
      submit={recipe === undefined ? t`Save Recipe` : t`Update Recipe`}
      cancelTo={paths.recipes}
    >
      <div className="grid items-stretch gap-4 lg:grid-cols-2 xl:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_minmax(0,1fr)]">
        <Panel title={t`Basic Information`}>
          <div className="grid gap-4 p-4 sm:grid-cols-2">
            <TextField label={t`Recipe name`} required maxLength={200} className="sm:col-span-2" {...field('name')} />
            <TextArea
              label={t`Description`}
              rows={2}
              maxLength={5000}
              className="sm:col-span-2"
              {...field('description')}
            />
            {option('coffee_origin', 'origin', t`Origin`)}
            {option('coffee_variety', 'variety', t`Variety`)}
            <FormField of={of} name="roast_level">
              {(props) => <Select label={t`Roast level`} choices={levels} {...props} />}
            </FormField>
          </div>
        </Panel>
        <Panel title={t`Target Parameters`}>
          <div className="grid grid-cols-2 gap-4 p-4">
            <NumberField
              label={t`Drop temp`}
              required
              unit={`°${unit}`}
              min={0}
              step={0.1}
              {...field('target_drop_temp')}
            />
            <NumberField label={t`Charge temp`} unit={`°${unit}`} min={0} step={0.1} {...field('target_charge_temp')} />
            <TextField label={t`Roast time`} required {...time} {...field('target_roast_time')} />
            <TextField label={t`Development time`} {...time} {...field('target_development_time')} />
            <WeightField label={t`Min batch size`} min={0} step={0.1} {...field('min_batch_size')} />
            <WeightField label={t`Max batch size`} min={0} step={0.1} {...field('max_batch_size')} />
          </div>
        </Panel>
        <InventorySection form={of.hookForm} />
      </div>
      <ControlProfileSection form={of.hookForm} reference={reference} about={aboutSteps} />
    </PageForm>
  );
};

export const LoadingRecipe = () => (
  <div aria-busy className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
    <Skeleton className="h-80 w-full" />
    <Skeleton className="h-80 w-full" />
    <Skeleton className="h-80 w-full" />
    <Skeleton className="h-112 w-full lg:col-span-2 xl:col-span-3" />
  </div>
);
