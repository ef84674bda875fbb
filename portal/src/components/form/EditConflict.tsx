import { Users } from 'lucide-react';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';

/** A field that both people changed, as text. */
export interface Clash {
  label: string;
  /** The saved value. */
  now: string;
  /** The value in this form. */
  yours: string;
}

interface EditConflictProps {
  /** `lot`, `recipe`. */
  thing: string;
  /** Labels of the fields that only the other person changed. */
  theirs: readonly string[];
  clashes: readonly Clash[];
  /** Keeps the user's own changes on top of the other person's. Nothing is saved yet. */
  onMerge: () => void;
  /** Discards the user's own changes. */
  onDiscard: () => void;
}

/** Shown when another person saved the same record first: their changes, the conflicts, and the two choices. */
export const EditConflict = ({ thing, theirs, clashes, onMerge, onDiscard }: EditConflictProps) => (
  <div
    role="alert"
    className="flex max-h-[55dvh] flex-col gap-3 overflow-y-auto rounded-md border border-warning/40 bg-warning-soft p-3 text-sm sm:p-4"
  >
    <div className="flex items-start gap-2.5">
      <Users aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
      <div className="min-w-0 text-strong">
        <p className="font-semibold">{t`Another user changed this ${thing}, or you did in another tab. Your changes are not saved yet.`}</p>
        {theirs.length > 0 && <p className="mt-1">{t`They changed: ${theirs.join(', ')}.`}</p>}
        {clashes.length === 0 && <p className="mt-1">{t`None of your changes is affected.`}</p>}
      </div>
    </div>
    {clashes.length > 0 && (
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be scrollable by keyboard
      <div className="overflow-x-auto rounded-md border border-stroke bg-surface" tabIndex={0}>
        <table className="w-full text-left">
          <caption className="sr-only">{t`Fields that you both changed`}</caption>
          <thead>
            <tr className="label-mono [&>th]:px-3 [&>th]:py-2 [&>th]:font-medium">
              <th scope="col">{t`Both changed`}</th>
              <th scope="col">{t`Saved now`}</th>
              <th scope="col">{t`Yours`}</th>
            </tr>
          </thead>
          <tbody>
            {clashes.map(({ label, now, yours }) => (
              <tr key={label} className="border-t border-stroke align-top [&>*]:px-3 [&>*]:py-2">
                <th scope="row" className="font-medium text-strong">
                  {label}
                </th>
                <td className="wrap-anywhere">{now === '' ? '--' : now}</td>
                <td className="wrap-anywhere text-strong">{yours === '' ? '--' : yours}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
    <div className="flex flex-wrap gap-2">
      <Button kind="primary" onClick={onMerge}>
        {t`Keep my changes on top of theirs`}
      </Button>
      <Button onClick={onDiscard}>{t`Discard mine, show theirs`}</Button>
    </div>
  </div>
);
