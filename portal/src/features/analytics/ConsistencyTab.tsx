import { analyticsChoices, analyticsConsistency } from '@roastery/contract/analytics';
import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { Comparison } from './Comparison.tsx';
import { roastsText } from './figure-texts.ts';
import { RecipesTable } from './RecipesTable.tsx';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

/** Consistency of the roasts of one recipe, or of all recipes while none is chosen. */
export const ConsistencyTab = ({ filter }: { filter: AnalyticsFilter }) => {
  const { change } = useUrlState();
  const { from, to, profile_id: id, ...others } = filter;
  const span = useMemo(
    () => ({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }),
    [from, to],
  );
  const choices = useApi(analyticsChoices, { query: span }, { keepPreviousData: true });
  const recipes = choices.data?.recipes ?? [];
  const {
    data,
    error,
    mutate,
    isLoading: isComparing,
  } = useApi(analyticsConsistency, id === undefined ? null : { params: { id }, query: { ...span, ...others } }, {
    keepPreviousData: true,
  });

  return (
    <div className="flex flex-col gap-4">
      <Combobox
        label={t`Recipe`}
        className="max-w-sm"
        placeholder={t`All recipes`}
        choices={[
          ...recipes.map((recipe) => ({ value: recipe.id, label: recipe.name, hint: roastsText(recipe.roasts) })),
          ...(id !== undefined && data?.profile.id === id && !recipes.some((recipe) => recipe.id === id)
            ? [{ value: id, label: data.profile.name }]
            : []),
        ]}
        isLoading={choices.isLoading || isComparing}
        unknown={t`Chosen recipe`}
        value={id ?? null}
        onChange={(next) => change({ profile_id: next ?? undefined })}
      />
      <ErrorLine title={t`The comparison could not be loaded`} error={error} onRetry={() => void mutate()} />
      <ErrorLine
        title={t`The recipes could not be loaded`}
        error={choices.error}
        onRetry={() => void choices.mutate()}
      />
      {id === undefined ? (
        <RecipesTable filter={{ ...span, ...others }} />
      ) : (
        (data !== undefined || error === undefined) && <Comparison data={data} />
      )}
    </div>
  );
};
