import { GitCompareArrows } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { createTimeView } from '../../components/chart/time-view.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { usePageKeys, type PageKey } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { RoastField } from '../../components/RoastField.tsx';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import { Segments } from '../../ui/Segments.tsx';
import { AtMoment } from './AtMoment.tsx';
import { maxCompared, quantities, zeroOf } from './compare-lines.ts';
import { ComparedLegend } from './ComparedLegend.tsx';
import { FiguresTable } from './FiguresTable.tsx';
import { ComparedCurves, quantityLabels } from './ComparedCurves.tsx';
import { Proposals } from './Proposals.tsx';
import { useComparison, type Comparison } from './use-comparison.ts';

const chartKeys: readonly PageKey[] = [
  { label: t`Chart: back or forward 1 second`, keys: ['←', '→'] },
  { label: t`Chart: back or forward 10 seconds`, keys: ['Shift', '←', '→'] },
  { label: t`Chart: clear the selected time`, keys: ['Esc'] },
  { label: t`Chart: reset zoom`, keys: ['0'] },
];

/** The figures stand beside the charts: the more roasts, the wider their table. */
const columnsFor = (roasts: number): string =>
  roasts > 3
    ? 'xl:grid-cols-[minmax(0,1fr)_37rem]'
    : roasts > 2
      ? 'xl:grid-cols-[minmax(0,1fr)_34rem]'
      : 'xl:grid-cols-[minmax(0,1fr)_26rem]';

/**
 * /roasts/compare: up to five roasts over each other. The roasts, their alignment and the pinned time are in the
 * address.
 */
export default function ComparePage() {
  usePageKeys(chartKeys);
  const comparison = useComparison();
  const { ids, alignment, selected, compared, placed, choose } = comparison;
  const view = useMemo(() => createTimeView(), []);
  const from = Math.min(0, ...placed.map(({ aligned }) => aligned.timeSeconds[0] ?? 0));
  const to = Math.max(60, ...placed.map(({ aligned }) => aligned.endSeconds + 15));
  useEffect(() => view.setExtent(from, to), [view, from, to]);
  const withFigures = compared.flatMap(({ id, style, roast }) =>
    roast ? [{ id, style, roast, aligned: placed.find((one) => one.id === id)?.aligned }] : [],
  );
  // So that the figures of four and five end in the first screen, they begin beside the list of roasts.
  const isBeside = ids.length > 3;
  return (
    <Page wide>
      <PageHeader title={t`Compare roasts`} crumbs={[{ label: t`Roasts`, to: paths.roasts }, { label: t`Compare` }]} />
      {ids.length === 0 ? (
        <NothingYet onChoose={choose} />
      ) : (
        <div
          className={classes(
            'grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-rows-[auto_1fr]',
            columnsFor(ids.length),
          )}
        >
          <div className={classes('flex min-w-0 flex-col gap-4', !isBeside && 'xl:col-span-2')}>
            <Choices comparison={comparison} />
          </div>
          <ComparedCurves comparison={comparison} view={view} />
          <div
            className={classes(
              'flex min-w-0 flex-col gap-4 xl:sticky xl:top-18 xl:col-start-2 xl:gap-3',
              isBeside && 'xl:row-span-2 xl:row-start-1',
            )}
          >
            <AtMoment placed={placed} view={view} selected={selected} alignment={alignment} />
            <FiguresTable compared={withFigures} />
          </div>
        </div>
      )}
    </Page>
  );
}

const NothingYet = ({ onChoose }: { onChoose: (ids: readonly string[]) => void }) => (
  <div className="flex flex-col gap-4">
    <Card>
      <EmptyState icon={<GitCompareArrows aria-hidden />} title={t`Nothing to compare yet`}>
        {t`Begin with one of the newest roasts, select up to five in the list of roasts, or search for one here.`}
      </EmptyState>
      <div className="mx-auto max-w-md px-4 pb-8">
        <RoastField
          label={t`Add a roast`}
          placeholder={t`Search coffee, number, machine…`}
          without={[]}
          onChoose={({ id }) => onChoose([id])}
        />
      </div>
    </Card>
    <Proposals base={undefined} onAdd={onChoose} />
  </div>
);

/** Which roasts, aligned at what, and which of their curves. */
const Choices = ({ comparison }: { comparison: Comparison }) => {
  const { ids, alignment, quantity, compared, choose, align, show } = comparison;
  const unplaced = new Set(
    compared.flatMap(({ id, roast }) => (roast && zeroOf(roast, alignment) === null ? [id] : [])),
  );
  return (
    <>
      <ComparedLegend
        compared={compared}
        unplaced={unplaced}
        onBase={(id) => choose([id, ...ids.filter((other) => other !== id)])}
        onRemove={(id) => choose(ids.filter((other) => other !== id))}
      />
      <div className="flex flex-wrap items-end gap-3">
        {ids.length < maxCompared && (
          <RoastField
            label={t`Add a roast`}
            hideLabel
            placeholder={t`Add a roast: coffee, number, machine…`}
            without={ids}
            size="sm"
            className="w-full sm:w-80"
            onChoose={({ id }) => choose([...ids, id])}
          />
        )}
        <Segments
          label={t`Aligned at`}
          choices={[
            { value: 'charge', label: t`At charge` },
            { value: 'first_crack', label: t`At first crack` },
          ]}
          value={alignment}
          onChange={align}
        />
        <Segments
          label={t`Curve`}
          choices={quantities.map((value) => ({ value, label: quantityLabels[value] }))}
          value={quantity}
          onChange={show}
        />
      </div>
      {ids.length === 1 && compared[0]?.roast && (
        <Proposals base={compared[0].roast} onAdd={(added) => choose([...ids, ...added])} />
      )}
    </>
  );
};
