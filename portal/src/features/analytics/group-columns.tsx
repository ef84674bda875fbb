import type { GroupFigures, GroupKind } from '@roastery/contract/analytics';
import { formatDuration } from '@roastery/roasting/units';
import { Link } from 'react-router-dom';
import type { Column } from '../../components/table/columns.ts';
import { formatCount } from '../../format/numbers.ts';
import { weightUnit } from '../../format/weights.ts';
import { ratioText, sumNumber } from './figure-texts.ts';
import { RangeBar, ShareBar } from './charts/RowBars.tsx';
import { roastsLink, type FigureFilter } from './roasts-link.ts';
import type { AnalyticsFilter } from './use-analytics-filter.ts';
import { t } from '../../language/t.ts';

const heads: Record<GroupKind, string> = {
  machine: t`Machine`,
  coffee: t`Coffee`,
  recipe: t`Recipe`,
  person: t`Person`,
};
export const missingNames: Record<GroupKind, string> = {
  machine: t`No machine`,
  coffee: t`No coffee named`,
  recipe: t`No recipe`,
  person: t`No person`,
};

/** The filter that shows one group's roasts. Roasts of a deleted recipe still carry its name. */
const filterOf = (by: GroupKind, { id, name }: GroupFigures): FigureFilter => {
  if (by === 'machine') return id === null ? { without: 'machine' } : { machine_id: id };
  if (by === 'person') return name === null ? {} : { roasted_by: name };
  if (by === 'coffee') return name === null ? { without: 'coffee' } : { coffee_name: name };
  if (id !== null) return { profile_id: id };
  return name === null ? { without: 'recipe' } : { former_recipe: name };
};

/** The common axis of all rows' means and standard deviations. */
const rangeOf = (groups: readonly GroupFigures[]): readonly [low: number, high: number] => {
  const edges = groups.flatMap(({ development_ratio_mean: mean, development_ratio_deviation: deviation }) =>
    mean === null ? [] : [mean - (deviation ?? 0), mean + (deviation ?? 0)],
  );
  return edges.length === 0 ? [0, 1] : [Math.min(...edges) - 0.005, Math.max(...edges) + 0.005];
};

export const groupColumns = (
  by: GroupKind,
  groups: readonly GroupFigures[],
  filter: AnalyticsFilter,
): readonly Column<GroupFigures>[] => {
  const most = Math.max(0, ...groups.map(({ kg }) => kg));
  const range = rangeOf(groups);
  return [
    {
      id: 'name',
      label: heads[by],
      sort: 'name',
      isName: true,
      cell: (group) => {
        const name = group.name ?? missingNames[by];
        return (
          <Link
            to={roastsLink({ ...filter, ...filterOf(by, group) })}
            className={`${group.name === null ? 'text-muted' : 'font-medium text-strong'} after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus`}
          >
            {name}
          </Link>
        );
      },
      share: 22,
    },
    {
      id: 'kg',
      label: t`Roasted (${weightUnit()})`,
      sort: 'kg',
      width: 'w-[28%]',
      cell: ({ kg }) => <ShareBar share={most === 0 ? 0 : kg / most} text={sumNumber(kg)} />,
    },
    { id: 'roasts', label: t`Roasts`, sort: 'roasts', align: 'right', cell: ({ roasts }) => formatCount(roasts) },
    {
      id: 'duration',
      label: t`Average duration`,
      sort: 'mean_duration_seconds',
      align: 'right',
      cell: (group) => formatDuration(group.mean_duration_seconds),
    },
    {
      id: 'development',
      label: t`Development ratio ± SD`,
      sort: 'development_ratio_mean',
      width: 'w-[28%]',
      cell: (group) => (
        <RangeBar
          mean={group.development_ratio_mean}
          deviation={group.development_ratio_deviation}
          range={range}
          text={ratioText(group.development_ratio_mean, group.development_ratio_deviation)}
        />
      ),
    },
  ];
};
