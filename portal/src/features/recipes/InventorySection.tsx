import { getLot, type Lot } from '@roastery/contract/inventory';
import { TriangleAlert } from 'lucide-react';
import { Controller, useWatch } from 'react-hook-form';
import { Link } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { useApi } from '../../api/use-api.ts';
import { paths } from '../../components/paths.ts';
import { LotField } from '../../components/LotField.tsx';
import { exactWeight, weightNumber, weightText, weightUnit } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { numberOf, type RecipeFormState } from './recipe-form-values.ts';
import { estimatedRoasts, isInsufficient } from './recipes.ts';

/** Below this the linked lot triggers the alert (product document, section 9). */
const lowStockKg = 20;

/** The lot of the recipe, its stock, and what happens to it when a roast ends. */
export const InventorySection = ({ form }: { form: RecipeFormState }) => {
  const { control, formState } = form;
  const [lotId, maxBatch] = useWatch({ control, name: ['green_coffee_lot_id', 'max_batch_size'] });
  const { data: lot } = useApi(getLot, lotId === null ? null : { params: { id: lotId } });
  const maxBatchKg = numberOf(maxBatch);

  /** An empty origin and variety are copied from the lot. */
  const copyFromLot = async (id: string) => {
    try {
      const chosen = await call(getLot, { params: { id } });
      for (const [field, value] of [
        ['coffee_origin', chosen.origin],
        ['coffee_variety', chosen.variety],
      ] as const) {
        if (value !== null && form.getValues(field) === '') form.setValue(field, value, { shouldDirty: true });
      }
    } catch (error) {
      logError('Failed to read the linked lot', error);
    }
  };

  return (
    <Panel title={t`Inventory Integration`}>
      <div className="flex flex-col gap-4 p-4">
        <Controller
          control={control}
          name="green_coffee_lot_id"
          render={({ field }) => (
            <LotField
              value={field.value}
              onBlur={field.onBlur}
              onChange={(id) => {
                form.clearErrors('green_coffee_lot_id');
                field.onChange(id);
                if (id !== null) void copyFromLot(id);
              }}
              error={formState.errors.green_coffee_lot_id?.message}
            />
          )}
        />
        {lotId !== null && lot !== undefined && <LinkedLot lot={lot} maxBatchKg={maxBatchKg} />}
        <div className="flex flex-col gap-2.5">
          <Controller
            control={control}
            name="auto_deduct_inventory"
            render={({ field: { value, onChange } }) => (
              <Checkbox label={t`Auto-deduct inventory when a roast ends`} checked={value} onChange={onChange} />
            )}
          />
          <Controller
            control={control}
            name="alert_low_inventory"
            render={({ field: { value, onChange } }) => (
              <Checkbox
                label={t`Alert on low inventory (below ${exactWeight(lowStockKg)})`}
                checked={value}
                onChange={onChange}
              />
            )}
          />
        </div>
      </div>
    </Panel>
  );
};

const LinkedLot = ({ lot, maxBatchKg }: { lot: Lot; maxBatchKg: number | null }) => {
  const roasts = estimatedRoasts(lot.current_weight, maxBatchKg);
  return (
    <>
      <div className="rounded-md bg-sunken px-3 py-2.5 text-sm">
        <dl className="grid grid-cols-2 gap-3">
          <div>
            <dt className="label-mono text-2xs">{t`In stock`}</dt>
            <dd className="figures text-strong">
              {weightNumber(lot.current_weight)} <span className="text-muted">{weightUnit()}</span>
            </dd>
          </div>
          <div>
            <dt className="label-mono text-2xs">{t`Estimated roasts`}</dt>
            <dd className="figures text-strong">{roasts ?? '--'}</dd>
          </div>
        </dl>
        <Link
          to={paths.editLot(lot.id)}
          className="mt-2 inline-block text-accent-text underline-offset-2 hover:underline"
        >
          {t`Open lot ${lot.lot_number}`}
        </Link>
      </div>
      {lot.archived_at !== null && (
        <p className="text-sm text-muted">{t`This lot was deleted. It stays linked until you choose another.`}</p>
      )}
      {isInsufficient(lot.current_weight, maxBatchKg) && (
        <div
          aria-live="polite"
          className="flex items-start gap-2.5 rounded-md border border-warning/40 bg-warning-soft px-3 py-2.5 text-sm text-strong"
        >
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
          <p>
            <strong className="block font-semibold">{t`Insufficient Inventory`}</strong>
            {t`Lot ${lot.lot_number} holds ${weightText(lot.current_weight)}, less than one batch of ${weightText(maxBatchKg ?? 0)}.`}
          </p>
        </div>
      )}
    </>
  );
};
