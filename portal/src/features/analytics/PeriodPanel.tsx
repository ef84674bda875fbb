import type { PeriodKind } from '@roastery/contract/analytics';
import { useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Segments } from '../../ui/Segments.tsx';
import { ChartPanel } from './ChartPanel.tsx';
import { BarsChart } from './charts/BarsChart.tsx';
import type { ChartColumn } from '../../components/columns/ColumnsChart.tsx';
import { columnLabelPixels } from './period-texts.ts';

const kinds = [
  { value: 'day', label: t`Day` },
  { value: 'week', label: t`Week` },
  { value: 'month', label: t`Month` },
] as const;

interface PeriodPanelProps<Measure extends string> {
  title: string;
  /** Name of the chart for screen readers. */
  label: string;
  isLoading: boolean;
  /** The measures of the bars; the first one is not written into the address. */
  measures: readonly { value: Measure; label: string }[];
  measure: Measure;
  /** Undefined until the server has answered which one it chose. */
  period: PeriodKind | undefined;
  columns: readonly (ChartColumn & { value: number })[];
  tickText: (value: number) => string;
}

/** Bars by day, week or month. Measure and period are kept in the address. */
export const PeriodPanel = <Measure extends string>(props: PeriodPanelProps<Measure>) => {
  const { title, label, isLoading, measures, measure, period, columns, tickText } = props;
  const { change } = useUrlState();
  return (
    <ChartPanel
      title={title}
      isLoading={isLoading}
      actions={
        <div className="flex flex-wrap gap-2">
          <Segments
            label={t`Measure`}
            choices={measures}
            value={measure}
            onChange={(next) => change({ measure: next === measures[0]?.value ? undefined : next })}
          />
          <Segments
            label={t`Period`}
            choices={kinds}
            value={period ?? null}
            onChange={(next) => change({ period: next })}
          />
        </div>
      }
    >
      <BarsChart
        label={label}
        columns={columns}
        tickText={tickText}
        labelPixels={columnLabelPixels(period, columns.length)}
      />
    </ChartPanel>
  );
};
