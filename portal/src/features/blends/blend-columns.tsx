import type { Blend } from '@roastery/contract/blends';
import type { DateTexts } from '../../format/dates.ts';
import { Measure } from '../../components/figures.tsx';
import type { Column } from '../../components/table/columns.ts';
import { t } from '../../language/t.ts';

const percent = (share: number): string => `${Math.round(share * 100)}%`;

export const blendColumns = (dates: DateTexts): readonly Column<Blend>[] => [
  {
    id: 'name',
    label: t`Blend`,
    isName: true,
    cell: (blend) => <span className="font-medium text-strong">{blend.name}</span>,
  },
  {
    id: 'components',
    label: t`Roasts`,
    cell: (blend) => (
      <span className="whitespace-normal">
        {blend.components
          .map(
            ({ coffee_name: coffee, said_number: number, share }) =>
              `${percent(share)} ${number}${coffee === null ? '' : ` · ${coffee}`}`,
          )
          .join(', ')}
      </span>
    ),
  },
  {
    id: 'total',
    label: t`Weight`,
    align: 'right',
    cell: (blend) => <Measure quantity="weight" value={blend.total_kg} digits={2} />,
  },
  {
    id: 'created',
    label: t`Created on`,
    cell: (blend) => <span className="figures">{dates.dayAndTime(blend.created_at)}</span>,
  },
  { id: 'created_by', label: t`Created by`, cell: (blend) => blend.created_by },
];
