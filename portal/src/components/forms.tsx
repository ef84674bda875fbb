import { CircleAlert } from 'lucide-react';
import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import { ApiError } from '../api/api-error.ts';
import { useReachability } from '../api/reachability.ts';

/** Why a form was refused, above its buttons; read aloud as soon as it appears. Offline it says what to do. */
export const FormError = ({ text }: { text: string | null | undefined }) => {
  const { reachable } = useReachability();
  if (text === null || text === undefined || text === '') return null;
  return (
    <div className="flex items-start gap-2.5 rounded-md border border-danger/40 bg-danger-soft px-3 py-2.5 text-sm whitespace-pre-line text-strong">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0">
        <p role="alert">{text}</p>
        {!reachable && (
          <p className="text-content">
            You are offline. What you typed stays here: send it again when the server is back.
          </p>
        )}
      </div>
    </div>
  );
};

/** Puts the server's word on single fields beside them; true when there was one for a field of this form. */
export const showFieldErrors = <Values extends FieldValues>(
  error: unknown,
  fields: readonly FieldPath<Values>[],
  setError: UseFormSetError<Values>,
): boolean => {
  if (!(error instanceof ApiError)) return false;
  let shown = false;
  for (const { field, message } of error.fields) {
    const known = fields.find((name) => name === field);
    if (known === undefined) continue;
    setError(known, { type: 'server', message }, { shouldFocus: !shown });
    shown = true;
  }
  return shown;
};
