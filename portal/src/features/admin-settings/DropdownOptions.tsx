import { deleteOption, listOptions, seedDefaults, type Option } from '@roastery/contract/settings';
import { ListPlus, Sprout, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { attempt } from '../../components/attempt.ts';
import { useAction } from '../../components/use-action.ts';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { toast } from '../../ui/toast.ts';
import { AddOptionForm, categories, categoryNames } from './AddOptionForm.tsx';

const shown = [listOptions];

const remove = (option: Option) =>
  attempt(
    async () => {
      await call(deleteOption, { params: { id: option.id } });
      toast(t`${option.value} was deleted`);
    },
    t`Failed to delete option`,
    shown,
  );

/** Tab `Dropdown Options`: the choices of the forms. */
export const DropdownOptions = () => {
  const { read, change } = useUrlState();
  const category = oneOf(categoryNames, read('category'), 'variety');
  const { one, label, where } = categories.find(({ value }) => value === category) ?? {
    one: category,
    label: category,
    where: '',
  };
  const { data, error, mutate } = useApi(listOptions, { params: { category } });
  const [deleted, setDeleted] = useState<Option | null>(null);
  const { run, isBusy } = useAction({ after: shown });

  const seed = () => void run(async () => toast((await call(seedDefaults, {})).message), t`Failed to seed defaults`);
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <fieldset aria-label={t`Category`} className="flex flex-wrap gap-1.5">
          {categories.map((choice) => (
            <button
              key={choice.value}
              type="button"
              aria-pressed={choice.value === category}
              onClick={() => change({ category: choice.value === 'variety' ? undefined : choice.value })}
              className={classes(
                'h-8 rounded-md border px-3 text-sm pointer-coarse:h-10',
                choice.value === category
                  ? 'border-accent bg-accent-soft font-medium text-accent-text'
                  : 'border-stroke-strong bg-surface text-content hover:bg-hover hover:text-strong',
              )}
            >
              {choice.label}
            </button>
          ))}
        </fieldset>
        <Button icon={<Sprout aria-hidden />} busy={isBusy} onClick={seed}>
          {t`Seed Defaults`}
        </Button>
      </div>
      <ErrorLine title={t`The options could not be loaded`} error={error} onRetry={() => void mutate()} />
      <Card>
        <header className="flex min-h-12 items-center justify-between gap-3 border-b border-stroke px-4">
          <div className="min-w-0 py-2">
            <h2 className="text-base font-semibold text-strong">{label}</h2>
            <p className="text-sm text-muted">{where}</p>
          </div>
          {data !== undefined && <span className="figures text-sm text-muted">{data.length}</span>}
        </header>
        {data === undefined && error === undefined && (
          <ul aria-busy className="divide-y divide-stroke">
            {Array.from({ length: 6 }, (_, i) => (
              <li key={i} className="flex h-11 items-center px-4">
                <Skeleton className="h-3.5 w-40" />
              </li>
            ))}
          </ul>
        )}
        {(data?.length === 0 || (data === undefined && error !== undefined)) && (
          <EmptyState icon={<ListPlus />} title={t`No ${one} yet`}>
            {t`Add one below, or use Seed Defaults.`}
          </EmptyState>
        )}
        {data !== undefined && data.length > 0 && (
          <ul aria-label={t`${label} options`} className="divide-y divide-stroke">
            {data.map((option) => (
              <li key={option.id} className="flex min-h-11 items-center gap-3 py-1 pr-2 pl-4">
                <span className="min-w-0 flex-1 py-1">
                  <span className="font-medium text-strong">{option.value}</span>
                  {option.description !== null && <span className="ml-2 text-sm text-muted">{option.description}</span>}
                </span>
                {!option.is_active && <Badge>{t`Not offered`}</Badge>}
                <IconButton
                  label={t`Delete ${option.value}`}
                  tone="danger"
                  icon={<Trash2 aria-hidden />}
                  onClick={() => setDeleted(option)}
                />
              </li>
            ))}
          </ul>
        )}
        <AddOptionForm key={category} category={category} one={one} existing={data?.length} />
      </Card>
      <ConfirmDialog
        thing={deleted}
        onClose={() => setDeleted(null)}
        title={({ value }) => t`Delete ${value}`}
        question={({ value }) => t`Delete ${value}? Records that use it keep it.`}
        confirmLabel={t`Delete`}
        onConfirm={remove}
      />
    </div>
  );
};
