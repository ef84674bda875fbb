import { adjustLot, type Lot } from '@roastery/contract/inventory';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { ApiError, sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { FormField, ModalForm } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { numberInField } from '../../format/numbers.ts';
import { weightText, weightUnit } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SuggestField } from '../../ui/SuggestField.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { WeightField } from '../../components/number-fields.tsx';
import { toast } from '../../ui/toast.ts';
import { BagEntry } from './BagEntry.tsx';
import { refreshLots } from './lots.ts';
import { changeProblem, weightChange, weightResolver, type AdjustMode } from './weight-change.ts';

interface AdjustWeightDialogProps {
  lot: Lot;
  open: boolean;
  onClose: () => void;
}

const usualReasons = [
  t`Stock count`,
  t`Sample roast`,
  t`Spillage`,
  t`Delivered later`,
  t`Returned to supplier`,
  t`Sold green`,
];

/** Corrects the weight in stock. The movement records the change, the person and the reason. */
export const AdjustWeightDialog = ({ lot, open, onClose }: AdjustWeightDialogProps) => (
  <Dialog
    open={open}
    onClose={onClose}
    title={t`Adjust weight`}
    description={t`${lot.lot_number} ${lot.coffee_name}, ${weightText(lot.current_weight)} in stock`}
  >
    {open && <AdjustForm lot={lot} onClose={onClose} />}
  </Dialog>
);

const isStockChanged = (error: unknown): boolean => error instanceof ApiError && error.code === 'changed_meanwhile';

const AdjustForm = ({ lot, onClose }: { lot: Lot; onClose: () => void }) => {
  const [mode, setMode] = useState<AdjustMode>('weighed');
  const form = useRecordForm({
    values: { entered: '', note: '' },
    resolver: weightResolver(mode, lot.current_weight),
    fields: ['note'],
    failure: (error) =>
      isStockChanged(error)
        ? t`The stock has changed. Check the weight and save again.`
        : sentenceWithFields(error, t`Failed to adjust the weight`),
    save: async (body) => {
      try {
        // A weight from the scale would undo later movements.
        return await call(adjustLot, {
          params: { id: lot.id },
          body: { ...body, stock_before: lot.current_weight },
        });
      } catch (error) {
        if (isStockChanged(error)) await refreshLots();
        throw error;
      }
    },
    saved: async ({ current_weight: now }) => {
      await refreshLots();
      toast(t`${lot.lot_number} now holds ${weightText(now)}`);
      onClose();
    },
  });
  const entered = useWatch({ control: form.hookForm.control, name: 'entered' });
  const kg = weightChange(mode, entered, lot.current_weight);

  return (
    <ModalForm of={form} submit={t`Adjust weight`}>
      <Tabs
        label={t`How the weight is entered`}
        tabs={[
          { value: 'weighed', label: t`Weighed now` },
          { value: 'change', label: t`Added or removed` },
        ]}
        value={mode}
        onChange={(next) => {
          setMode(next);
          form.hookForm.setValue('entered', '', { shouldDirty: true });
          form.hookForm.clearErrors();
        }}
      />
      <WeightField
        label={mode === 'weighed' ? t`Weight now` : t`Change`}
        hint={
          mode === 'weighed'
            ? t`What the scale shows.`
            : t`Weight to add in ${weightUnit()}. Use a minus to remove: ${numberInField(-2.5)}.`
        }
        required
        step={0.1}
        // The decimal keyboard of some phones has no minus.
        inputMode={mode === 'change' ? 'text' : 'decimal'}
        {...form.field('entered')}
      />
      {mode === 'change' && (
        <BagEntry onWeight={(weight) => form.hookForm.setValue('entered', String(weight), { shouldDirty: true })} />
      )}
      <FormField of={form} name="note">
        {(field) => (
          <SuggestField
            label={t`Reason`}
            required
            suggestions={usualReasons}
            maxLength={500}
            placeholder={t`Why does the weight change?`}
            {...field}
          />
        )}
      </FormField>
      <p aria-live="polite" className="figures min-h-5 text-sm text-muted">
        {kg !== null && changeProblem(kg) === null && (
          <>
            {`${weightText(lot.current_weight)} ${kg > 0 ? '+' : '−'} ${weightText(Math.abs(kg))} = `}
            <strong className="font-semibold text-strong">{weightText(lot.current_weight + kg)}</strong>
          </>
        )}
      </p>
    </ModalForm>
  );
};
