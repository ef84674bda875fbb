import { CircleAlert } from 'lucide-react';
import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import { ApiError } from '../api/api-error.ts';

/** Why a form was refused, above its buttons; read aloud as soon as it appears. */
export const FormError = ({ text }: { text: string | null | undefined }) =>
  text === null || text === undefined || text === '' ? null : (
    <div
      role="alert"
      className="flex items-start gap-2.5 rounded-md border border-danger/40 bg-danger-soft px-3 py-2.5 text-sm whitespace-pre-line text-strong"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <p className="min-w-0">{text}</p>
    </div>
  );

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
