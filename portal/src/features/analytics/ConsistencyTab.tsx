import { analyticsChoices, analyticsConsistency } from '@roastery/contract/analytics';
import { ChartSpline } from 'lucide-react';
import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';
import { Combobox } from '../../ui/Combobox.tsx';
import { Comparison } from './Comparison.tsx';
import { roastsText } from './figure-texts.ts';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

/** Consistency of the roasts of one recipe. */
export const ConsistencyTab = ({ filter }: { filter: AnalyticsFilter }) => {
  const { change } = useUrlState();
  const { from, to, profile_id: chosen, ...others } = filter;
  const span = useMemo(
    () => ({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }),
    [from, to],
  );
  const choices = useApi(analyticsChoices, { query: span }, { keepPreviousData: true });
  const recipes = choices.data?.recipes ?? [];
  const mostUsed = recipes.toSorted((a, b) => b.roasts - a.roasts)[0]?.id;
  const id = chosen ?? mostUsed;
  const {
    data,
    error,
    mutate,
    isLoading: isComparing,
  } = useApi(analyticsConsistency, id === undefined ? null : { params: { id }, query: { ...span, ...others } }, {
    keepPreviousData: true,
  });
  const isNone = choices.data !== undefined && id === undefined;

  return (
    <div className="flex flex-col gap-4">
      <Combobox
        label={t`Recipe`}
        className="max-w-sm"
        placeholder={isNone ? t`No roasts with a recipe in this period` : t`Loading`}
        disabled={recipes.length === 0 && chosen === undefined}
        choices={[
          ...recipes.map((recipe) => ({ value: recipe.id, label: recipe.name, hint: roastsText(recipe.roasts) })),
          ...(chosen !== undefined && data?.profile.id === chosen && !recipes.some((recipe) => recipe.id === chosen)
            ? [{ value: chosen, label: data.profile.name }]
            : []),
        ]}
        isLoading={choices.isLoading || isComparing}
        unknown={t`Chosen recipe`}
        value={id ?? null}
        onChange={(next) => change({ profile_id: next ?? undefined })}
      />
      {error !== undefined && (
        <ErrorLine title={t`The comparison could not be loaded`} error={error} onRetry={() => void mutate()} />
      )}
      {choices.error !== undefined && (
        <ErrorLine
          title={t`The recipes could not be loaded`}
          error={choices.error}
          onRetry={() => void choices.mutate()}
        />
      )}
      {isNone ? (
        <Card>
          <EmptyState icon={<ChartSpline />} title={t`No roast with a recipe`}>
            {t`Roast with a recipe, or set a recipe by editing a roast, to compare its roasts here.`}
          </EmptyState>
        </Card>
      ) : (
        (data !== undefined || error === undefined) && <Comparison data={data} />
      )}
    </div>
  );
};
