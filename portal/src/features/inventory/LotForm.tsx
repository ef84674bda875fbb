import { formatMoney, priceUnit } from '../../format/money.ts';
import type { Lot } from '@roastery/contract/inventory';
import { useId, type ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { FormField, PageForm } from '../../components/form/RecordForm.tsx';
import type { RecordForm } from '../../components/form/use-record-form.ts';
import { DateField } from '../../components/date-fields.tsx';
import { OptionField } from '../../components/fields.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { NumberField, WeightField, PriceField } from '../../components/number-fields.tsx';
import { TextArea, TextField } from '../../ui/TextField.tsx';
import { BagEntry } from './BagEntry.tsx';
import { totalCost, type LotBody, type LotValues } from './lot-form-values.ts';

interface LotFormProps {
  of: RecordForm<LotValues, LotBody>;
  /** The lot that is edited; absent for a new one. */
  lot?: Lot;
}

const Fields = ({ children }: { children: ReactNode }) => (
  <div className="grid gap-x-4 gap-y-4 p-4 sm:grid-cols-2">{children}</div>
);

/** The four sections of the document. A deleted lot is shown and can't be changed. */
export const LotForm = ({ of, lot }: LotFormProps) => {
  const { field } = of;
  const option = (
    name: 'origin' | 'variety' | 'process' | 'location',
    category: 'origin' | 'variety' | 'process' | 'warehouse',
    label: string,
    required = false,
  ) => (
    <FormField of={of} name={name}>
      {(props) => <OptionField {...{ category, label, required }} {...props} maxLength={120} />}
    </FormField>
  );
  return (
    <PageForm
      of={of}
      label={lot === undefined ? t`New lot` : t`Lot ${lot.lot_number}`}
      submit={lot === undefined ? t`Save Lot` : t`Update Lot`}
      cancelTo={paths.lots}
      isReadOnly={lot !== undefined && lot.archived_at !== null}
    >
      <Panel title={t`Coffee Information`}>
        <Fields>
          <TextField
            label={t`Lot number`}
            required
            mono
            readOnly={lot !== undefined}
            maxLength={60}
            {...field('lot_number')}
          />
          <TextField label={t`Coffee name`} required maxLength={200} {...field('coffee_name')} />
          {option('origin', 'origin', t`Origin`, true)}
          <TextField label={t`Region`} maxLength={120} {...field('region')} />
          <TextField label={t`Farm`} maxLength={120} {...field('farm')} />
          {option('variety', 'variety', t`Variety`)}
          <NumberField label={t`Altitude`} unit="m" min={0} step={1} {...field('altitude')} />
          <DateField label={t`Harvest date`} {...field('harvest_date')} />
        </Fields>
      </Panel>
      <Panel title={t`Processing & Quality`}>
        <Fields>
          {option('process', 'process', t`Process`)}
          <TextField label={t`Screen size`} maxLength={40} {...field('screen_size')} />
          <NumberField label={t`Cupping score`} min={0} max={100} step={0.1} {...field('cupping_score')} />
          <NumberField label={t`Moisture content`} unit="%" min={0} max={100} {...field('moisture_content')} />
          <NumberField label={t`Water activity`} unit="aw" min={0} max={1} step={0.01} {...field('water_activity')} />
          <NumberField label={t`Density`} unit="g/mL" min={0} step={0.01} {...field('density')} />
        </Fields>
      </Panel>
      <Panel title={t`Procurement`}>
        <Fields>
          <TextField label={t`Supplier`} maxLength={200} {...field('supplier')} />
          <DateField label={t`Purchase date`} {...field('purchase_date')} />
          <PriceField label={t`Cost per ${priceUnit()}`} min={0} step={0.01} {...field('cost_per_kg')} />
          <TotalCost of={of} />
        </Fields>
      </Panel>
      <Panel title={t`Inventory`}>
        <Fields>
          <WeightField label={t`Initial weight`} min={0} step={0.1} required {...field('initial_weight')} />
          <BagEntry
            onWeight={(kg) => {
              of.hookForm.clearErrors('initial_weight');
              of.hookForm.setValue('initial_weight', String(kg), { shouldDirty: true });
            }}
          />
          {option('location', 'warehouse', t`Location`)}
          <TextArea label={t`Notes`} className="sm:col-span-2" maxLength={10_000} {...field('notes')} />
          {lot !== undefined && (
            <FormField of={of} name="is_reserved">
              {({ value, onChange }) => (
                <Checkbox
                  className="sm:col-span-2"
                  label={t`Reserved (not offered for roasting)`}
                  checked={value}
                  onChange={onChange}
                />
              )}
            </FormField>
          )}
        </Fields>
      </Panel>
    </PageForm>
  );
};

/** Cost per kg × initial weight, from the fields. */
const TotalCost = ({ of }: Pick<LotFormProps, 'of'>) => {
  const [costPerKg, initialWeight] = useWatch({
    control: of.hookForm.control,
    name: ['cost_per_kg', 'initial_weight'],
  });
  const cost = totalCost(costPerKg, initialWeight);
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium text-content">
        {t`Total Cost`}
      </label>
      <output
        id={id}
        className="figures flex h-10 items-center rounded-md border border-stroke bg-sunken px-3 text-base text-strong"
      >
        {cost === null ? <span className="text-muted">--</span> : formatMoney(cost)}
      </output>
      <p className="text-xs text-muted">{t`Cost per ${priceUnit()} × initial weight`}</p>
    </div>
  );
};
