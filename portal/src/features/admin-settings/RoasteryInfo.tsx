import { getMailStatus } from '@roastery/contract/alerts';
import { getRoasterySettings, putRoasterySettings, type RoasterySettings } from '@roastery/contract/settings';
import { useMemo, useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { useSession } from '../../api/session.tsx';
import { refresh, useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { FormError, showFieldErrors } from '../../components/forms.tsx';
import { useMeanwhile } from '../../components/use-meanwhile.tsx';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Combobox } from '../../ui/Combobox.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { changesOf, roasteryFields, roasteryLabels, valuesOf, type RoasteryValues } from './roastery-values.ts';
import { timeZoneChoices } from './time-zones.ts';

/** Tab `Roastery Info`. */
export const RoasteryInfo = () => {
  const { data, error, mutate } = useApi(getRoasterySettings, {}, { revalidateOnFocus: false });
  if (data !== undefined) return <RoasteryForm settings={data} />;
  return (
    <Card className="max-w-3xl">
      {error === undefined ? (
        <div aria-busy className="grid gap-x-4 gap-y-5 p-5 sm:grid-cols-2">
          {roasteryFields.map((field) => (
            <Skeleton key={field} className="h-16 w-full" />
          ))}
        </div>
      ) : (
        <ErrorState title="The settings could not be loaded" error={error} onRetry={() => void mutate()} />
      )}
    </Card>
  );
};

const RoasteryForm = ({ settings }: { settings: RoasterySettings }) => {
  const { recheck } = useSession();
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm<RoasteryValues>({ defaultValues: valuesOf(settings) });
  const { register, control, handleSubmit, reset, setError, formState } = form;
  const meanwhile = useMeanwhile({
    form,
    thing: 'page of settings',
    record: settings,
    valuesOf,
    labels: roasteryLabels,
    read: () => call(getRoasterySettings, {}),
  });
  const { errors, isSubmitting, isDirty, dirtyFields } = formState;
  const zones = useMemo(() => timeZoneChoices(settings.time_zone), [settings.time_zone]);

  const submit = handleSubmit(async (values) => {
    setFailure(null);
    try {
      const saved = await call(putRoasterySettings, {
        body: { ...changesOf(values, dirtyFields), revision: meanwhile.revision },
      });
      reset(valuesOf(saved));
      meanwhile.goOnFrom(saved);
      toast('Settings saved successfully!');
      await refresh(getRoasterySettings, getMailStatus);
      // Every date in the portal is told in the roastery's zone.
      if (saved.time_zone !== settings.time_zone) {
        recheck().catch((error: unknown) => logError('The new time zone could not be taken over', error));
      }
    } catch (error) {
      if (await meanwhile.explains(error).catch(() => false)) return;
      showFieldErrors(error, [...roasteryFields, 'time_zone'], setError);
      setFailure(sentenceWithFields(error, 'Failed to save settings'));
    }
  });

  const field = (name: keyof RoasteryValues) => ({ ...register(name), error: errors[name]?.message });
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="max-w-3xl">
      <UnsavedChanges dirty={isDirty} />
      <Card>
        <div className="grid gap-x-4 gap-y-5 p-5 sm:grid-cols-6">
          <TextField label="Roastery Name" maxLength={200} className="sm:col-span-6" {...field('roastery_name')} />
          <TextField label="Address" maxLength={300} className="sm:col-span-6" {...field('address')} />
          <TextField label="Postal Code" maxLength={20} className="sm:col-span-2" {...field('postal_code')} />
          <TextField label="City" maxLength={120} className="sm:col-span-2" {...field('city')} />
          <TextField label="Country" maxLength={120} className="sm:col-span-2" {...field('country')} />
          <TextField label="Email" type="email" maxLength={254} className="sm:col-span-3" {...field('email')} />
          <TextField label="Phone" type="tel" maxLength={60} className="sm:col-span-3" {...field('phone')} />
          <TextField
            label="Website"
            type="url"
            inputMode="url"
            maxLength={300}
            className="sm:col-span-3"
            {...field('website')}
          />
          <Controller
            control={control}
            name="time_zone"
            rules={{ required: 'Choose a time zone' }}
            render={({ field: zone }) => (
              <Combobox
                label="Time Zone"
                required
                choices={zones}
                value={zone.value === '' ? null : zone.value}
                onChange={(value) => zone.onChange(value ?? '')}
                onBlur={zone.onBlur}
                hint="Days and months are counted in it, for everybody."
                error={errors.time_zone?.message}
                className="sm:col-span-3"
                ref={zone.ref}
              />
            )}
          />
          <TextField
            label="Alert Email"
            type="email"
            maxLength={254}
            hint="Told of green coffee that runs low, beside the administrators."
            className="sm:col-span-3"
            {...field('alert_email')}
          />
          {meanwhile.notice !== null && <div className="sm:col-span-6">{meanwhile.notice}</div>}
          {failure !== null && (
            <div className="sm:col-span-6">
              <FormError text={failure} />
            </div>
          )}
        </div>
        <footer className="flex justify-end gap-2 border-t border-stroke px-5 py-3">
          <Button disabled={!isDirty || isSubmitting} onClick={() => reset()}>
            Discard
          </Button>
          <Button type="submit" kind="primary" busy={isSubmitting} disabled={!isDirty}>
            {isSubmitting ? 'Saving…' : 'Save Settings'}
          </Button>
        </footer>
      </Card>
    </form>
  );
};
