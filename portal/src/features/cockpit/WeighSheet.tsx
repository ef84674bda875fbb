import { betweenBatches } from '@roastery/contract/between-batches';
import { getRoast, listRoasts, updateRoast, type Roast } from '@roastery/contract/roasts';
import { useWatch, type ResolverResult } from 'react-hook-form';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { FormFrame } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { batchLabel, coffeeName } from '../../components/live/roast-texts.ts';
import { formatPercent, formatRoasts } from '../../format/numbers.ts';
import { exactWeight, weightText } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { NumberField, WeightField } from '../../components/number-fields.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { expectedLoss, lossOf, lossRoasts, weightProblem } from './weigh-values.ts';

interface WeighSheetProps {
  roastId: string;
  /** Saved, or postponed. */
  onDone: () => void;
}

/** After the drop: roasted weight, colour and a note. It covers no mark button, so that the next charge can come first. */
export const WeighSheet = ({ roastId, onDone }: WeighSheetProps) => {
  const { data: roast } = useApi(getRoast, { params: { id: roastId } });
  return roast === undefined ? null : <Sheet key={roast.id} roast={roast} onDone={onDone} />;
};

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

interface SheetValues {
  end_weight_kg: string;
  color: string;
  notes: string;
}

const textOf = (value: number | null): string => (value === null ? '' : String(value));

const Sheet = ({ roast, onDone }: { roast: Roast; onDone: () => void }) => {
  const { batch_size_kg: batchKg } = roast;
  const form = useRecordForm({
    values: { end_weight_kg: textOf(roast.end_weight_kg), color: textOf(roast.color), notes: roast.notes ?? '' },
    resolver: (values: SheetValues): ResolverResult<SheetValues, SheetValues> => {
      const problem = weightProblem(values.end_weight_kg, batchKg);
      if (problem === undefined) return { values, errors: {} };
      return { values: {}, errors: { end_weight_kg: { type: 'weight', message: problem } } };
    },
    fields: ['end_weight_kg', 'color', 'notes'],
    failure: t`The roast could not be saved`,
    save: ({ end_weight_kg: weight, color, notes }, { changed }) => {
      // An unchanged field may have been changed by another person since the drop.
      const body = {
        ...(changed.has('end_weight_kg') && { end_weight_kg: numberOf(weight) }),
        ...(changed.has('color') && { color: numberOf(color) }),
        ...(changed.has('notes') && { notes: notes.trim() === '' ? null : notes }),
      };
      return call(updateRoast, { params: { id: roast.id }, body });
    },
    saved: async () => {
      await refresh(betweenBatches, listRoasts, getRoast);
      toast(t`${batchLabel(roast)} saved`);
      onDone();
    },
  });
  const weight = useWatch({ control: form.hookForm.control, name: 'end_weight_kg' });
  const problem = weightProblem(weight, batchKg);
  const loss = problem === undefined ? lossOf({ ...roast, end_weight_kg: numberOf(weight) }) : null;

  return (
    <section
      aria-label={t`After the drop`}
      data-testid="weigh-sheet"
      className="absolute inset-x-2 bottom-20 z-5 max-h-[calc(100%-6rem)] overflow-y-auto rounded-lg border border-stroke-strong bg-overlay p-4 shadow-overlay md:left-auto md:w-104"
    >
      <FormFrame of={form} className="flex flex-col gap-3">
        <div>
          <h2 className="truncate text-lg font-semibold text-strong">
            {batchLabel(roast)} · {coffeeName(roast)}
          </h2>
          <ExpectedWeight roast={roast} />
        </div>
        <div className="grid grid-cols-2 gap-3">
          <WeightField
            label={t`Roasted weight`}
            min={0}
            hint={loss === null ? undefined : t`Loss ${formatPercent(loss)}`}
            {...form.field('end_weight_kg')}
            error={problem ?? form.field('end_weight_kg').error}
          />
          <NumberField label={t`Color`} min={0} max={200} {...form.field('color')} />
        </div>
        <TextField label={t`Notes`} maxLength={10_000} {...form.field('notes')} />
        <FormError text={form.failure} />
        <div className="grid grid-cols-2 gap-3">
          <Button size="lg" className="h-14" onClick={onDone}>
            {t`Later`}
          </Button>
          <Button size="lg" kind="primary" type="submit" busy={form.isSubmitting} className="h-14">
            {t`Save`}
          </Button>
        </div>
      </FormFrame>
    </section>
  );
};

/** The expected weight on the scale, from the recipe's last roasts. */
const ExpectedWeight = ({ roast }: { roast: Roast }) => {
  const { profile_id: recipeId, batch_size_kg: batchKg } = roast;
  const { data } = useApi(
    listRoasts,
    recipeId === null
      ? null
      : { query: { profile_id: recipeId, status: 'completed', with: 'weight', limit: lossRoasts } },
  );
  const expected = expectedLoss((data?.roasts ?? []).filter(({ id }) => id !== roast.id));
  if (batchKg === null) return <p className="text-sm text-muted">{t`The batch has no weight`}</p>;
  const batch = t`Batch ${exactWeight(batchKg)}`;
  return (
    <p className="figures text-sm text-content">
      {expected === null
        ? batch
        : t`${batch} · expected ${weightText(batchKg * (1 - expected.share), 2)} (${formatPercent(expected.share)} loss in ${formatRoasts(expected.roasts)})`}
    </p>
  );
};
