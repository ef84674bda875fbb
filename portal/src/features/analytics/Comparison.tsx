import type { analyticsConsistency, ReferenceSource } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { formatDuration } from '@roastery/roasting/units';
import { ChartSpline } from 'lucide-react';
import { useMemo } from 'react';
import { EmptyState } from '../../components/EmptyState.tsx';
import { paths } from '../../components/paths.ts';
import { formatCount, formatPercent } from '../../format/numbers.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { medianOf } from '@roastery/roasting/curves/series';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';
import { ChartPanel } from './ChartPanel.tsx';
import { temperatureText } from './charts/band-figures.ts';
import { BandChart } from './charts/BandChart.tsx';
import { DistanceChart } from './charts/DistanceChart.tsx';
import { comparedColumns } from './compared-columns.tsx';
import { differenceText, roastsText } from './figure-texts.ts';
import { FiguresTable } from './FiguresTable.tsx';
import { FigureTile, TileRow } from './FigureTile.tsx';
import { roastsLink } from './roasts-link.ts';

type Consistency = ResponseOf<typeof analyticsConsistency>;

export const sourceLabels: Record<ReferenceSource, string> = {
  chosen: t`set for the recipe`,
  best_rated: t`highest cupping score`,
  most_typical: t`closest to the median`,
};
/** A rough limit for "near", not a norm: °C. */
const nearC = 3;
const chartHeight = 300;

interface ComparisonProps {
  /** `undefined` while it loads. */
  data: Consistency | undefined;
}

/** Deviation of roasts from the reference: figures, overlaid curves, and a table. */
export const Comparison = ({ data }: ComparisonProps) => {
  const isLoading = data === undefined;
  if (data !== undefined && data.band === null) {
    return (
      <Card>
        <EmptyState icon={<ChartSpline />} title={t`Nothing to compare yet`}>
          {t`No completed roast of ${data.profile.name} in this period has a recorded curve.`}
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <ComparisonTiles data={data} />
      <ComparisonCharts data={data} isLoading={isLoading} />
    </>
  );
};

const othersOf = (data: Consistency | undefined) =>
  (data?.roasts ?? []).filter(({ id, distance }) => distance !== null && id !== data?.reference?.id);

/** The list of roasts can't filter by deviation, so a figure links to its roasts by id. */
const theseRoasts = (roasts: readonly { id: string }[]): string | undefined =>
  roasts.length === 0 ? undefined : roastsLink({ ids: roasts.map(({ id }) => id).join(',') });

const ComparisonTiles = ({ data }: ComparisonProps) => {
  const dates = useDates();
  const { temperature_unit: degree } = usePreferences();
  const reference = data?.reference ?? null;
  const compared = othersOf(data);
  const distances = compared.map(({ distance }) => distance?.rms ?? 0);
  const near = compared.filter(({ distance }) => (distance?.rms ?? 0) <= nearC);
  const farthest = compared.toSorted((a, b) => (b.distance?.rms ?? 0) - (a.distance?.rms ?? 0))[0];
  const shown = (text: string) => (data === undefined ? undefined : text);
  const median = differenceText(medianOf(distances), degree);
  return (
    <TileRow>
      <FigureTile
        label={t`Average deviation`}
        value={shown(differenceText(data?.mean_rms ?? null, degree))}
        unit={`°${degree}`}
        note={
          data &&
          (data.total > data.roasts.length
            ? t`median ${median}, newest ${data.roasts.length} of ${roastsText(data.total)}`
            : t`median ${median}, ${roastsText(data.total)}`)
        }
        to={theseRoasts(compared)}
      />
      <FigureTile
        label={t`Within ${differenceText(nearC, degree)} °${degree}`}
        value={shown(compared.length === 0 ? '--' : formatCount(near.length))}
        unit={t`of ${formatCount(compared.length)}`}
        note={compared.length === 0 ? '' : formatPercent(near.length / compared.length, 0)}
        to={theseRoasts(near)}
      />
      <FigureTile
        label={t`Worst roast`}
        value={shown(differenceText(farthest?.distance?.rms ?? null, degree))}
        unit={`°${degree}`}
        note={farthest && `${farthest.said_number}, ${dates.day(farthest.start_time)}`}
        to={farthest && paths.roast(farthest.id)}
      />
      <FigureTile
        label={t`Reference`}
        isWord
        value={shown(reference?.said_number ?? '--')}
        note={reference ? `${sourceLabels[reference.source]}, ${dates.day(reference.start_time)}` : ''}
        to={reference ? paths.roast(reference.id) : undefined}
      />
    </TileRow>
  );
};

const ComparisonCharts = ({ data, isLoading }: { data: Consistency | undefined; isLoading: boolean }) => {
  const dates = useDates();
  const preferences = usePreferences();
  const { temperature_unit: degree } = preferences;
  const compared = othersOf(data);
  const referenceId = data?.reference?.id ?? null;
  const columns = useMemo(
    () => comparedColumns({ roasts: data?.roasts ?? [], referenceId, dates, degree }),
    [data, referenceId, dates, degree],
  );
  const band = data?.band ?? null;
  return (
    <>
      <div className="grid items-stretch gap-4 xl:grid-cols-2">
        <ChartPanel title={t`Bean temperature, °${degree}`} isLoading={isLoading} height={chartHeight}>
          {band !== null && <BandChart band={band} height={chartHeight} />}
        </ChartPanel>
        <ChartPanel
          title={t`Deviation by roast, °${degree}`}
          isLoading={isLoading}
          height={chartHeight}
          foot={t`Root mean square of the bean temperature difference, aligned at charge.`}
        >
          {compared.length === 0 ? (
            <EmptyState icon={<ChartSpline />} title={t`Only the reference so far`}>
              {t`The next roast of this recipe will be compared with it.`}
            </EmptyState>
          ) : (
            <DistanceChart roasts={compared.toReversed()} height={chartHeight} />
          )}
        </ChartPanel>
      </div>
      {band !== null && (
        <FiguresTable
          heads={[t`Time`, t`Reference`, t`Median`, t`10th percentile`, t`90th percentile`]}
          rows={band.time_seconds.flatMap((seconds, index) =>
            seconds % 30 === 0
              ? [
                  {
                    key: String(seconds),
                    name: formatDuration(seconds),
                    values: [band.reference, band.middle, band.low, band.high].map((column) =>
                      temperatureText(column[index], preferences),
                    ),
                  },
                ]
              : [],
          )}
        />
      )}
      <DataTable
        label={t`Compared roasts`}
        columns={columns}
        rows={data?.roasts}
        rowId={({ id }) => id}
        rowLabel={(roast) => t`Roast ${roast.said_number}`}
        rowLink={(roast) => paths.roast(roast.id)}
        empty={<EmptyState icon={<ChartSpline />} title={t`No roasts in this period`} />}
      />
    </>
  );
};
