import type { ComparedRoast } from '@roastery/contract/analytics';
import type { Preferences } from '@roastery/contract/auth';
import { formatDuration } from '@roastery/roasting/units';
import type { DateTexts } from '../../format/dates.ts';
import { Measure } from '../../components/figures.tsx';
import type { Column } from '../../components/table/columns.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { ShareBar } from './charts/RowBars.tsx';
import { differenceText } from './figure-texts.ts';

interface ComparedTable {
  roasts: readonly ComparedRoast[];
  referenceId: string | null;
  dates: DateTexts;
  degree: Preferences['temperature_unit'];
}

/** Each roast with its deviation from the reference. */
export const comparedColumns = ({
  roasts,
  referenceId,
  dates,
  degree,
}: ComparedTable): readonly Column<ComparedRoast>[] => {
  const most = Math.max(0, ...roasts.map(({ distance }) => distance?.rms ?? 0));
  return [
    {
      id: 'roast',
      label: t`Roast`,
      isName: true,
      cell: (roast) => (
        <span className="inline-flex items-center gap-2">
          {roast.said_number}
          {roast.id === referenceId && <Badge tone="accent">{t`Reference`}</Badge>}
        </span>
      ),
    },
    { id: 'date', label: t`Roast date`, cell: (roast) => dates.day(roast.start_time) },
    { id: 'machine', label: t`Machine`, cell: (roast) => roast.machine_name ?? '--' },
    { id: 'person', label: t`Roasted by`, phone: 'none', cell: (roast) => roast.roasted_by ?? '--' },
    { id: 'duration', label: t`Duration`, align: 'right', cell: (roast) => formatDuration(roast.duration_seconds) },
    {
      id: 'drop',
      phone: 'none',
      label: t`Drop temp`,
      align: 'right',
      cell: (roast) => <Measure quantity="temperature" value={roast.drop_temp} />,
    },
    {
      id: 'distance',
      label: t`Average deviation (°${degree})`,
      width: 'w-[24%]',
      cell: (roast) =>
        roast.id === referenceId ? (
          <span className="block text-muted sm:text-right">--</span>
        ) : roast.distance === null ? (
          <span className="text-muted">{t`No curve`}</span>
        ) : (
          <ShareBar
            share={most === 0 ? 0 : roast.distance.rms / most}
            text={differenceText(roast.distance.rms, degree)}
          />
        ),
    },
    {
      id: 'most',
      label: t`Largest deviation`,
      align: 'right',
      cell: ({ id, distance }) =>
        distance === null || id === referenceId
          ? '--'
          : t`${differenceText(distance.max, degree)} at ${formatDuration(distance.max_at)}`,
    },
  ];
};
