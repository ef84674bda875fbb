import type { RoastRow } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { Measure } from '../../components/figures.tsx';
import type { DateTexts } from '../../format/dates.ts';
import { weightCell, weightUnit } from '../../format/weights.ts';
import type { Column } from '../../components/table/columns.ts';
import { t } from '../../language/t.ts';
import { Badge, LiveDot } from '../../ui/Badge.tsx';
import { RoastStar } from '../../components/FavoriteStar.tsx';

const orDash = (text: string | null) => text ?? <span className="text-faint">--</span>;

/** Columns of the document, in its order. */
export const roastColumns = (dates: DateTexts): readonly Column<RoastRow>[] => [
  {
    id: 'favorite',
    label: t`Favorite`,
    hideLabel: true,
    cell: (roast) => <RoastStar roast={roast} />,
    width: 'w-12',
    phone: 'none',
  },
  {
    id: 'roast',
    label: t`Roast`,
    isName: true,
    cell: (roast) => (
      <span className="inline-flex items-center gap-2">
        <span className="font-mono text-[0.92em] max-sm:hidden">#{roast.id.slice(0, 8)}</span>
        {roast.status === 'in_progress' && (
          <Badge tone="accent" icon={<LiveDot tone="accent" pulsing />}>
            {t`Live`}
          </Badge>
        )}
        {roast.status === 'aborted' && <Badge tone="danger">{t`Aborted`}</Badge>}
      </span>
    ),
    sort: 'said_number',
    phone: 'title',
  },
  {
    id: 'coffee',
    label: t`Coffee`,
    cell: (roast) => <span className="text-strong">{orDash(roast.coffee_name)}</span>,
    sort: 'coffee_name',
    share: 20,
    phone: 'title',
  },
  {
    id: 'batch_number',
    label: t`Batch no.`,
    cell: (roast) =>
      roast.batch_number !== null ? (
        <span className="figures font-medium text-strong">{roast.batch_number}</span>
      ) : roast.is_numbered ? (
        <span className="text-muted">{t`provisional`}</span>
      ) : (
        <span className="text-muted">
          {roast.source_batch === null ? t`imported` : t`${roast.source_batch} imported`}
        </span>
      ),
    phone: 'title',
  },
  { id: 'origin', label: t`Origin`, cell: (roast) => orDash(roast.coffee_origin), sort: 'coffee_origin', share: 11 },
  {
    id: 'date',
    label: t`Roast date`,
    cell: (roast) => <span className="figures">{dates.dayAndTime(roast.start_time)}</span>,
    sort: 'start_time',
    phone: 'detail',
  },
  { id: 'profile', label: t`Profile`, cell: (roast) => orDash(roast.profile_name), sort: 'profile_name', share: 14 },
  {
    id: 'machine',
    label: t`Machine`,
    cell: (roast) => orDash(roast.machine_name),
    sort: 'machine_name',
    share: 13,
    phone: 'detail',
  },
  {
    id: 'roasted_by',
    label: t`Roasted by`,
    cell: (roast) => orDash(roast.roasted_by ?? roast.owner_name),
    sort: 'roasted_by',
    share: 12,
  },
  {
    id: 'batch',
    label: t`Batch (${weightUnit()})`,
    cell: (roast) => (
      <>
        <span className="max-sm:hidden">{weightCell(roast.batch_size_kg)}</span>
        <span className="sm:hidden">
          <Measure quantity="weight" value={roast.batch_size_kg} />
        </span>
      </>
    ),
    align: 'right',
    sort: 'batch_size_kg',
    phone: 'side',
  },
  {
    id: 'duration',
    label: t`Duration`,
    cell: (roast) => formatDuration(roast.duration_seconds),
    align: 'right',
    sort: 'duration_seconds',
  },
  {
    id: 'drop',
    label: t`Drop temp`,
    cell: (roast) => <Measure quantity="temperature" value={roast.drop_temp} />,
    align: 'right',
    sort: 'drop_temp',
    hiddenAtFirst: true,
  },
];
