import {
  getPlannedRoast,
  listPlannedRoasts,
  planRoast,
  updatePlannedRoast,
  type PlannedRoast,
} from '@roastery/contract/planned';
import type { Lot } from '@roastery/contract/inventory';
import { listRoasters } from '@roastery/contract/roasters';
import { Timer } from 'lucide-react';
import { useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh, useApi } from '../../api/use-api.ts';
import { FormError, showFieldErrors } from '../../components/form/FormError.tsx';
import { LotField } from '../../components/LotField.tsx';
import { MachineField } from '../../components/MachineField.tsx';
import { RecipeField } from '../../components/RecipeField.tsx';
import { personName } from '../../components/person-name.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { SuggestField } from '../../ui/SuggestField.tsx';
import { NumberField, WeightField } from '../../components/number-fields.tsx';
import { TextArea, TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import {
  batchHint,
  emptyPlan,
  keepLastPlan,
  planFields,
  planResolver,
  readLastPlan,
  valuesOfPlan,
  type PlanBody,
  type PlanValues,
} from './plan-values.ts';

interface PlanFormProps {
  /** The plan that is edited; absent for a new one. */
  edited?: PlannedRoast;
  onPlanned: (planId: string) => void;
  /** After several were added, or one was edited. */
  onDone: () => void;
}

/** Machine, lot, recipe and batch of the next roast. A recipe prefills its lot and batch. */
export const PlanForm = ({ edited, onPlanned, onDone }: PlanFormProps) => {
  const user = useUser();
  const [failure, setFailure] = useState<string | null>(null);
  const [lot, setLot] = useState<Lot | null>(null);
  const [opened] = useState<PlanValues>(() =>
    edited === undefined ? emptyPlan(personName(user), readLastPlan(user.id)) : valuesOfPlan(edited),
  );
  const { register, control, handleSubmit, setValue, getValues, setError, formState } = useForm<
    PlanValues,
    unknown,
    PlanBody
  >({
    resolver: planResolver,
    defaultValues: opened,
  });
  const { errors } = formState;
  const [machineId, lotId, batch] = useWatch({ control, name: ['machine_id', 'lot_id', 'batch_size_kg'] });
  const { data: roasters } = useApi(listRoasters, machineId === null ? null : { params: { id: machineId } });
  const add = async (body: PlanBody) => {
    const plan = await call(planRoast, { body });
    keepLastPlan(user.id, getValues());
    await refresh(listPlannedRoasts);
    if ((body.count ?? 1) === 1) return onPlanned(plan.id);
    toast(t`${body.count ?? 1} roasts were added to the queue`);
    setValue('count', '1');
    onDone();
  };
  const change = async (id: string, { machine_id: _machine, count: _count, ...fields }: PlanBody) => {
    // The other fields may have been changed by another person.
    const now = getValues();
    const changed = new Set<string>(planFields.filter((field) => now[field] !== opened[field]));
    const body = Object.fromEntries(Object.entries(fields).filter(([field]) => changed.has(field)));
    await call(updatePlannedRoast, { params: { id }, body });
    await refresh(listPlannedRoasts, getPlannedRoast);
    toast(t`The planned roast was changed`);
    onDone();
  };
  const save = handleSubmit(async (body) => {
    setFailure(null);
    try {
      if (edited === undefined) await add(body);
      else await change(edited.id, body);
    } catch (error) {
      if (!showFieldErrors<PlanValues>(error, planFields, setError)) {
        setFailure(sentenceWithFields(error, t`The queue could not be changed`));
      }
    }
  });
  return (
    <Panel title={edited === undefined ? t`Next roast` : t`Edit planned roast`}>
      <form noValidate onSubmit={(event) => void save(event)} className="grid gap-4 p-4 sm:grid-cols-2">
        {edited === undefined && (
          <div className="sm:col-span-2">
            <Controller
              control={control}
              name="machine_id"
              render={({ field }) => <MachineField {...field} required error={errors.machine_id?.message} />}
            />
          </div>
        )}
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
        <WeightField
          label={t`Batch`}
          required
          min={0}
          step={0.1}
          error={errors.batch_size_kg?.message}
          hint={batchHint(batch, lot?.id === lotId ? lot?.current_weight : undefined)}
          {...register('batch_size_kg')}
        />
        <Controller
          control={control}
          name="roasted_by"
          render={({ field }) => (
            <SuggestField
              label={t`Roasted by`}
              maxLength={120}
              suggestions={(roasters?.people ?? []).map((person) => person.full_name)}
              error={errors.roasted_by?.message}
              {...field}
            />
          )}
        />
        {edited === undefined && (
          <NumberField
            label={t`How many`}
            required
            min={1}
            step={1}
            hint={t`The same roast so many times, each with its own batch number.`}
            error={errors.count?.message}
            {...register('count')}
          />
        )}
        <div className="sm:col-span-2">
          <TextArea label={t`Notes`} rows={2} error={errors.notes?.message} {...register('notes')} />
        </div>
        <div className="flex flex-col gap-3 sm:col-span-2">
          <FormError text={failure} />
          <div className="flex flex-wrap gap-2">
            <Button kind="primary" size="md" type="submit" busy={formState.isSubmitting} icon={<Timer aria-hidden />}>
              {edited === undefined ? t`Add to queue` : t`Save Changes`}
            </Button>
            {edited !== undefined && (
              <Button size="md" onClick={onDone}>
                {t`Cancel`}
              </Button>
            )}
          </div>
        </div>
      </form>
    </Panel>
  );
};
