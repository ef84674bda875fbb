import { zodResolver } from '@hookform/resolvers/zod';
import { getPin, pinShape, removePin, setPin } from '@roastery/contract/roasters';
import { useState } from 'react';
import { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { attempt } from '../../components/attempt.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { FormFrame } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { CurrentPasswordField, Section } from './Section.tsx';

const formShape = z.object({ pin: pinShape, current_password: z.string().min(1, t`Current password is required`) });
const resolver = zodResolver(formShape);

const remove = () =>
  attempt(async () => toast((await call(removePin, {})).message), t`Failed to remove the PIN`, [getPin]);

/** The PIN that identifies this person on a shared device. */
export const PinSection = () => {
  const { data } = useApi(getPin, {});
  const [removing, setRemoving] = useState<true | null>(null);
  const form = useRecordForm({
    values: { pin: '', current_password: '' },
    resolver,
    fields: ['pin', 'current_password'],
    failure: (error, isBesideFields) => (isBesideFields ? null : sentenceFor(error, t`Failed to set the PIN`)),
    save: (body) => call(setPin, { body }),
    saved: async ({ message }, { startAnew }) => {
      toast(message);
      startAnew();
      await refresh(getPin);
    },
  });
  return (
    <Section
      title={t`PIN`}
      text={t`On a shared tablet it confirms that you are the roaster. It does not sign you in and changes no permissions.`}
    >
      <FormFrame of={form} className="flex max-w-sm flex-col gap-4">
        {data !== undefined && (
          <p className="text-sm text-content">{data.is_set ? t`A PIN is set.` : t`No PIN is set.`}</p>
        )}
        <TextField
          label={data?.is_set === true ? t`New PIN` : t`PIN`}
          type="password"
          inputMode="numeric"
          required
          autoComplete="off"
          hint={t`4 to 12 digits`}
          {...form.field('pin')}
        />
        <CurrentPasswordField {...form.field('current_password')} />
        <FormError text={form.failure} />
        <div className="flex gap-2">
          <Button type="submit" kind="primary" size="md" busy={form.isSubmitting}>
            {t`Set PIN`}
          </Button>
          {data?.is_set === true && (
            <Button size="md" onClick={() => setRemoving(true)}>
              {t`Remove PIN`}
            </Button>
          )}
        </div>
      </FormFrame>
      <ConfirmDialog
        thing={removing}
        onClose={() => setRemoving(null)}
        title={() => t`Remove PIN`}
        question={() => t`You can no longer confirm with a PIN on a shared tablet that you are the roaster.`}
        confirmLabel={t`Remove`}
        onConfirm={remove}
      />
    </Section>
  );
};
