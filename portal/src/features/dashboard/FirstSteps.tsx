import type { systemStats } from '@roastery/contract/dashboard';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { ArrowRight, Circle, CircleCheck } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';

type Stats = ResponseOf<typeof systemStats>;

const stepsOf = (stats: Stats) => [
  { isDone: stats.totalMachines > 0, label: t`Connect a machine`, to: paths.registerMachine },
  { isDone: stats.hasRoasts, label: t`Import old roasts`, to: paths.uploadRoasts },
  { isDone: stats.hasLots, label: t`Add green coffee`, to: paths.newLot },
  { isDone: stats.hasRecipes, label: t`Make a recipe`, to: paths.newRecipe },
];

/** What a new roastery does first. */
export default function FirstSteps({ stats }: { stats: Stats }) {
  return (
    <Panel title={t`First steps`}>
      <ul className="grid divide-stroke max-sm:divide-y sm:grid-cols-2 xl:grid-cols-4">
        {stepsOf(stats).map(({ isDone, label, to }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex min-h-12 items-center gap-2.5 px-4 py-2.5 text-base hover:bg-hover focus-visible:-outline-offset-2"
            >
              <span aria-hidden className={classes('[&_svg]:size-5', isDone ? 'text-success' : 'text-faint')}>
                {isDone ? <CircleCheck /> : <Circle />}
              </span>
              <span className={isDone ? 'text-muted line-through' : 'font-medium text-strong'}>{label}</span>
              {isDone ? (
                <span className="sr-only">{t`done`}</span>
              ) : (
                <ArrowRight aria-hidden className="ml-auto size-4 text-muted" />
              )}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
