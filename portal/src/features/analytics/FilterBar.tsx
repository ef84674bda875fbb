import { analyticsChoices } from '@roastery/contract/analytics';
import { FilterX } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Combobox } from '../../ui/Combobox.tsx';
import { Segments } from '../../ui/Segments.tsx';
import type { Choice } from '../../ui/Select.tsx';
import { DayField } from '../../components/date-fields.tsx';
import { calendarSpans, rollingSpans } from './span.ts';
import type { ChosenKey, useAnalyticsFilter } from './use-analytics-filter.ts';

type PageFilter = ReturnType<typeof useAnalyticsFilter>;

const same = (names: readonly string[] | undefined): Choice[] =>
  (names ?? []).map((name) => ({ value: name, label: name }));
const named = (things: readonly { id: string; name: string }[] | undefined): Choice[] =>
  (things ?? []).map(({ id, name }) => ({ value: id, label: name }));

/** A chosen value that no roast of the date range has stays visible. */
const withChosen = (choices: Choice[], value: string | undefined, words: string): Choice[] =>
  value === undefined || choices.some((choice) => choice.value === value)
    ? choices
    : [{ value, label: words }, ...choices];

interface FilterBarProps {
  page: PageFilter;
  /** The recipe has a choice of its own elsewhere on the page. */
  hideRecipe: boolean;
}

/** Filters: days, machine, coffee, recipe and person. */
export const FilterBar = ({ page, hideRecipe }: FilterBarProps) => {
  const { filter, usual, today, count, change, takeSpan, reset } = page;
  const span = {
    ...(filter.from === undefined ? {} : { from: filter.from }),
    ...(filter.to === undefined ? {} : { to: filter.to }),
  };
  const { data, isLoading } = useApi(analyticsChoices, { query: span }, { keepPreviousData: true });
  const chooseDays = (days: { from?: string; to?: string }) => change({ ...span, ...days, span: undefined });

  const filters: { key: ChosenKey; label: string; all: string; choices: Choice[]; unknown: string }[] = [
    {
      key: 'machine_id',
      label: t`Machine`,
      all: t`All machines`,
      choices: named(data?.machines),
      unknown: t`Chosen machine`,
    },
    {
      key: 'coffee_name',
      label: t`Coffee`,
      all: t`All coffees`,
      choices: same(data?.coffees),
      unknown: filter.coffee_name ?? '',
    },
    {
      key: 'profile_id',
      label: t`Recipe`,
      all: t`All recipes`,
      choices: named(data?.recipes),
      unknown: t`Chosen recipe`,
    },
    {
      key: 'roasted_by',
      label: t`Person`,
      all: t`All people`,
      choices: same(data?.people),
      unknown: filter.roasted_by ?? '',
    },
  ];

  return (
    <section aria-label={t`Filters`} className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center gap-2.5">
        <Segments label={t`Calendar`} choices={calendarSpans} value={usual} onChange={takeSpan} />
        <Segments label={t`Date range`} choices={rollingSpans} value={usual} onChange={takeSpan} />
        <div className="flex items-center gap-1.5 max-sm:w-full">
          <DayField
            label={t`From`}
            hideLabel
            size="sm"
            className="w-36 max-sm:flex-1"
            value={filter.from ?? ''}
            onChange={(from) => chooseDays({ from })}
          />
          <span aria-hidden className="text-muted">
            –
          </span>
          <DayField
            label={t`To`}
            hideLabel
            size="sm"
            className="w-36 max-sm:flex-1"
            // The usual spans end today.
            value={filter.to ?? (usual === null || usual === 'all' ? '' : today)}
            onChange={(to) => chooseDays({ to })}
          />
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-2.5">
        {filters.map(({ key, label, all, choices, unknown }) =>
          hideRecipe && key === 'profile_id' ? null : (
            <Combobox
              key={key}
              label={label}
              hideLabel
              size="sm"
              placeholder={all}
              className="w-44 max-sm:w-[calc(50%-0.3125rem)]"
              // An id has no label before the list is loaded.
              choices={isLoading && key.endsWith('_id') ? [] : withChosen(choices, filter[key], unknown)}
              isLoading={isLoading}
              value={filter[key] ?? null}
              onChange={(value) => change({ [key]: value ?? undefined })}
            />
          ),
        )}
        {count > 0 && (
          <Button kind="quiet" icon={<FilterX aria-hidden />} onClick={reset}>
            {t`Reset filters (${count})`}
          </Button>
        )}
      </div>
    </section>
  );
};
