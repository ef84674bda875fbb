import type { CurveGap } from '@roastery/contract/roast-curves';
import { CircleDashed } from 'lucide-react';
import { useState } from 'react';
import { roastGapText } from '../../components/gap-texts.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';

/** The others are behind a button. */
const shownAtFirst = 3;

/** Below the charts: each gap in the recording and its reason. */
export const RecordedGaps = ({ gaps }: { gaps: readonly CurveGap[] }) => {
  const [all, setAll] = useState(false);
  if (gaps.length === 0) return null;
  const shown = all ? gaps : gaps.slice(0, shownAtFirst);
  return (
    <div className="mt-3 flex items-start gap-2 border-t border-stroke pt-3 text-sm">
      <CircleDashed aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="min-w-0">
        <ul aria-label={t`Gaps in the recording`} className="figures flex flex-col gap-1 text-content">
          {shown.map((gap) => (
            <li key={gap.from_seconds}>{roastGapText(gap)}</li>
          ))}
        </ul>
        {gaps.length > shownAtFirst && (
          <Button kind="quiet" className="mt-1 -ml-2" onClick={() => setAll(!all)}>
            {all ? t`Show fewer` : t`Show all ${gaps.length} gaps`}
          </Button>
        )}
      </div>
    </div>
  );
};
