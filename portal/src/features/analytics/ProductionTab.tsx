import { analyticsProduction, periodKinds, type PeriodFigures } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { formatDuration } from '@roastery/roasting/units';
import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { weekStartName } from '../../format/calendar.ts';
import { formatCount, formatTick } from '../../format/numbers.ts';
import { inWeightUnit, weightUnit } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Segments } from '../../ui/Segments.tsx';
import { ChartPanel } from './ChartPanel.tsx';
import { SpreadChart } from './charts/SpreadChart.tsx';
import { FigureTile, TileRow } from './FigureTile.tsx';
import { changeText, percentText, ratioText, roastsText, sumNumber, sumText } from './figure-texts.ts';
import { GroupsPanel } from './GroupsPanel.tsx';
import { columnLabelPixels, periodTable, usePeriodTexts, type PeriodTexts } from './period-texts.ts';
import { PeriodPanel } from './PeriodPanel.tsx';
import { FiguresTable } from './FiguresTable.tsx';
import { roastsLink } from './roasts-link.ts';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

const measures = () =>
  [
    { value: 'kg', label: weightUnit() },
    { value: 'roasts', label: t`Roasts` },
  ] as const;
const qualities = [
  { value: 'development', label: t`Development` },
  { value: 'duration', label: t`Duration` },
] as const;

const linesOf = (one: PeriodFigures) => [
  [t`Roasted`, sumText(one.kg)] as const,
  [t`Roasts`, formatCount(one.roasts)] as const,
  [t`Average duration`, formatDuration(one.mean_duration_seconds)] as const,
  [t`Development`, ratioText(one.development_ratio_mean, one.development_ratio_deviation)] as const,
];

const columnsOf = (
  periods: readonly PeriodFigures[],
  kind: (typeof periodKinds)[number],
  texts: PeriodTexts,
  filter: AnalyticsFilter,
) =>
  periods.map((one) => ({
    one,
    key: one.from,
    axisLabel: texts.label(one, kind, periods.length),
    title: texts.range(one),
    lines: linesOf(one),
    link: roastsLink({ ...filter, from: one.from, to: one.to }),
  }));

/** Kilograms, roasts, duration and development: in all, by period, and by machine, coffee, recipe or person. */
export const ProductionTab = ({ filter }: { filter: AnalyticsFilter }) => {
  const { read } = useUrlState();
  const texts = usePeriodTexts();
  const wanted = periodKinds.find((kind) => kind === read('period'));
  const measure = oneOf(['kg', 'roasts'] as const, read('measure'), 'kg');
  const { data, error, mutate } = useApi(
    analyticsProduction,
    { query: { ...filter, week_start: weekStartName(), ...(wanted === undefined ? {} : { period: wanted }) } },
    { keepPreviousData: true },
  );
  const columns = useMemo(
    () => (data === undefined ? [] : columnsOf(data.periods, data.period, texts, filter)),
    [data, texts, filter],
  );
  const isLoading = data === undefined && error === undefined;
  return (
    <div className="flex flex-col gap-4">
      <ErrorLine title={t`The figures could not be loaded`} error={error} onRetry={() => void mutate()} />
      <Totals data={data} hasFailed={error !== undefined} filter={filter} />
      <div className="grid gap-4 xl:grid-cols-2">
        <PeriodPanel
          title={measure === 'kg' ? t`Roasted, ${weightUnit()}` : t`Roasts`}
          label={measure === 'kg' ? t`Weight roasted by period` : t`Roasts by period`}
          isLoading={isLoading}
          measures={measures()}
          measure={measure}
          period={data?.period}
          columns={columns.map((column) => ({
            ...column,
            value: measure === 'kg' ? inWeightUnit(column.one.kg) : column.one.roasts,
          }))}
          tickText={formatTick}
        />
        <QualityPanel columns={columns} period={data?.period} isLoading={isLoading} />
      </div>
      {data !== undefined && <FiguresTable {...periodTable(columns)} />}
      <GroupsPanel filter={filter} />
    </div>
  );
};

