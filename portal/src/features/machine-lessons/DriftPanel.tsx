import type { MachineLessons } from '@roastery/contract/machine-lessons';
import { ScanSearch } from 'lucide-react';
import { driftAdvice, driftSize, driftText } from '../../components/drift-text.ts';
import { formatCount, formatRoasts } from '../../format/numbers.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';

/** Changes of probes and burner that the machine's own roasts show. */
export const DriftPanel = ({ lessons }: { lessons: MachineLessons }) => {
  const [dates, units] = [useDates(), usePreferences()];
  const { drifts, compared_roasts: compared, needed_roasts: needed } = lessons;
  return (
    <Panel title={t`Drift`}>
      {drifts.length > 0 && (
        <ul className="divide-y divide-stroke border-b border-stroke">
          {drifts.map((drift) => {
            const text = driftText(drift, units, dates);
            const deviation = driftSize({ ...drift, change: 1.2816 * drift.deviation }, units);
            return (
              <li key={drift.id} className="flex items-start gap-2.5 px-4 py-3">
                <ScanSearch aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
                <div className="min-w-0">
                  <p className="figures font-medium text-strong">{text.charAt(0).toUpperCase() + text.slice(1)}</p>
                  <p className="figures mt-0.5 text-sm text-muted">
                    {t`Known to ± ${deviation}, eight times in ten.`} {driftAdvice(drift)}
                  </p>
                </div>
              </li>
            );
          })}
        </ul>
      )}
      <p className="px-4 py-3 text-sm text-pretty text-muted">
        {compared < needed
          ? t`Too few roasts to notice a drift: ${formatRoasts(compared)} with a batch weight, of ${formatCount(needed)} that are needed.`
          : drifts.length === 0
            ? t`None in ${formatRoasts(compared)}. Each night the newest are compared with those before them, coffee by coffee, by what burner, air and batch do not explain.`
            : t`Since then, ${formatRoasts(compared)} show no other one.`}
      </p>
    </Panel>
  );
};
