import type { RoastRow } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { Ban } from 'lucide-react';
import { Measure } from '../../components/figures.tsx';
import type { DateTexts } from '../../format/dates.ts';
import { weightCell, weightUnit } from '../../format/weights.ts';
import type { Column } from '../../components/table/columns.ts';
import { t } from '../../language/t.ts';
import { Badge, LiveDot } from '../../ui/Badge.tsx';
import { RoastStar } from '../../components/FavoriteStar.tsx';

const orDash = (text: string | null) => text ?? <span className="text-faint">--</span>;

const BatchNumber = ({ roast }: { roast: RoastRow }) => {
  if (roast.batch_number !== null) return <span className="figures">{roast.batch_number}</span>;
  if (roast.is_numbered) return <span className="font-normal text-muted">{t`provisional`}</span>;
  return (
    <span className="font-normal text-muted">
      {roast.source_batch === null ? t`imported` : t`${roast.source_batch} imported`}
    </span>
  );
};

/** On a tablet a state stands below the number: weight and duration need the width. */
const NumberAndState = ({ roast }: { roast: RoastRow }) => (
  <span className="inline-flex items-center gap-2 sm:max-xl:flex-col sm:max-xl:items-start sm:max-xl:gap-0.5 sm:max-xl:pb-1">
    <span className="inline-flex flex-col py-1 leading-tight">
      <BatchNumber roast={roast} />
      <span className="font-mono text-xs font-normal text-muted max-sm:hidden">#{roast.id.slice(0, 8)}</span>
    </span>
    {roast.status === 'in_progress' && (
      <Badge tone="accent" icon={<LiveDot tone="accent" pulsing />}>
        <span className="max-sm:sr-only">{t`Live`}</span>
      </Badge>
    )}
    {roast.status === 'aborted' && (
      <Badge tone="danger" icon={<Ban aria-hidden className="sm:hidden" />}>
        <span className="max-sm:sr-only">{t`Aborted`}</span>
      </Badge>
    )}
  </span>
);

const DayAndTime = ({ start, dates }: { start: string; dates: DateTexts }) => (
  <>
    <span className="figures sm:hidden 2xl:inline">{dates.dayAndTime(start)}</span>
    <span className="figures flex flex-col leading-tight max-sm:hidden 2xl:hidden">
      <span>{dates.day(start)}</span>
      <span className="text-xs text-muted">{dates.time(start)}</span>
    </span>
  </>
);

/** On a tablet: what has a column of its own on a desk. */
const Beneath = ({ texts }: { texts: readonly (string | null)[] }) => (
  <span className="block text-xs text-muted max-sm:hidden">{texts.filter((text) => text !== null).join(' · ')}</span>
);

/** Columns of the document, in its order. */
export const roastColumns = (dates: DateTexts, isNarrow: boolean): readonly Column<RoastRow>[] => [
  {
    id: 'favorite',
    label: t`Favorite`,
    hideLabel: true,
    cell: (roast) => <RoastStar roast={roast} />,
    width: 'w-10',
    phone: 'none',
  },
  {
    id: 'roast',
    label: t`Roast`,
    isName: true,
    cell: (roast) => <NumberAndState roast={roast} />,
    sort: 'said_number',
    phone: 'title',
  },
  {
    id: 'coffee',
    label: t`Coffee`,
    cell: (roast) => (
      <>
        <span className="text-strong sm:block sm:min-w-45">{orDash(roast.coffee_name)}</span>
        {isNarrow && <Beneath texts={[roast.coffee_origin, roast.profile_name]} />}
      </>
    ),
    sort: 'coffee_name',
    wraps: true,
    phone: 'title',
  },
  {
    id: 'origin',
    label: t`Origin`,
    cell: (roast) => orDash(roast.coffee_origin),
    sort: 'coffee_origin',
    wraps: true,
    isWide: true,
  },
  {
    id: 'date',
    label: t`Roast date`,
    cell: ({ start_time: start }) => <DayAndTime start={start} dates={dates} />,
    sort: 'start_time',
    phone: 'detail',
  },
  {
    id: 'profile',
    label: t`Profile`,
    cell: (roast) => orDash(roast.profile_name),
    sort: 'profile_name',
    wraps: true,
    isWide: true,
  },
  {
    id: 'machine',
    label: t`Machine`,
    cell: (roast) => (
      <>
        {orDash(roast.machine_name)}
        {isNarrow && <Beneath texts={[roast.roasted_by ?? roast.owner_name]} />}
      </>
    ),
    sort: 'machine_name',
    wraps: true,
    phone: 'detail',
  },
  {
    id: 'roasted_by',
    label: t`Roasted by`,
    cell: (roast) => orDash(roast.roasted_by ?? roast.owner_name),
    sort: 'roasted_by',
    wraps: true,
    isWide: true,
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
