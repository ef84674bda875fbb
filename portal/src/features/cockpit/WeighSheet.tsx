import { betweenBatches } from '@roastery/contract/between-batches';
import { getRoast, listRoasts, updateRoast, type Roast } from '@roastery/contract/roasts';
import { useState, type SyntheticEvent } from 'react';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { FormError } from '../../components/form/FormError.tsx';
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

const Sheet = ({ roast, onDone }: { roast: Roast; onDone: () => void }) => {
  const [weight, setWeight] = useState(roast.end_weight_kg === null ? '' : String(roast.end_weight_kg));
  const [color, setColor] = useState(roast.color === null ? '' : String(roast.color));
  const [notes, setNotes] = useState(roast.notes ?? '');
  const [opened] = useState(roast);
  const [failure, setFailure] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const problem = weightProblem(weight, roast.batch_size_kg);
  const loss = problem === undefined ? lossOf({ ...roast, end_weight_kg: numberOf(weight) }) : null;

  const save = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (problem !== undefined) return;
    setSaving(true);
    try {
      // An unchanged field may have been changed by another person since the drop.
      const weighed = numberOf(weight);
      const measured = numberOf(color);
      const noted = notes.trim() === '' ? null : notes;
      const body = {
        ...(weighed === opened.end_weight_kg ? {} : { end_weight_kg: weighed }),
        ...(measured === opened.color ? {} : { color: measured }),
        ...(noted === opened.notes ? {} : { notes: noted }),
      };
      await call(updateRoast, { params: { id: roast.id }, body });
      await refresh(betweenBatches, listRoasts, getRoast);
      toast(t`${batchLabel(roast)} saved`);
      onDone();
    } catch (error) {
      setFailure(sentenceWithFields(error, t`The roast could not be saved`));
      setSaving(false);
    }
  };

  return (
    <section
      aria-label={t`After the drop`}
      data-testid="weigh-sheet"
      className="absolute inset-x-2 bottom-20 z-5 max-h-[calc(100%-6rem)] overflow-y-auto rounded-lg border border-stroke-strong bg-overlay p-4 shadow-overlay md:left-auto md:w-104"
    >
      <form onSubmit={(event) => void save(event)} className="flex flex-col gap-3">
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
            value={weight}
            error={problem}
            hint={loss === null ? undefined : t`Loss ${formatPercent(loss)}`}
            onChange={(event) => setWeight(event.target.value)}
          />
          <NumberField
            label={t`Color`}
            min={0}
            max={200}
            value={color}
            onChange={(event) => setColor(event.target.value)}
          />
        </div>
        <TextField
          label={t`Notes`}
          maxLength={10_000}
          value={notes}
          onChange={(event) => setNotes(event.target.value)}
        />
        {failure !== null && <FormError text={failure} />}
        <div className="grid grid-cols-2 gap-3">
          <Button size="lg" className="h-14" onClick={onDone}>
            {t`Later`}
          </Button>
          <Button size="lg" kind="primary" type="submit" busy={isSaving} className="h-14">
            {t`Save`}
          </Button>
        </div>
      </form>
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
