import { getMailStatus } from '@roastery/contract/alerts';
import { getRoasterySettings, putRoasterySettings, type RoasterySettings } from '@roastery/contract/settings';
import { useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { useSession } from '../../api/session.tsx';
import { refresh, useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { CardForm, FormField } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { TimeZoneField } from '../../components/TimeZoneField.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { Combobox } from '../../ui/Combobox.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import {
  changesOf,
  currencyChoices,
  roasteryFields,
  roasteryLabels,
  roasteryResolver,
  valuesOf,
} from './roastery-values.ts';

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
        <ErrorState title={t`The settings could not be loaded`} error={error} onRetry={() => void mutate()} />
      )}
    </Card>
  );
};

const RoasteryForm = ({ settings }: { settings: RoasterySettings }) => {
  const { recheck } = useSession();
  // Until then only the chosen one has a name: the list of all takes a phone 100 ms.
  const [isOpened, setOpened] = useState(false);
  const open = () => setOpened(true);
  const known = useMemo(() => (isOpened ? currencyChoices() : []), [isOpened]);
  const form = useRecordForm({
    values: valuesOf(settings),
    resolver: roasteryResolver,
    fields: [...roasteryFields, 'time_zone', 'currency', 'bag_sizes'],
    failure: t`Failed to save settings`,
    edited: {
      noun: t`settings page`,
      record: settings,
      valuesOf,
      labels: roasteryLabels,
      read: () => call(getRoasterySettings, {}),
    },
    save: (values, { changed, revision }) =>
      call(putRoasterySettings, { body: { ...changesOf(values, changed), revision } }),
    saved: async (saved, { continueFrom }) => {
      continueFrom(saved);
      toast(t`Settings saved successfully!`);
      await refresh(getRoasterySettings, getMailStatus);
      // All dates and amounts of the portal are shown in the roastery's time zone and currency, which are part of the session.
      if (saved.time_zone !== settings.time_zone || saved.currency !== settings.currency) {
        recheck().catch((error: unknown) =>
          logError('Session could not be read after a change of time zone or currency', error),
        );
      }
    },
  });
  const { field, hookForm } = form;
  const discard = () => {
    const typed = hookForm.getValues();
    hookForm.reset();
    toast(t`Changes discarded`, {
      action: { label: t`Undo`, run: () => hookForm.reset(typed, { keepDefaultValues: true }) },
      stays: 10_000,
    });
  };
  return (
    <CardForm
      of={form}
      className="max-w-3xl"
      bodyClassName="grid gap-x-4 gap-y-5 p-5 sm:grid-cols-6"
      submit={t`Save Settings`}
      submitting={t`Saving…`}
      isUnchanged={!form.isDirty}
      cancel={
        <Button disabled={!form.isDirty || form.isSubmitting} onClick={discard}>
          {t`Discard`}
        </Button>
      }
    >
      <TextField label={t`Roastery Name`} maxLength={200} className="sm:col-span-6" {...field('roastery_name')} />
      <TextField label={t`Address`} maxLength={300} className="sm:col-span-6" {...field('address')} />
      <TextField label={t`Postal Code`} maxLength={20} className="sm:col-span-2" {...field('postal_code')} />
      <TextField label={t`City`} maxLength={120} className="sm:col-span-2" {...field('city')} />
      <TextField label={t`Country`} maxLength={120} className="sm:col-span-2" {...field('country')} />
      <TextField label={t`Email`} type="email" maxLength={254} className="sm:col-span-3" {...field('email')} />
      <TextField label={t`Phone`} type="tel" maxLength={60} className="sm:col-span-3" {...field('phone')} />
      <TextField
        label={t`Website`}
        type="url"
        inputMode="url"
        maxLength={300}
        className="sm:col-span-3"
        {...field('website')}
      />
      <FormField of={form} name="time_zone">
        {({ value, onChange, ...zone }) => (
          <TimeZoneField
            label={t`Time Zone`}
            required
            value={value === '' ? null : value}
            onChange={(next) => onChange(next ?? '')}
            hint={t`Used for all dates and times in the portal.`}
            className="sm:col-span-3"
            {...zone}
          />
        )}
      </FormField>
      <FormField of={form} name="currency">
        {({ value, onChange, ...currency }) => (
          <Combobox
            label={t`Currency`}
            required
            choices={isOpened || value === '' ? known : currencyChoices([value])}
            onOpen={open}
            value={value === '' ? null : value}
            onChange={(next) => onChange(next ?? '')}
            hint={t`For all prices and values. Amounts are not converted.`}
            className="sm:col-span-3"
            {...currency}
          />
        )}
      </FormField>
      <TextField
        label={t`Bag Sizes`}
        maxLength={300}
        hint={t`Offered where green coffee is entered in bags.`}
        className="sm:col-span-3"
        {...field('bag_sizes')}
      />
      <TextField
        label={t`Alert Email`}
        type="email"
        maxLength={254}
        hint={t`Also gets low-stock alerts.`}
        className="sm:col-span-3"
        {...field('alert_email')}
      />
    </CardForm>
  );
};
