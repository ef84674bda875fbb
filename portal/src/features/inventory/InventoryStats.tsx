import { inventorySummary } from '@roastery/contract/inventory';
import { Boxes, CircleCheck, DollarSign, Weight } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { StatCard, StatRow } from '../../components/StatCard.tsx';
import { kgText, moneyText } from './lot-texts.ts';

/** Four totals over every lot that is not archived; the filters of the table don't change them. */
export const InventoryStats = () => {
  const { data, error } = useApi(inventorySummary, {});
  const shown = <Figure,>(figure: Figure | undefined) => (figure === undefined && error ? null : figure);
  return (
    <StatRow>
      <StatCard
        label="Total Lots"
        value={shown(data?.total_lots.toLocaleString('en-US'))}
        icon={<Boxes className="max-sm:hidden" />}
      />
      <StatCard
        label="Available Lots"
        value={shown(data?.available_lots.toLocaleString('en-US'))}
        icon={<CircleCheck className="max-sm:hidden" />}
      />
      <StatCard
        label="Total Weight (kg)"
        value={shown(data && kgText(data.total_weight_kg))}
        icon={<Weight className="max-sm:hidden" />}
      />
      <StatCard
        label="Total Value ($)"
        value={shown(data && moneyText(data.total_value))}
        icon={<DollarSign className="max-sm:hidden" />}
      />
    </StatRow>
  );
};
