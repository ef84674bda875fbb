import { analyticsGreen, periodKinds } from '@roastery/contract/analytics';
import { Package } from 'lucide-react';
import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { paths } from '../../components/paths.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { formatMoney, priceUnit } from '../../format/money.ts';
import { weekStartName } from '../../format/calendar.ts';
import { formatCount, formatTick } from '../../format/numbers.ts';
import { inWeightUnit, weightUnit } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { FigureTile, TileRow } from './FigureTile.tsx';
import { moneyText, priceText, roastsText, sumNumber, sumText } from './figure-texts.ts';
import { lotColumns } from './lot-columns.tsx';
import { periodTable, usePeriodTexts } from './period-texts.ts';
import { PeriodPanel } from './PeriodPanel.tsx';
import { FiguresTable } from './FiguresTable.tsx';
import { roastsLink } from './roasts-link.ts';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

const measures = () =>
  [
    { value: 'kg', label: weightUnit() },
    { value: 'cost', label: t`Cost` },
  ] as const;

/** Green coffee used by roasts, and its cost. */
export const GreenTab = ({ filter }: { filter: AnalyticsFilter }) => {
  const { read } = useUrlState();
  const texts = usePeriodTexts();
  const wanted = periodKinds.find((kind) => kind === read('period'));
  const measure = oneOf(['kg', 'cost'] as const, read('measure'), 'kg');
  const { data, error, isValidating, mutate } = useApi(
    analyticsGreen,
    { query: { ...filter, week_start: weekStartName(), ...(wanted === undefined ? {} : { period: wanted }) } },
    { keepPreviousData: true },
  );
  const columns = useMemo(
    () =>
      (data?.periods ?? []).map((one) => ({
        one,
        key: one.from,
        axisLabel: texts.label(one, data?.period ?? 'day', data?.periods.length ?? 0),
        title: texts.range(one),
        lines: [
          [t`Green used`, sumText(one.kg)] as const,
          [t`Cost`, moneyText(one.cost)] as const,
          [t`Roasts`, formatCount(one.roasts)] as const,
        ],
        link: roastsLink({ ...filter, from: one.from, to: one.to, with: 'green' }),
      })),
    [data, texts, filter],
  );
  const lots = useMemo(() => lotColumns(data?.lots ?? [], filter), [data, filter]);
  const isLoading = data === undefined && error === undefined;
  const totals = data?.totals;
  const shown = (text: string | undefined) => text ?? (error === undefined ? undefined : null);
  const priced = totals && totals.kg - totals.kg_without_cost;
  const all = roastsLink({ ...filter, with: 'green' });

  return (
    <div className="flex flex-col gap-4">
      <ErrorLine title={t`The green coffee usage could not be loaded`} error={error} onRetry={() => void mutate()} />
      <TileRow>
        <FigureTile
          label={t`Green used`}
          value={shown(totals && sumNumber(totals.kg))}
          unit={weightUnit()}
          note={totals && t`by ${roastsText(totals.roasts)}`}
          to={all}
        />
        <FigureTile
          label={t`Cost`}
          value={shown(totals && moneyText(totals.cost))}
          note={totals && totals.kg_without_cost > 0 ? t`${sumText(totals.kg_without_cost)} without a cost` : ''}
          to={all}
        />
        <FigureTile
          label={t`Cost per ${priceUnit()}`}
          value={shown(totals && (priced !== undefined && priced > 0 ? priceText(totals.cost / priced) : '--'))}
          note={t`average of the green coffee used`}
          to={all}
        />
        <FigureTile
          label={t`Without a lot`}
          value={shown(data && sumNumber(data.kg_without_lot))}
          unit={weightUnit()}
          note={t`roasted without a lot`}
          to={roastsLink({ ...filter, without: 'green' })}
        />
      </TileRow>
      <PeriodPanel
        title={measure === 'kg' ? t`Green used, ${weightUnit()}` : t`Cost of the green used`}
        label={measure === 'kg' ? t`Green used by period` : t`Cost by period`}
        isLoading={isLoading}
        measures={measures()}
        measure={measure}
        period={data?.period}
        columns={columns.map((column) => ({
          ...column,
          value: measure === 'kg' ? inWeightUnit(column.one.kg) : column.one.cost,
        }))}
        tickText={measure === 'kg' ? formatTick : (amount) => formatMoney(amount, 0)}
      />
      {data !== undefined && <FiguresTable {...periodTable(columns)} />}
      <DataTable
        label={t`Lots`}
        columns={lots}
        rows={data?.lots}
        rowId={(lot) => lot.lot_id}
        rowLabel={(lot) => t`Lot ${lot.lot_number}`}
        isRefreshing={isValidating && data !== undefined}
        empty={
          <EmptyState
            icon={<Package />}
            title={t`No green coffee used`}
            action={<ButtonLink to={paths.lots}>{t`Inventory`}</ButtonLink>}
          >
            {t`Roasts that are linked to a lot use its green coffee and are counted here.`}
          </EmptyState>
        }
      />
      {data !== undefined && data.total_lots > data.lots.length && (
        <p className="text-sm text-muted">
          {t`The ${formatCount(data.lots.length)} most used of ${formatCount(data.total_lots)} lots.`}
        </p>
      )}
    </div>
  );
};
