import { zodResolver } from '@hookform/resolvers/zod';
import { getPin, pinShape, removePin, setPin } from '@roastery/contract/roasters';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { ApiError, sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { FormError, showFieldErrors } from '../../components/form/FormError.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { Section } from './Section.tsx';

const formShape = z.object({ pin: pinShape, current_password: z.string().min(1, t`Current password is required`) });
type Values = z.infer<typeof formShape>;
const empty: Values = { pin: '', current_password: '' };

/** The PIN that names this person on a shared device. */
export const PinSection = () => {
  const { data } = useApi(getPin, {});
  const [failure, setFailure] = useState<string | null>(null);
  const { register, handleSubmit, reset, setError, formState } = useForm<Values>({
    resolver: zodResolver(formShape),
    defaultValues: empty,
  });
  const { errors, isSubmitting } = formState;
  const submit = handleSubmit(async (body) => {
    setFailure(null);
    try {
      toast((await call(setPin, { body })).message);
      reset(empty);
      await refresh(getPin);
    } catch (error) {
      if (showFieldErrors<Values>(error, ['pin', 'current_password'], setError)) return;
      if (error instanceof ApiError && error.code === 'wrong_credentials') {
        setError('current_password', { message: error.message }, { shouldFocus: true });
      } else setFailure(sentenceFor(error, t`Failed to set the PIN`));
    }
  });
  const remove = async () => {
    setFailure(null);
    try {
      toast((await call(removePin, {})).message);
      await refresh(getPin);
    } catch (error) {
      setFailure(sentenceFor(error, t`Failed to remove the PIN`));
    }
  };
  return (
    <Section
      title={t`PIN`}
      text={t`On a shared tablet you are named as roaster with it. It signs nobody in and changes no permissions.`}
    >
      <form noValidate onSubmit={(event) => void submit(event)} className="flex max-w-sm flex-col gap-4">
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
          error={errors.pin?.message}
          {...register('pin')}
        />
        <TextField
          label={t`Current password`}
          type="password"
          required
          autoComplete="current-password"
          error={errors.current_password?.message}
          {...register('current_password')}
        />
        <FormError text={failure} />
        <div className="flex gap-2">
          <Button type="submit" kind="primary" size="md" busy={isSubmitting}>
            {t`Set PIN`}
          </Button>
          {data?.is_set === true && (
            <Button size="md" onClick={() => void remove()}>
              {t`Remove PIN`}
            </Button>
          )}
        </div>
      </form>
    </Section>
  );
};
