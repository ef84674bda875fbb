import { currencySign, formatAmount } from '../../format/money.ts';
import { formatCount } from '../../format/numbers.ts';
import { weightNumber, weightUnit } from '../../format/weights.ts';
import { inventorySummary } from '@roastery/contract/inventory';
import { Boxes, CircleCheck, Coins, Weight } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { StatCard, StatRow } from '../../components/StatCard.tsx';
import { t } from '../../language/t.ts';

/** Four totals over every lot that is not archived; the filters of the table don't change them. */
export const InventoryStats = () => {
  const { data, error } = useApi(inventorySummary, {});
  const shown = <Figure,>(figure: Figure | undefined) => (figure === undefined && error ? null : figure);
  return (
    <StatRow>
      <StatCard
        label={t`Total Lots`}
        value={shown(data && formatCount(data.total_lots))}
        icon={<Boxes className="max-sm:hidden" />}
      />
      <StatCard
        label={t`Available Lots`}
        value={shown(data && formatCount(data.available_lots))}
        icon={<CircleCheck className="max-sm:hidden" />}
      />
      <StatCard
        label={t`Total Weight (${weightUnit()})`}
        value={shown(data && weightNumber(data.total_weight_kg))}
        icon={<Weight className="max-sm:hidden" />}
      />
      <StatCard
        label={t`Total Value (${currencySign()})`}
        value={shown(data && formatAmount(data.total_value))}
        icon={<Coins className="max-sm:hidden" />}
      />
    </StatRow>
  );
};
