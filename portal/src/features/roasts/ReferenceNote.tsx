import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast, RoastMark } from '@roastery/contract/roasts';
import { Layers2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { paths } from '../../components/paths.ts';
import { Difference } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { ReferenceDialog } from './ReferenceDialog.tsx';
import { useDistance, type Behind, type Reference } from '../../components/live/use-reference.ts';

interface ReferenceNoteProps {
  roast: Roast;
  behind: Behind;
  curve: CurveColumns | undefined;
  marks: readonly RoastMark[];
}

/** The reference of the curve, the deviation from it, and a button to change it. */
export const ReferenceNote = ({ roast, behind, curve, marks }: ReferenceNoteProps) => {
  const { reference, isMissing } = behind;
  const [choosing, setChoosing] = useState(false);
  return (
    <>
      {isMissing && reference === undefined && (
        <p className="text-sm text-muted">{t`The chosen reference was not found`}</p>
      )}
      {reference !== undefined && <Distance {...{ reference, curve, marks }} />}
      <Button
        kind="quiet"
        icon={<Layers2 aria-hidden />}
        aria-label={reference === undefined ? t`Reference curve` : t`Change curve`}
        onClick={() => setChoosing(true)}
      >
        {reference === undefined ? t`Reference` : t`Change`}
      </Button>
      <ReferenceDialog roast={roast} behind={behind} open={choosing} onClose={() => setChoosing(false)} />
    </>
  );
};

interface DistanceProps {
  reference: Reference;
  curve: CurveColumns | undefined;
  marks: readonly RoastMark[];
}

/** The deviation of the whole roast from the reference, once it has dropped. */
const Distance = ({ reference, curve, marks }: DistanceProps) => {
  const distance = useDistance(reference, curve, marks);
  return (
    <p
      className={classes(
        'min-w-0 text-sm text-muted',
        // A running roast has no distance yet, and one line for its reference.
        distance === null ? 'truncate max-sm:order-last max-sm:w-full' : 'sm:truncate',
      )}
    >
      {t`Reference: ${(
        <Link
          to={paths.roast(reference.id)}
          className="rounded-sm text-accent-text underline decoration-1 underline-offset-2"
        >
          {reference.name}
        </Link>
      )}`}
      {distance !== null && (
        <span title={t`Root mean square of the bean temperature difference, and its maximum`}>
          {' · '}
          {t`off by ${<Difference valueC={distance.rmsC} signed={false} />} on average, ${<Difference valueC={distance.maxC} signed={false} />} at most`}
        </span>
      )}
    </p>
  );
};
