import {
  getPlannedRoast,
  listPlannedRoasts,
  planRoast,
  updatePlannedRoast,
  type PlannedRoast,
} from '@roastery/contract/planned';
import type { Lot } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import { getProfile } from '@roastery/contract/profiles';
import { listRoasters } from '@roastery/contract/roasters';
import { Timer } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh, useApi } from '../../api/use-api.ts';
import { DateField } from '../../components/date-fields.tsx';
import { FormError } from '../../components/form/FormError.tsx';
import { FormField, FormFrame } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
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
  batchOf,
  emptyPlan,
  keepLastPlan,
  planFields,
  planResolver,
  readLastPlan,
  valuesOfPlan,
  type PlanValues,
} from './plan-values.ts';

interface PlanFormProps {
  /** The plan that is edited; absent for a new one. */
  edited?: PlannedRoast;
  onPlanned: (planId: string) => void;
  /** After several were added, or one was edited. */
  onDone: () => void;
}

/** Saves a new plan, or what was changed of an edited one. */
const usePlanForm = ({ edited, onPlanned, onDone }: PlanFormProps, onSaved: () => void) => {
  const user = useUser();
  const [opened] = useState<PlanValues>(() =>
    edited === undefined ? emptyPlan(personName(user), readLastPlan(user.id)) : valuesOfPlan(edited),
  );
  return useRecordForm({
    values: opened,
    resolver: planResolver,
    fields: planFields,
    failure: (error, isBesideFields) =>
      isBesideFields ? null : sentenceWithFields(error, t`The queue could not be changed`),
    save: async (body, { changed, values }) => {
      if (edited === undefined) return { ...(await call(planRoast, { body })), values };
      // The other fields may have been changed by another person.
      const { machine_id: _machine, count: _count, ...fields } = body;
      const own = Object.fromEntries(Object.entries(fields).filter(([field]) => changed.has(field)));
      return { ...(await call(updatePlannedRoast, { params: { id: edited.id }, body: own })), values };
    },
    saved: async ({ id, values }, { startAnew }) => {
      await refresh(listPlannedRoasts, getPlannedRoast);
      if (edited === undefined) {
        keepLastPlan(user.id, values);
        startAnew({ ...values, count: '1' });
        onSaved();
        if (Number(values.count) === 1) return onPlanned(id);
      }
      toast(
        edited === undefined
          ? t`${Number(values.count)} roasts were added to the queue`
          : t`The queued roast was changed`,
      );
      onDone();
    },
  });
};

/** The batch that recipe and machine suggest, until a person types their own; what else the chosen machine offers. */
const useSuggestions = (form: ReturnType<typeof usePlanForm>, isBatchTyped: boolean) => {
  const { control, setValue } = form.hookForm;
  const [machineId, profileId] = useWatch({ control, name: ['machine_id', 'profile_id'] });
  const { data: machines } = useApi(listMachines, { query: { sort: 'name' } });
  const { data: recipe } = useApi(getProfile, profileId === null ? null : { params: { id: profileId } });
  const { data: roasters } = useApi(listRoasters, machineId === null ? null : { params: { id: machineId } });
  const machine = machines?.find(({ id }) => id === machineId);
  const suggested = batchOf(profileId === null ? undefined : recipe, machine);
  useEffect(() => {
    if (suggested !== undefined && !isBatchTyped) {
      setValue('batch_size_kg', String(suggested), { shouldDirty: true });
    }
  }, [suggested, isBatchTyped, setValue]);
  return (roasters?.people ?? []).map((person) => person.full_name);
};

/** Machine, lot, recipe and batch of the next roast. A recipe prefills its lot and batch. */
export const PlanForm = (props: PlanFormProps) => {
  const { edited, onDone } = props;
  const [lot, setLot] = useState<Lot | null>(null);
  /** A batch that a person has typed stays. */
  const [isBatchTyped, setBatchTyped] = useState(edited !== undefined);
  const form = usePlanForm(props, () => setBatchTyped(false));
  const roasters = useSuggestions(form, isBatchTyped);
  const { control, setValue } = form.hookForm;
  const [lotId, batch] = useWatch({ control, name: ['lot_id', 'batch_size_kg'] });
  return (
    <Panel title={edited === undefined ? t`Next roast` : t`Edit queued roast`}>
      <FormFrame of={form} className="grid gap-4 p-4 sm:grid-cols-2">
        {edited === undefined && (
          <div className="sm:col-span-2">
            <FormField of={form} name="machine_id">
              {(field) => <MachineField {...field} required />}
            </FormField>
          </div>
        )}
        <FormField of={form} name="profile_id">
          {({ ref: _ref, ...field }) => (
            <RecipeField
              {...field}
              onRecipe={(recipe) => {
                if (recipe?.green_coffee_lot_id) setValue('lot_id', recipe.green_coffee_lot_id, { shouldDirty: true });
              }}
            />
          )}
        </FormField>
        <FormField of={form} name="lot_id">
          {({ ref: _ref, ...field }) => <LotField {...field} onLot={setLot} placeholder={t`No lot`} />}
        </FormField>
        {lotId === null && (
          <div className="sm:col-span-2">
            <TextField label={t`Coffee name`} maxLength={200} {...form.field('coffee_name')} />
          </div>
        )}
        <WeightField
          label={t`Batch`}
          required
          min={0}
          step={0.1}
          hint={batchHint(batch, lot?.id === lotId ? lot?.current_weight : undefined)}
          {...form.field('batch_size_kg')}
          onInput={() => setBatchTyped(true)}
        />
        {edited === undefined && (
          <NumberField
            label={t`How many`}
            required
            min={1}
            step={1}
            hint={t`Each gets its own batch number.`}
            {...form.field('count')}
          />
        )}
        <DateField label={t`Day`} hint={t`Today, unless you choose a later one.`} {...form.field('day')} />
        <FormField of={form} name="roasted_by">
          {(field) => <SuggestField label={t`Roasted by`} maxLength={120} suggestions={roasters} {...field} />}
        </FormField>
        <div className="sm:col-span-2">
          <TextArea label={t`Notes`} rows={2} {...form.field('notes')} />
        </div>
        <div className="flex flex-col gap-3 sm:col-span-2">
          <FormError text={form.failure} />
          <div className="flex flex-wrap gap-2">
            <Button kind="primary" size="md" type="submit" busy={form.isSubmitting} icon={<Timer aria-hidden />}>
              {edited === undefined ? t`Add to queue` : t`Save Changes`}
            </Button>
            {edited !== undefined && (
              <Button size="md" onClick={onDone}>
                {t`Cancel`}
              </Button>
            )}
          </div>
        </div>
      </FormFrame>
    </Panel>
  );
};
