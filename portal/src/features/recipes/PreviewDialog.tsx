import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, type Roast } from '@roastery/contract/roasts';
import { lazy, Suspense, useMemo } from 'react';
import { Link } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import type { ProfilePoint, ReferenceRoast } from '../../components/chart/profile-chart-lines.ts';
import { paths } from '../../components/paths.ts';
import { formatCount } from '../../format/numbers.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';
import { Skeleton } from '../../ui/Card.tsx';
import { resultingCount, type DraftPoint } from './control-points.ts';

// Chart.js is loaded only where a chart is shown.
const ProfileChart = lazy(() => import('../../components/chart/ProfileChart.tsx'));

export interface PreviewedReference {
  readonly roastId: string | null;
  /** A person chose it; false for the highest-scoring one, and for none. */
  readonly isChosen: boolean;
}

interface PreviewDialogProps {
  open: boolean;
  onClose: () => void;
  /** Sorted by time, all valid. */
  points: readonly DraftPoint[];
  interpolated: boolean;
  reference: PreviewedReference;
}

/** The whole control profile, over the reference roast of the recipe. */
export const PreviewDialog = ({ open, onClose, points, interpolated, reference }: PreviewDialogProps) => {
  const count = resultingCount(points, interpolated);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t`Preview Curve`}
      description={t`${formatCount(count)} points`}
      width="lg"
    >
      <DialogBody>{open && <Preview points={points} interpolated={interpolated} reference={reference} />}</DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{t`Close`}</Button>
      </DialogFooter>
    </Dialog>
  );
};

type PreviewProps = Omit<PreviewDialogProps, 'open' | 'onClose'>;

const once = { revalidateOnFocus: false, revalidateIfStale: false } as const;

const Preview = ({ points, interpolated, reference: { roastId, isChosen } }: PreviewProps) => {
  const dates = useDates();
  const { temperature_unit: unit } = usePreferences();
  const roastInput = roastId === null ? null : { params: { id: roastId } };
  const { data: roast, error: roastError } = useApi(getRoast, roastInput, once);
  const { data: curve, error: curveError } = useApi(getRoastCurveColumns, roastInput, once);
  const drawn = useMemo<ProfilePoint[]>(
    () =>
      points.map(({ time, burner, exhaust, drum }) => ({
        time: time ?? 0,
        burner: burner ?? 0,
        exhaust: exhaust ?? 0,
        drum: drum ?? 0,
      })),
    [points],
  );
  const reference = useMemo<ReferenceRoast | undefined>(
    () =>
      roast && curve && curve.time_seconds.length > 0
        ? { label: isChosen ? t`Reference roast` : t`Highest-scoring roast`, curve, maxDrumRpm: roast.max_drum_rpm }
        : undefined,
    [roast, curve, isChosen],
  );
  return (
    <>
      <Suspense fallback={<Skeleton className="h-[min(29rem,54dvh)] w-full" />}>
        <ProfileChart points={drawn} interpolated={interpolated} reference={reference} unit={unit} />
      </Suspense>
      <p className="text-sm text-muted">
        {roastId === null
          ? t`No roast of this recipe has a cupping score yet. The highest-scoring roast is shown behind these curves.`
          : roastError || curveError
            ? t`The reference roast of this recipe could not be loaded.`
            : roast === undefined
              ? t`Loading the reference roast…`
              : isChosen
                ? t`Reference: ${linked(roast)} of ${dates.day(roast.start_time)}.`
                : t`Reference: the highest-scoring roast, ${linked(roast)} of ${dates.day(roast.start_time)}.`}
      </p>
    </>
  );
};

const linked = (roast: Roast) => (
  <Link to={paths.roast(roast.id)} className="text-accent-text underline underline-offset-2">
    {roast.said_number}
  </Link>
);
