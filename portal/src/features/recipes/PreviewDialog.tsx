import { getRoast, getRoastCurveColumns } from '@roastery/contract/roasts';
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

interface PreviewDialogProps {
  open: boolean;
  onClose: () => void;
  /** Sorted by time, all valid. */
  points: readonly DraftPoint[];
  interpolated: boolean;
  referenceRoastId: string | null;
}

/** The whole control profile, with the best past roast of the recipe as reference. */
export const PreviewDialog = ({ open, onClose, points, interpolated, referenceRoastId }: PreviewDialogProps) => {
  const count = resultingCount(points, interpolated);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t`Preview Curve`}
      description={t`${formatCount(count)} points`}
      width="lg"
    >
      <DialogBody>
        {open && <Preview points={points} interpolated={interpolated} referenceRoastId={referenceRoastId} />}
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{t`Close`}</Button>
      </DialogFooter>
    </Dialog>
  );
};

type PreviewProps = Omit<PreviewDialogProps, 'open' | 'onClose'>;

const once = { revalidateOnFocus: false, revalidateIfStale: false } as const;

const Preview = ({ points, interpolated, referenceRoastId }: PreviewProps) => {
  const dates = useDates();
  const { temperature_unit: unit } = usePreferences();
  const roastInput = referenceRoastId === null ? null : { params: { id: referenceRoastId } };
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
        ? { label: t`Highest-scoring roast`, curve, maxDrumRpm: roast.max_drum_rpm }
        : undefined,
    [roast, curve],
  );
  return (
    <>
      <Suspense fallback={<Skeleton className="h-[min(29rem,54dvh)] w-full" />}>
        <ProfileChart points={drawn} interpolated={interpolated} reference={reference} unit={unit} />
      </Suspense>
      <p className="text-sm text-muted">
        {referenceRoastId === null ? (
          t`No roast of this recipe has a cupping score yet. The highest-scoring roast is shown behind these curves.`
        ) : roastError || curveError ? (
          t`The highest-scoring roast of this recipe could not be loaded.`
        ) : roast === undefined ? (
          t`Loading the highest-scoring roast…`
        ) : (
          <>
            {t`Reference: the highest-scoring roast, ${(
              <Link to={paths.roast(roast.id)} className="text-accent-text underline underline-offset-2">
                {roast.said_number}
              </Link>
            )} of ${dates.day(roast.start_time)}.`}
          </>
        )}
      </p>
    </>
  );
};
