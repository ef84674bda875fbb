import { Eye, EyeOff } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { useSession } from '../../api/session.tsx';
import { FormError } from '../../components/form/FormError.tsx';
import { OfflineBanner } from '../../components/OfflineBanner.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { RoastCurves } from './RoastCurves.tsx';

interface Fields {
  email: HTMLInputElement;
  password: HTMLInputElement;
}
type Problems = Partial<Record<keyof Fields, string | undefined>>;

/** The two fields by name; the form holds nothing else that is typed into. */
const fieldsOf = (form: HTMLFormElement): Fields => form.elements as HTMLFormControlsCollection & Fields;

const problemsOf = ({ email, password }: Fields): Problems => ({
  ...(email.value === '' ? { email: t`Email is required` } : {}),
  ...(email.validity.typeMismatch ? { email: t`Enter an email address` } : {}),
  ...(password.value === '' ? { password: t`Password is required` } : {}),
});

export default function LoginPage() {
  const { login, isLoading, error } = useSession();
  const [problems, setProblems] = useState<Problems>({});
  const [isShown, setIsShown] = useState(false);

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = fieldsOf(event.currentTarget);
    const found = problemsOf(fields);
    setProblems(found);
    if (found.email !== undefined) fields.email.focus();
    else if (found.password !== undefined) fields.password.focus();
    // The route redirects to the dashboard or to the requested page.
    else void login({ email: fields.email.value, password: fields.password.value });
  };
  const clear = (field: keyof Problems) => setProblems((current) => ({ ...current, [field]: undefined }));

  return (
    <div className="relative flex min-h-dvh flex-col overflow-hidden">
      <title>{t`Login · Roasting Management`}</title>
      <OfflineBanner />
      <RoastCurves />
      <main className="relative flex flex-1 items-center justify-center px-4 py-10">
        <div className="w-full max-w-sm">
          <div className="mb-7 flex flex-col items-center text-center">
            <img src="/icon.svg" alt="" width="52" height="52" className="mb-4" />
            <h1 className="text-xl font-semibold tracking-tight text-strong">{t`Roasting Management`}</h1>
            <p className="label-mono mt-1.5">{t`Coffee Roast Management`}</p>
          </div>
          <form
            noValidate
            onSubmit={submit}
            className="flex flex-col gap-4 rounded-lg border border-stroke-strong bg-surface p-6"
          >
            <TextField
              label={t`Email`}
              name="email"
              type="email"
              autoComplete="username"
              aria-required
              inputMode="email"
              error={problems.email}
              onChange={() => clear('email')}
            />
            <div className="relative">
              <TextField
                label={t`Password`}
                name="password"
                type={isShown ? 'text' : 'password'}
                autoComplete="current-password"
                aria-required
                error={problems.password}
                onChange={() => clear('password')}
              />
              <IconButton
                label={isShown ? t`Hide password` : t`Show password`}
                icon={isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
                size="xs"
                className="absolute top-8.5 right-2"
                onClick={() => setIsShown(!isShown)}
              />
            </div>
            <FormError text={error} />
            <Button type="submit" kind="primary" size="md" busy={isLoading} className="mt-1 w-full">
              {isLoading ? t`Logging in...` : t`Login`}
            </Button>
          </form>
        </div>
      </main>
      <footer className="relative pb-6 text-center text-xs text-muted">{t`Intelligent Roasting Management System`}</footer>
    </div>
  );
}
