import type { Lot } from '@roastery/contract/inventory';
import { Hourglass } from 'lucide-react';
import type { DateTexts } from '../../format/dates.ts';
import type { Column } from '../../components/table/columns.ts';
import { weightNumber, weightUnit } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { classes } from '../../ui/classes.ts';
import { isLow, runOutText, shareText, statusTones } from './lots.ts';

const orDash = (text: string | null) => (text === null || text === '' ? <span className="text-faint">--</span> : text);
/** Long heads break into two lines, so that all columns fit on a desktop screen. */
const twoLines = 'whitespace-normal! leading-tight! [&_button]:text-left';
const twoLinesRight = 'whitespace-normal! leading-tight! [&_button]:text-right';

export const StatusBadge = ({ status }: { status: Lot['status'] }) => (
  <Badge tone={statusTones[status]}>{status}</Badge>
);

const Weight = ({ kg, low = false }: { kg: number; low?: boolean }) => (
  <span className={classes('figures', low ? 'text-danger' : 'text-strong')}>
    {weightNumber(kg)}
    <span className={classes('text-[0.85em]', low ? 'text-danger' : 'text-muted')}>&#8239;{weightUnit()}</span>
  </span>
);

/** The remaining weight of a lot, in the person's unit and as a share with a bar; red when it is low. */
const Remaining = ({ lot }: { lot: Lot }) => (
  <span className="inline-flex flex-col items-end gap-1 sm:min-w-27">
    <span className="inline-flex items-baseline gap-2">
      <Weight kg={lot.current_weight} low={isLow(lot)} />
      <span
        className={classes('figures w-9 text-right text-xs max-sm:hidden', isLow(lot) ? 'text-danger' : 'text-muted')}
      >
        {shareText(lot)}
      </span>
    </span>
    <RemainingBar lot={lot} className="w-full max-sm:hidden" />
  </span>
);

/** Decorative: the number is beside it. */
export const RemainingBar = ({ lot, className }: { lot: Lot; className?: string }) => (
  <span aria-hidden className={classes('block h-0.75 overflow-hidden rounded-full bg-hover', className)}>
    <span
      className={classes('block h-full rounded-full', isLow(lot) ? 'bg-danger' : 'bg-success')}
      style={{ width: `${Math.min(100, Math.max(0, lot.percentage_remaining))}%` }}
    />
  </span>
);

/** Columns of the document, in its order. */
export const lotColumns = (dates: DateTexts): readonly Column<Lot>[] => [
  {
    id: 'lot',
    label: t`Lot`,
    isName: true,
    cell: (lot) => <span className="font-mono text-[0.92em]">{lot.lot_number}</span>,
    sort: 'lot_number',
    phone: 'title',
  },
  {
    id: 'name',
    label: t`Name`,
    cell: (lot) => (
      <span className="flex flex-col leading-tight">
        <span className="text-strong sm:min-w-36">{lot.coffee_name}</span>
        {lot.region !== null && lot.region !== '' && (
          <span className="text-xs text-muted max-sm:hidden">{lot.region}</span>
        )}
      </span>
    ),
    sort: 'coffee_name',
    share: 18,
    phone: 'title',
  },
  { id: 'origin', label: t`Origin`, cell: (lot) => lot.origin, sort: 'origin', share: 10, phone: 'detail' },
  {
    id: 'registered',
    label: t`Registration date`,
    cell: (lot) => <span className="figures">{dates.day(lot.registration_date)}</span>,
    sort: 'registration_date',
    width: twoLines,
  },
  {
    id: 'location',
    label: t`Location`,
    cell: (lot) => orDash(lot.location),
    sort: 'location',
    share: 12,
  },
  {
    id: 'initial',
    label: t`Initial weight`,
    cell: (lot) => <Weight kg={lot.initial_weight} />,
    align: 'right',
    sort: 'initial_weight',
    width: twoLinesRight,
  },
  {
    id: 'weight',
    label: t`Weight`,
    cell: (lot) => <Remaining lot={lot} />,
    phone: 'side',
    align: 'right',
    sort: 'current_weight',
  },
  {
    id: 'run_out',
    label: t`Run out estimation`,
    cell: (lot) => (
      <span className="figures inline-flex items-center gap-1 whitespace-nowrap">
        <Hourglass aria-label={t`Run out estimation`} className="size-3 sm:hidden" />
        {runOutText(lot.estimated_runout_days)}
      </span>
    ),
    align: 'right',
    sort: 'estimated_runout_days',
    phone: 'detail',
    width: twoLinesRight,
  },
  {
    id: 'used',
    label: t`Used in profiles`,
    cell: (lot) => <span className="figures">{lot.usage_count}</span>,
    align: 'right',
    width: twoLinesRight,
  },
  { id: 'process', label: t`Process`, cell: (lot) => orDash(lot.process), share: 10 },
  {
    id: 'status',
    label: t`Status`,
    cell: (lot) => <StatusBadge status={lot.status} />,
    sort: 'status',
    phone: 'detail',
  },
];
