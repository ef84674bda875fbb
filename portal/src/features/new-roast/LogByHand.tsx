import { listLots } from '@roastery/contract/inventory';
import { logRoast } from '@roastery/contract/imports';
import { listRoasts } from '@roastery/contract/roasts';
import { useMemo, useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh } from '../../api/use-api.ts';
import { FormActions } from '../../components/form/RecordForm.tsx';
import { FormError, showFieldErrors } from '../../components/form/FormError.tsx';
import { paths } from '../../components/paths.ts';
import { personName } from '../../components/person-name.ts';
import { usePreferences } from '../../format/preferences.ts';
import { UnsavedChanges, useLeave } from '../../components/form/UnsavedChanges.tsx';
import { localTimeOf } from '../../format/zoned-time.ts';
import { t } from '../../language/t.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { NumberField } from '../../components/number-fields.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { FactsFields } from './FactsFields.tsx';
import { emptyLog, logFields, logResolver, type LogBody, type LogValues } from './log-values.ts';

/** A roast that no board recorded: its few figures, without a curve. */
export const LogByHand = () => {
  const user = useUser();
  const { roastery_time_zone: timeZone } = user;
  const { temperature_unit: unit } = usePreferences();
  const { isLeaving, leaveTo } = useLeave();
  const [failure, setFailure] = useState<string | null>(null);
  const [opened] = useState(() => Date.now());
  const form = useForm<LogValues, unknown, LogBody>({
    resolver: useMemo(() => logResolver(unit, timeZone), [unit, timeZone]),
    defaultValues: emptyLog(personName(user), localTimeOf(opened, timeZone)),
  });
  const { register, handleSubmit, setError, formState } = form;
  const { errors } = formState;
  const save = handleSubmit(
    async (body) => {
      setFailure(null);
      try {
        const roast = await call(logRoast, { body });
        await refresh(listRoasts, listLots);
        toast(t`Roast logged`);
        leaveTo(paths.roast(roast.id));
      } catch (error) {
        showFieldErrors<LogValues>(error, logFields, setError);
        setFailure(sentenceWithFields(error, t`The roast could not be logged`));
      }
    },
    () => setFailure(t`Please fix the errors in the form`),
  );
  const temp = (field: 'charge_temp' | 'first_crack_temp' | 'drop_temp', label: string) => (
    <NumberField label={label} unit={`°${unit}`} error={errors[field]?.message} {...register(field)} />
  );
  return (
    <FormProvider {...form}>
      <UnsavedChanges dirty={formState.isDirty && !isLeaving} />
      <form
        noValidate
        aria-label={t`Roast by hand`}
        onSubmit={(event) => void save(event)}
        className="mx-auto flex max-w-3xl flex-col gap-4"
      >
        <Panel title={t`What was roasted`}>
          <div className="grid gap-4 p-4 sm:grid-cols-2">
            <FactsFields coffeeRequired timeZone={timeZone} />
          </div>
        </Panel>
        <Panel title={t`Times and temperatures`}>
          <div className="grid gap-4 p-4 sm:grid-cols-2">
            <TextField
              label={t`Duration`}
              required
              placeholder="10:30"
              inputMode="numeric"
              hint={t`Charge to drop, minutes and seconds`}
              error={errors.duration_seconds?.message}
              {...register('duration_seconds')}
            />
            <TextField
              label={t`First crack`}
              placeholder="8:30"
              inputMode="numeric"
              hint={t`Time since charge`}
              error={errors.first_crack_time?.message}
              {...register('first_crack_time')}
            />
            {temp('charge_temp', t`Charge temp`)}
            {temp('first_crack_temp', t`First crack temp`)}
            {temp('drop_temp', t`Drop temp`)}
          </div>
        </Panel>
        <FormActions>
          <FormError text={failure} />
          <div className="flex justify-end gap-2">
            <ButtonLink size="md" to={paths.roasts}>
              {t`Cancel`}
            </ButtonLink>
            <Button size="md" kind="primary" type="submit" busy={formState.isSubmitting}>
              {t`Log roast`}
            </Button>
          </div>
        </FormActions>
      </form>
    </FormProvider>
  );
};
