import type { CurveColumns, RoastMark } from '@roastery/contract/roasts';
import { curveDistance } from '@roastery/roasting/compare';
import { useMemo } from 'react';
import { Link } from 'react-router-dom';
import { paths } from '../../components/paths.ts';
import { Difference } from '../../components/Difference.tsx';
import type { Reference } from './use-reference.ts';

interface ReferenceNoteProps {
  reference: Reference;
  curve: CurveColumns | undefined;
  marks: readonly RoastMark[];
}

/** Which roast lies behind the curve, and once this one has dropped how far apart the two are. */
export const ReferenceNote = ({ reference, curve, marks }: ReferenceNoteProps) => {
  const drop = marks.find((mark) => mark.kind === 'drop');
  const distance = useMemo(() => {
    if (curve === undefined || drop === undefined || drop.provisional) return null;
    const lined = ({ time_seconds: timesSeconds, channels }: CurveColumns) => ({
      timesSeconds,
      beanTempC: channels['bean_temp'] ?? [],
      zeroSeconds: 0,
    });
    return curveDistance({ ...lined(curve), endSeconds: drop.time_seconds }, lined(reference.curve));
  }, [curve, drop, reference]);
  return (
    <p className="min-w-0 text-sm text-muted sm:truncate">
      Behind it{' '}
      <Link
        to={paths.roast(reference.id)}
        className="rounded-sm text-accent-text underline decoration-1 underline-offset-2"
      >
        {reference.name}
      </Link>
      {distance !== null && (
        <span title="Root of the mean squared difference of bean temperature, and the largest difference">
          {' · '}
          <Difference valueC={distance.rmsC} signed={false} /> apart, at most{' '}
          <Difference valueC={distance.maxC} signed={false} />
        </span>
      )}
    </p>
  );
};
