import type { Lot } from '@roastery/contract/inventory';
import { Scale } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { formatMoney } from '../../format/money.ts';
import { useDates } from '../../format/preferences.ts';
import { weightNumber, weightText, weightUnit } from '../../format/weights.ts';
import { usePageActions } from '../../components/page-actions.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import { AdjustWeightDialog } from './AdjustWeightDialog.tsx';
import { RemainingBar } from './lot-columns.tsx';
import { isLow, runOutText, shareText } from './lots.ts';

/** The current stock of a lot: the sum of its movements. */
export const StockPanel = ({ lot }: { lot: Lot }) => {
  const dates = useDates();
  const [adjusting, setAdjusting] = useState(false);
  const isActive = lot.archived_at === null;
  usePageActions(
    useMemo(
      () =>
        isActive ? [{ id: 'adjust-weight', label: t`Adjust weight`, key: 'w', run: () => setAdjusting(true) }] : [],
      [isActive],
    ),
  );
  const low = isLow(lot);
  return (
    <Panel title={t`Stock`}>
      <div className="flex flex-col gap-4 p-4">
        <div>
          <p className={classes('figures text-3xl font-semibold tracking-tight', low ? 'text-danger' : 'text-strong')}>
            {weightNumber(lot.current_weight)}
            <span className="ml-1.5 text-lg font-normal tracking-normal text-muted">{weightUnit()}</span>
          </p>
          <RemainingBar lot={lot} className="mt-2 mb-1.5 h-1.5" />
          <p className={classes('figures text-sm', low ? 'text-danger' : 'text-muted')}>
            {t`${shareText(lot)} of ${weightText(lot.initial_weight)} remaining`}
          </p>
        </div>
        <dl className="flex flex-col gap-2 text-sm">
          <Line label={t`Run out estimation`}>{runOutText(lot.estimated_runout_days)}</Line>
          <Line label={t`Used in profiles`}>{lot.usage_count}</Line>
          {lot.cost_per_kg !== null && (
            <Line label={t`Value in stock`}>{formatMoney(Math.max(0, lot.current_weight) * lot.cost_per_kg)}</Line>
          )}
          <Line label={t`Registration date`}>{dates.day(lot.registration_date)}</Line>
        </dl>
        {lot.archived_at === null ? (
          <Button icon={<Scale aria-hidden />} size="md" onClick={() => setAdjusting(true)}>
            {t`Adjust weight`}
          </Button>
        ) : (
          <p className="rounded-md bg-sunken px-3 py-2 text-sm text-muted">
            {t`Deleted on ${dates.day(lot.archived_at)}; kept for its history.`}
          </p>
        )}
      </div>
      <AdjustWeightDialog lot={lot} open={adjusting} onClose={() => setAdjusting(false)} />
    </Panel>
  );
};

const Line = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4">
    <dt className="text-muted">{label}</dt>
    <dd className="figures text-strong">{children}</dd>
  </div>
);
