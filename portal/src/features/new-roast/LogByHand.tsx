import { listLots } from '@roastery/contract/inventory';
import { logRoast } from '@roastery/contract/imports';
import { listRoasts } from '@roastery/contract/roasts';
import { useMemo, useState } from 'react';
import { FormProvider } from 'react-hook-form';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh } from '../../api/use-api.ts';
import { PageForm } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { paths } from '../../components/paths.ts';
import { personName } from '../../components/person-name.ts';
import { usePreferences } from '../../format/preferences.ts';
import { localTimeOf } from '../../format/zoned-time.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';
import { NumberField } from '../../components/number-fields.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { FactsFields } from './FactsFields.tsx';
import { emptyLog, logFields, logResolver } from './log-values.ts';

/** A roast that no board recorded: its few figures, without a curve. */
export const LogByHand = () => {
  const user = useUser();
  const { roastery_time_zone: timeZone } = user;
  const { temperature_unit: unit } = usePreferences();
  const [opened] = useState(() => localTimeOf(Date.now(), timeZone));
  const form = useRecordForm({
    values: emptyLog(personName(user), opened),
    resolver: useMemo(() => logResolver(unit, timeZone), [unit, timeZone]),
    fields: logFields,
    failure: t`The roast could not be logged`,
    invalid: t`Please fix the errors in the form`,
    save: (body) => call(logRoast, { body }),
    saved: async ({ id }, { leaveTo }) => {
      await refresh(listRoasts, listLots);
      toast(t`Roast logged`);
      leaveTo(paths.roast(id));
    },
  });
  const temp = (field: 'charge_temp' | 'first_crack_temp' | 'drop_temp', label: string) => (
    <NumberField label={label} unit={`°${unit}`} {...form.field(field)} />
  );
  return (
    <FormProvider {...form.hookForm}>
      <div className="mx-auto max-w-3xl">
        <PageForm of={form} label={t`Roast by hand`} submit={t`Log roast`} cancelTo={paths.roasts}>
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
                {...form.field('duration_seconds')}
              />
              <TextField
                label={t`First crack`}
                placeholder="8:30"
                inputMode="numeric"
                hint={t`Time since charge`}
                {...form.field('first_crack_time')}
              />
              {temp('charge_temp', t`Charge temp`)}
              {temp('first_crack_temp', t`First crack temp`)}
              {temp('drop_temp', t`Drop temp`)}
            </div>
          </Panel>
        </PageForm>
      </div>
    </FormProvider>
  );
};