interface TotalsProps {
  data: ResponseOf<typeof analyticsProduction> | undefined;
  hasFailed: boolean;
  filter: AnalyticsFilter;
}

/** The figures of the whole period, each compared with the period before. */
const Totals = ({ data, hasFailed, filter }: TotalsProps) => {
  const texts = usePeriodTexts();
  const totals = data?.totals;
  const earlier = data?.earlier ?? null;
  const shown = (text: string | undefined) => text ?? (hasFailed ? null : undefined);
  const against = (text: string | undefined) => {
    if (earlier === null) return '';
    if (earlier.roasts === 0) return t`No earlier data`;
    return text === undefined ? '' : <span title={texts.range(earlier)}>{t`${text} vs previous period`}</span>;
  };
  const all = roastsLink(filter);
  return (
    <TileRow>
      <FigureTile
        label={t`Roasted`}
        value={shown(totals && sumNumber(totals.kg))}
        unit={weightUnit()}
        note={against(totals && changeText(totals.kg, earlier?.kg))}
        to={all}
      />
      <FigureTile
        label={t`Roasts`}
        value={shown(totals && formatCount(totals.roasts))}
        note={against(totals && changeText(totals.roasts, earlier?.roasts))}
        to={all}
      />
      <FigureTile
        label={t`Average duration`}
        value={shown(totals && formatDuration(totals.mean_duration_seconds))}
        note={
          earlier !== null && earlier.mean_duration_seconds !== null
            ? t`${formatDuration(earlier.mean_duration_seconds)} before`
            : t`charge to drop`
        }
        to={roastsLink({ ...filter, status: 'completed' })}
      />
      <FigureTile
        label={t`Development ratio`}
        value={shown(totals && percentText(totals.development_ratio_mean))}
        unit={
          totals === undefined || totals.development_ratio_deviation === null
            ? '%'
            : `± ${percentText(totals.development_ratio_deviation)}%`
        }
        note={
          totals && totals.development_roasts > 0 ? t`of ${roastsText(totals.development_roasts)} with first crack` : ''
        }
        to={roastsLink({ ...filter, status: 'completed', with: 'development' })}
      />
    </TileRow>
  );
};

interface QualityPanelProps {
  columns: ReturnType<typeof columnsOf>;
  period: (typeof periodKinds)[number] | undefined;
  isLoading: boolean;
}

const QualityPanel = ({ columns, period, isLoading }: QualityPanelProps) => {
  const { read, change } = useUrlState();
  const quality = oneOf(['development', 'duration'] as const, read('quality'), 'development');
  const labelPixels = columnLabelPixels(period, columns.length);
  return (
    <ChartPanel
      title={quality === 'development' ? t`Development ratio, % ± standard deviation` : t`Average duration`}
      isLoading={isLoading}
      actions={
        <Segments
          label={t`Quality`}
          choices={qualities}
          value={quality}
          onChange={(next) => change({ quality: next === 'development' ? undefined : next })}
        />
      }
    >
      {quality === 'development' ? (
        <SpreadChart
          label={t`Development ratio by period`}
          columns={columns.map((column) => ({
            ...column,
            mean: column.one.development_ratio_mean,
            deviation: column.one.development_ratio_deviation,
          }))}
          tickText={(value) => formatTick(Math.round(value * 1000) / 10)}
          minSpan={0.04}
          labelPixels={labelPixels}
        />
      ) : (
        <SpreadChart
          label={t`Average duration by period`}
          columns={columns.map((column) => ({
            ...column,
            mean: column.one.mean_duration_seconds,
            deviation: null,
          }))}
          tickText={formatDuration}
          minSpan={120}
          labelPixels={labelPixels}
        />
      )}
    </ChartPanel>
  );
};
