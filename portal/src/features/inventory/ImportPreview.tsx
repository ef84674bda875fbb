import type { importLots } from '@roastery/contract/inventory';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../language/t.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { weightText } from '../../format/weights.ts';

/** Rows on screen. The filter shows the rows with errors of a larger file. */
const maxShown = 200;

/** Every row of the file as it would be imported, with its errors. */
export const ImportPreview = ({ preview }: { preview: ResponseOf<typeof importLots> }) => {
  const { rows, faulty, ignored_columns: ignored } = preview;
  const [onlyFaulty, setOnlyFaulty] = useState(faulty > 0 && rows.length > 20);
  const wanted = onlyFaulty ? rows.filter((row) => row.errors.length > 0) : rows;
  const kg = rows.reduce((sum, row) => sum + (row.initial_weight ?? 0), 0);
  return (
    <section aria-label={t`Preview`} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm">
        <p aria-live="polite" className="flex items-start gap-2 text-strong">
          {faulty === 0 ? (
            <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-success" />
          ) : (
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
          )}
          <span className="figures">
            {faulty === 0
              ? rows.length === 1
                ? t`${rows.length} lot, ${weightText(kg)}, ready to import.`
                : t`${rows.length} lots, ${weightText(kg)}, ready to import.`
              : t`${faulty} of ${rows.length} rows have errors. Nothing is imported until they are fixed.`}
          </span>
        </p>
        {faulty > 0 && faulty < rows.length && (
          <Checkbox label={t`Only rows with errors`} checked={onlyFaulty} onChange={setOnlyFaulty} />
        )}
      </div>
      {ignored.length > 0 && <p className="text-sm text-muted">{t`Ignored columns: ${ignored.join(', ')}.`}</p>}
      <section
        aria-label={t`Rows of the file`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must be reachable by keyboard
        tabIndex={0}
        className="max-h-72 overflow-auto rounded-md border border-stroke"
      >
        <table className="w-full border-separate border-spacing-0 text-sm">
          <thead className="sticky top-0 bg-overlay">
            <tr className="label-mono [&>th]:border-b [&>th]:border-stroke [&>th]:px-3 [&>th]:py-2 [&>th]:text-left [&>th]:font-medium">
              <th scope="col">{t`Line`}</th>
              <th scope="col">{t`Lot`}</th>
              <th scope="col">{t`Name`}</th>
              <th scope="col" className="max-sm:hidden">
                {t`Origin`}
              </th>
              <th scope="col" className="text-right!">
                {t`Weight`}
              </th>
            </tr>
          </thead>
          {wanted.slice(0, maxShown).map((row) => (
            <tbody key={row.line} className={row.errors.length > 0 ? 'bg-danger-soft' : undefined}>
              <tr className="[&>td]:px-3 [&>td]:py-1.5">
                <td className="figures text-muted">{row.line}</td>
                <td className="font-mono text-strong">{row.lot_number || '--'}</td>
                <td>{row.coffee_name || '--'}</td>
                <td className="max-sm:hidden">{row.origin || '--'}</td>
                <td className="figures text-right whitespace-nowrap">
                  {row.initial_weight === null ? '--' : weightText(row.initial_weight)}
                </td>
              </tr>
              {row.errors.length > 0 && (
                <tr>
                  <td aria-hidden />
                  <td colSpan={4} className="px-3 pb-2 text-danger">
                    <ul>
                      {row.errors.map(({ field, message }) => (
                        <li key={field + message}>
                          <span className="font-mono text-xs">{field}</span> {message}
                        </li>
                      ))}
                    </ul>
                  </td>
                </tr>
              )}
            </tbody>
          ))}
        </table>
      </section>
      {wanted.length > maxShown && (
        <p className="figures text-sm text-muted">{t`The first ${maxShown} of ${wanted.length} rows are shown.`}</p>
      )}
    </section>
  );
};
