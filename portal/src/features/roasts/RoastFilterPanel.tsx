import { analyticsChoices } from '@roastery/contract/analytics';
import { lotOrigins } from '@roastery/contract/inventory';
import { listOptions } from '@roastery/contract/settings';
import { FilterX, X } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { LotField } from '../../components/LotField.tsx';
import { formatRoasts } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Combobox } from '../../ui/Combobox.tsx';
import { Select, type Choice } from '../../ui/Select.tsx';
import { DayField } from '../../components/date-fields.tsx';
import {
  idsOf,
  parts,
  statuses,
  type RoastFilterKey,
  type RoastFilters,
  type RoastFilterValues,
} from './roast-filters.ts';

const same = (names: readonly string[] | undefined): Choice[] =>
  (names ?? []).map((name) => ({ value: name, label: name }));
const named = (things: readonly { id: string; name: string }[] | undefined): Choice[] =>
  (things ?? []).map(({ id, name }) => ({ value: id, label: name }));

/** Medium covers Medium-Light and Medium-Dark, as on the list of recipes. */
const levels = ['Light', 'Medium', 'Dark'];

/** A value from the address stays visible even when no roast has it; ids have no label before the list is loaded. */
const withChosen = (choices: Choice[], value: string | undefined, isLoading = false): Choice[] =>
  value === undefined || isLoading || choices.some((choice) => choice.value === value)
    ? choices
    : [{ value, label: value.length > 30 ? t`Chosen before` : value }, ...choices];

/** Stands for the recipe that was deleted among the ids of the others. */
const former = 'former';

const chosenPart = (values: RoastFilterValues): string =>
  values.without === undefined ? (values.with === undefined ? '' : `with ${values.with}`) : `without ${values.without}`;

/** Every filter of the list; a choice goes to the address at once. */
export const RoastFilterPanel = ({ filters }: { filters: RoastFilters }) => {
  const { values, choose, count, reset } = filters;
  const { data, isLoading } = useApi(analyticsChoices, { query: {} }, { revalidateOnFocus: false });
  const { data: lots } = useApi(lotOrigins, {}, { revalidateOnFocus: false });
  const { data: options } = useApi(listOptions, { params: { category: 'origin' } }, { revalidateOnFocus: false });
  const origins = [...new Set([...(lots ?? []), ...(options ?? []).map(({ value }) => value)])].toSorted((a, b) =>
    a.localeCompare(b),
  );
  const pick = (key: RoastFilterKey, label: string, all: string, choices: Choice[]) => (
    <Combobox
      label={label}
      size="sm"
      placeholder={all}
      choices={withChosen(choices, values[key], isLoading && key.endsWith('_id'))}
      isLoading={isLoading && key.endsWith('_id')}
      value={values[key] ?? null}
      onChange={(value) => choose({ [key]: value ?? undefined })}
    />
  );
  return (
    <section
      aria-label={t`Filters`}
      className="mb-3 grid gap-x-4 gap-y-3 rounded-lg border border-stroke bg-surface p-4 sm:grid-cols-2 lg:grid-cols-4"
    >
      {pick('machine_id', t`Machine`, t`All machines`, named(data?.machines))}
      <Combobox
        label={t`Recipe`}
        size="sm"
        placeholder={t`All recipes`}
        choices={withChosen(
          values.former_recipe === undefined
            ? named(data?.recipes)
            : [{ value: former, label: t`${values.former_recipe} (deleted)` }, ...named(data?.recipes)],
          values.profile_id,
          isLoading,
        )}
        isLoading={isLoading}
        value={values.profile_id ?? (values.former_recipe === undefined ? null : former)}
        onChange={(value) => value !== former && choose({ profile_id: value ?? undefined, former_recipe: undefined })}
      />
      {pick('coffee_name', t`Coffee`, t`All coffees`, same(data?.coffees))}
      {pick('origin', t`Origin`, t`All origins`, same(origins))}
      {pick('roasted_by', t`Roasted by`, t`All people`, same(data?.people))}
      <LotField
        size="sm"
        placeholder={t`All lots`}
        value={values.lot_id ?? null}
        onChange={(id) => choose({ lot_id: id ?? undefined })}
      />
      <Select
        label={t`Roast level`}
        size="sm"
        choices={[{ value: '', label: t`All levels` }, ...same(levels)]}
        value={values.level ?? ''}
        onChange={(level) => choose({ level })}
      />
      <Select
        label={t`Status`}
        size="sm"
        choices={[{ value: '', label: t`All` }, ...statuses]}
        value={values.status ?? ''}
        onChange={(status) => choose({ status })}
      />
      <Select
        label={t`Data`}
        size="sm"
        choices={[
          { value: '', label: t`Any` },
          ...parts.map(({ key, part, label }) => ({ value: `${key} ${part}`, label })),
        ]}
        value={chosenPart(values)}
        onChange={(value) => {
          const [key, part] = value.split(' ');
          choose({ with: key === 'with' ? part : undefined, without: key === 'without' ? part : undefined });
        }}
      />
      <DayField label={t`From`} size="sm" value={values.from ?? ''} onChange={(from) => choose({ from })} />
      <DayField label={t`To`} size="sm" value={values.to ?? ''} onChange={(to) => choose({ to })} />
      {values.ids !== undefined && (
        <p className="flex items-center justify-between gap-3 rounded-sm border border-stroke bg-hover py-1 pr-1 pl-3 text-sm text-content sm:col-span-2 lg:col-span-4">
          {t`Only ${formatRoasts(idsOf(values.ids).length)} selected on another page`}
          <Button kind="quiet" icon={<X aria-hidden />} onClick={() => choose({ ids: undefined })}>
            {t`Show all roasts`}
          </Button>
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 sm:self-end">
        <Checkbox
          label={t`Favorites only`}
          checked={values.favorites_only === 'true'}
          onChange={(only) => choose({ favorites_only: only ? 'true' : undefined })}
        />
        <Button kind="quiet" disabled={count === 0} icon={<FilterX aria-hidden />} onClick={reset}>
          {t`Reset filters (${count})`}
        </Button>
      </div>
    </section>
  );
};
