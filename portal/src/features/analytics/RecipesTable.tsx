import { analyticsRecipeConsistency, type RecipeConsistency } from '@roastery/contract/analytics';
import { ChartSpline } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { formatCount } from '../../format/numbers.ts';
import { usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { sourceLabels } from './Comparison.tsx';
import { ShareBar } from './charts/RowBars.tsx';
import { differenceText } from './figure-texts.ts';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

/** All recipes, the least consistent first; each row opens the comparison of its roasts. */
export const RecipesTable = ({ filter }: { filter: Omit<AnalyticsFilter, 'profile_id'> }) => {
  const { temperature_unit: degree } = usePreferences();
  const { search } = useLocation();
  const { data, error, mutate } = useApi(analyticsRecipeConsistency, { query: filter }, { keepPreviousData: true });
  const columns = useMemo((): readonly Column<RecipeConsistency>[] => {
    const most = Math.max(0, ...(data?.recipes ?? []).map(({ mean_rms: mean }) => mean ?? 0));
    return [
      { id: 'name', label: t`Recipe`, isName: true, cell: ({ name }) => name, share: 24 },
      {
        id: 'mean',
        label: t`Average deviation (°${degree})`,
        width: 'w-[28%]',
        cell: ({ mean_rms: mean }) =>
          mean === null ? (
            <span className="text-muted">{t`Nothing to compare yet`}</span>
          ) : (
            <ShareBar share={most === 0 ? 0 : mean / most} text={differenceText(mean, degree)} />
          ),
      },
      {
        id: 'reference',
        label: t`Reference`,
        phone: 'none',
        cell: ({ source }) => (source === null ? '--' : sourceLabels[source]),
      },
      {
        id: 'worst',
        label: t`Worst roast (°${degree})`,
        align: 'right',
        cell: ({ max_rms: worst }) => differenceText(worst, degree),
      },
      {
        id: 'roasts',
        label: t`Compared roasts`,
        align: 'right',
        cell: ({ compared, roasts }) => t`${formatCount(compared)} of ${formatCount(roasts)}`,
      },
    ];
  }, [data, degree]);
  return (
    <section aria-label={t`Recipes by deviation`} className="flex flex-col gap-3">
      <DataTable
        label={t`Recipes`}
        columns={columns}
        rows={data?.recipes}
        rowId={({ id }) => id}
        rowLabel={({ name }) => name}
        rowLink={({ id }) => {
          const address = new URLSearchParams(search);
          address.set('profile_id', id);
          return `?${address.toString()}`;
        }}
        error={error}
        onRetry={() => void mutate()}
        empty={
          <EmptyState icon={<ChartSpline />} title={t`No roast with a recipe`}>
            {t`Roast with a recipe, or set a recipe by editing a roast, to compare its roasts here.`}
          </EmptyState>
        }
      />
      {data !== undefined && data.recipes.length > 0 && (
        <p className="text-xs text-muted">
          {t`The newest 10 roasts of each recipe against its reference: root mean square of the bean temperature difference, aligned at charge.`}{' '}
          {data.total > data.recipes.length &&
            t`Recipes with the most roasts, ${data.recipes.length} of ${data.total}.`}
        </p>
      )}
    </section>
  );
};
