import { listPlannedRoasts, planRoast } from '@roastery/contract/planned';
import type { Lot } from '@roastery/contract/inventory';
import type { Machine } from '@roastery/contract/machines';
import { Timer } from 'lucide-react';
import { useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh } from '../../api/use-api.ts';
import { FormError, showFieldErrors } from '../../components/form/FormError.tsx';
import { LotField } from '../../components/LotField.tsx';
import { MachineField } from '../../components/MachineField.tsx';
import { RecipeField } from '../../components/RecipeField.tsx';
import { personName } from '../../components/person-name.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { NumberField, TextArea, TextField } from '../../ui/TextField.tsx';
import { batchHint, emptyPlan, planFields, planResolver, type PlanBody, type PlanValues } from './plan-values.ts';

/** Machine, lot, recipe and batch of the next roast. A recipe prefills its lot and batch. */
export const PlanForm = ({ onPlanned }: { onPlanned: (planId: string) => void }) => {
  const user = useUser();
  const [failure, setFailure] = useState<string | null>(null);
  const [machine, setMachine] = useState<Machine | null>(null);
  const [lot, setLot] = useState<Lot | null>(null);
  const { register, control, handleSubmit, setValue, getValues, setError, formState } = useForm<
    PlanValues,
    unknown,
    PlanBody
  >({ resolver: planResolver, defaultValues: emptyPlan(personName(user)) });
  const { errors } = formState;
  const [lotId, batch] = useWatch({ control, name: ['lot_id', 'batch_size_kg'] });
  const save = handleSubmit(async (body) => {
    setFailure(null);
    try {
      const plan = await call(planRoast, { body });
      await refresh(listPlannedRoasts);
      onPlanned(plan.id);
    } catch (error) {
      if (!showFieldErrors<PlanValues>(error, planFields, setError)) {
        setFailure(sentenceWithFields(error, t`The roast could not be added to the queue`));
      }
    }
  });
  return (
    <Panel title={t`Next roast`}>
      <form noValidate onSubmit={(event) => void save(event)} className="grid gap-4 p-4 sm:grid-cols-2">
        <div className="sm:col-span-2">
          <Controller
            control={control}
            name="machine_id"
            render={({ field }) => (
              <MachineField {...field} onMachine={setMachine} required error={errors.machine_id?.message} />
            )}
          />
        </div>
        <Controller
          control={control}
          name="profile_id"
          render={({ field: { value, onChange, onBlur } }) => (
            <RecipeField
              {...{ value, onChange, onBlur }}
              error={errors.profile_id?.message}
              onRecipe={(recipe) => {
                if (recipe?.green_coffee_lot_id) setValue('lot_id', recipe.green_coffee_lot_id, { shouldDirty: true });
                if (typeof recipe?.max_batch_size === 'number' && getValues('batch_size_kg') === '') {
                  setValue('batch_size_kg', String(recipe.max_batch_size), { shouldDirty: true });
                }
              }}
            />
          )}
        />
        <Controller
          control={control}
          name="lot_id"
          render={({ field: { value, onChange, onBlur } }) => (
            <LotField
              {...{ value, onChange, onBlur }}
              onLot={setLot}
              placeholder={t`No lot`}
              error={errors.lot_id?.message}
            />
          )}
        />
        {lotId === null && (
          <TextField
            label={t`Coffee name`}
            maxLength={200}
            error={errors.coffee_name?.message}
            {...register('coffee_name')}
          />
        )}
        <NumberField
          label={t`Batch`}
          unit="kg"
          required
          min={0}
          step={0.1}
          error={errors.batch_size_kg?.message}
          hint={batchHint(batch, machine?.max_capacity_kg, lot?.id === lotId ? lot?.current_weight : undefined)}
          {...register('batch_size_kg')}
        />
        <TextField
          label={t`Roasted by`}
          maxLength={120}
          error={errors.roasted_by?.message}
          {...register('roasted_by')}
        />
        <div className="sm:col-span-2">
          <TextArea label={t`Notes`} rows={2} error={errors.notes?.message} {...register('notes')} />
        </div>
        <div className="flex flex-col gap-3 sm:col-span-2">
          <FormError text={failure} />
          <Button
            kind="primary"
            size="md"
            type="submit"
            busy={formState.isSubmitting}
            icon={<Timer aria-hidden />}
            className="self-start"
          >
            {t`Add to queue`}
          </Button>
        </div>
      </form>
    </Panel>
  );
};
