import { getRoastCurveColumns, type CurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, type Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { BookPlus, GitCompareArrows, X } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { Difference, Measure } from '../../components/figures.tsx';
import { batchLabel, coffeeName } from '../../components/live/roast-texts.ts';
import { useDistance, useReference } from '../../components/live/use-reference.ts';
import { paths } from '../../components/paths.ts';
import { formatPercent } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { CockpitChart } from './CockpitChart.tsx';

/** The result of a roast is shown for this long after its drop, or until the next charge. */
export const resultShownMs = 120_000;

/** The last batches of a board arrive after the drop. */
const untilStoredMs = 2000;
/** The curve goes on behind the drop. */
const roomSeconds = 30;

interface AfterDropProps {
  roastId: string;
  /** Shows the drum again. */
  onClose: () => void;
}

/** The finished curve over its reference, and its result in one line. */
export const AfterDrop = ({ roastId, onClose }: AfterDropProps) => {
  const { data: roast } = useApi(getRoast, { params: { id: roastId } });
  return roast === undefined ? null : <Result roast={roast} onClose={onClose} />;
};

const Result = ({ roast, onClose }: { roast: Roast; onClose: () => void }) => {
  const { id, duration_seconds: durationSeconds, marks } = roast;
  const isStored = (latest: CurveColumns | undefined) =>
    (latest?.time_seconds.at(-1) ?? 0) >= (durationSeconds ?? 0) - 1;
  const { data: curve } = useApi(
    getRoastCurveColumns,
    { params: { id } },
    { refreshInterval: (latest) => (isStored(latest) ? 0 : untilStoredMs) },
  );
  const { reference } = useReference(roast);
  const distance = useDistance(reference, curve, marks);
  return (
    <>
      <section
        aria-label={t`Result`}
        data-testid="cockpit-result"
        className="figures flex min-h-14 shrink-0 items-center gap-x-4 border-b border-stroke bg-page px-4 py-1 text-strong"
      >
        <p className="min-w-0 flex-1 text-base leading-5 font-semibold md:text-lg">
          <span className="font-normal text-content max-md:hidden">
            {batchLabel(roast)} · {coffeeName(roast)}{' '}
          </span>
          {formatDuration(durationSeconds)} · <Measure quantity="temperature" value={roast.drop_temp} />
          {roast.development_time_ratio !== null && (
            <> · {t`development ${formatPercent(roast.development_time_ratio)}`}</>
          )}
          {reference !== undefined && distance !== null && (
            <> · {t`${<Difference valueC={distance.rmsC} signed={false} />} off ${reference.number}`}</>
          )}
        </p>
        {reference !== undefined && (
          <ButtonLink
            to={paths.compare([id, reference.id])}
            icon={<GitCompareArrows aria-hidden />}
            className="max-md:hidden"
          >
            {t`Compare with reference`}
          </ButtonLink>
        )}
        {roast.status === 'completed' && (
          <ButtonLink to={paths.recipeFromRoast(id)} icon={<BookPlus aria-hidden />}>
            <span className="max-md:sr-only">{t`Save as recipe`}</span>
          </ButtonLink>
        )}
        <IconButton label={t`Show the drum`} icon={<X aria-hidden />} onClick={onClose} />
      </section>
      <CockpitChart
        curve={curve}
        reference={reference?.curve}
        marks={marks}
        endSeconds={(durationSeconds ?? 0) + roomSeconds}
      />
    </>
  );
};
