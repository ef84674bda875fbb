import { CircleAlert } from 'lucide-react';
import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import { ApiError } from '../../api/api-error.ts';
import { useReachability } from '../../api/reachability.ts';
import { t } from '../../language/t.ts';

/** Why a form could not be saved, above its buttons. Offline it adds what to do. */
export const FormError = ({ text }: { text: string | null | undefined }) => {
  const { reachable } = useReachability();
  if (text === null || text === undefined || text === '') return null;
  return (
    <div className="flex items-start gap-2.5 rounded-md border border-danger/40 bg-danger-soft px-3 py-2.5 text-sm whitespace-pre-line text-strong">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0">
        <p role="alert">{text}</p>
        {!reachable && (
          <p className="text-content">{t`You are offline. Your input is kept: save again when the connection is back.`}</p>
        )}
      </div>
    </div>
  );
};

/**
 * Shows the server's messages on single fields beside them; that of a wrong password beside the current password. True when one of
 * them belongs to a field of this form.
 */
export const showFieldErrors = <Values extends FieldValues>(
  error: unknown,
  fields: readonly FieldPath<Values>[],
  setError: UseFormSetError<Values>,
): boolean => {
  if (!(error instanceof ApiError)) return false;
  let shown = false;
  const wrongPassword =
    error.code === 'wrong_credentials' ? [{ field: 'current_password', message: error.message }] : [];
  for (const { field, message } of [...error.fields, ...wrongPassword]) {
    const known = fields.find((name) => name === field);
    if (known === undefined) continue;
    setError(known, { type: 'server', message }, { shouldFocus: !shown });
    shown = true;
  }
  return shown;
};
