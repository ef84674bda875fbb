import type { LotUse } from '@roastery/contract/analytics';
import { Link } from 'react-router-dom';
import { paths } from '../../components/paths.ts';
import type { Column } from '../../components/table/columns.ts';
import { priceUnit } from '../../format/money.ts';
import { formatCount } from '../../format/numbers.ts';
import { weightUnit } from '../../format/weights.ts';
import { ShareBar } from './charts/RowBars.tsx';
import { moneyText, priceText, roastsText, sumNumber } from './figure-texts.ts';
import { roastsLink } from './roasts-link.ts';
import type { AnalyticsFilter } from './use-analytics-filter.ts';
import { t } from '../../language/t.ts';

export const lotColumns = (lots: readonly LotUse[], filter: AnalyticsFilter): readonly Column<LotUse>[] => {
  const most = Math.max(0, ...lots.map(({ kg }) => kg));
  return [
    {
      id: 'lot',
      label: t`Lot`,
      isName: true,
      cell: (lot) => (
        <Link to={paths.editLot(lot.lot_id)} className="rounded-sm font-medium text-strong hover:underline">
          {lot.lot_number}
        </Link>
      ),
    },
    {
      id: 'coffee',
      label: t`Coffee`,
      cell: (lot) => (
        <>
          {lot.coffee_name} <span className="text-muted">{lot.origin}</span>
        </>
      ),
      share: 22,
    },
    {
      id: 'kg',
      label: t`Used (${weightUnit()})`,
      width: 'w-[28%]',
      cell: ({ kg }) => <ShareBar share={most === 0 ? 0 : kg / most} text={sumNumber(kg)} />,
    },
    { id: 'cost_per_kg', label: t`Cost per ${priceUnit()}`, align: 'right', cell: (lot) => priceText(lot.cost_per_kg) },
    {
      id: 'cost',
      label: t`Cost`,
      align: 'right',
      cell: (lot) => moneyText(lot.cost_per_kg === null ? null : lot.cost),
    },
    { id: 'left', label: t`Left (${weightUnit()})`, align: 'right', cell: (lot) => sumNumber(lot.current_weight) },
    {
      id: 'roasts',
      label: t`Roasts`,
      align: 'right',
      cell: (lot) => (
        <Link
          to={roastsLink({ ...filter, lot_id: lot.lot_id, with: 'green' })}
          aria-label={t`${roastsText(lot.roasts)} of lot ${lot.lot_number}`}
          className="rounded-sm font-medium text-accent-text hover:underline pointer-coarse:py-2"
        >
          {formatCount(lot.roasts)}
        </Link>
      ),
    },
  ];
};
