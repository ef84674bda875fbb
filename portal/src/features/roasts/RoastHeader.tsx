import type { Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import {
  ArrowLeft,
  Ban,
  BookPlus,
  ChartGantt,
  Ellipsis,
  GitCompareArrows,
  Maximize2,
  Pencil,
  Trash2,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation, useNavigate } from 'react-router-dom';
import { fromList } from '../../components/table/columns.ts';
import { Measure } from '../../components/figures.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem, MenuLink } from '../../ui/Menu.tsx';
import { ExportRoastMenu } from './ExportRoastMenu.tsx';
import {
  batchLabel,
  coffeeName,
  developmentText,
  levelLabel,
  roastNumber,
  timelineOf,
} from '../../components/live/roast-texts.ts';

interface RoastActions {
  roast: Roast;
  /** Whether the user may change it: viewers of its machine may not. */
  mayEdit: boolean;
  onEdit: () => void;
  onDelete: () => void;
  /** Asks whether a false roast is discarded. */
  onDiscard: () => void;
}

interface RoastHeaderProps extends RoastActions {
  /** State of a roast that is not completed. */
  state?: ReactNode;
  /** While it runs its figures are below, in large type. */
  isLive?: boolean;
}

/** To the list as it was left: its filters, position and selection belong to its entry of the history. */
export const BackToRoasts = () => {
  const navigate = useNavigate();
  const { state } = useLocation();
  return (
    <Link
      to={paths.roasts}
      onClick={(event) => {
        if (state !== fromList || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        void navigate(-1);
      }}
      className="inline-flex items-center gap-1.5 rounded-sm text-sm text-muted hover:text-strong pointer-coarse:py-2 print:hidden"
    >
      <ArrowLeft aria-hidden className="size-3.5" />
      {t`Back to roasts`}
    </Link>
  );
};

/** Identity, actions and the six figures of a roast. */
export const RoastHeader = ({ state, isLive = false, ...actions }: RoastHeaderProps) => {
  const { roast } = actions;
  return (
    <header className={classes('flex flex-col', isLive ? 'gap-1 pb-2' : 'gap-4 pb-5')}>
      {isLive ? (
        <div className="flex flex-wrap items-center gap-x-4 pointer-coarse:-my-2">
          <BackToRoasts />
          <Numbers roast={roast} />
        </div>
      ) : (
        <BackToRoasts />
      )}
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {!isLive && <Numbers roast={roast} />}
          <div className="mt-0.5 flex flex-wrap items-center gap-2">
            <h1 tabIndex={-1} className="mr-1 text-2xl font-semibold tracking-tight text-strong outline-none">
              {coffeeName(roast)}
            </h1>
            {roast.coffee_origin !== null && <Badge>{roast.coffee_origin}</Badge>}
            <Badge tone="accent">{levelLabel(roast)}</Badge>
            {state ?? <Badge tone="success">{t`Completed`}</Badge>}
          </div>
        </div>
        {isLive ? <LiveActions {...actions} /> : <Actions {...actions} />}
      </div>
      {!isLive && <Metrics roast={roast} />}
    </header>
  );
};

const Numbers = ({ roast }: { roast: Roast }) => (
  <p className="text-sm text-content">
    <span className="font-semibold">{batchLabel(roast)}</span>{' '}
    <span className="font-mono text-xs text-muted">{roastNumber(roast)}</span>
  </p>
);

/** On a phone two rows: what the second row has no room for is in its menu. */
const Actions = ({ roast, mayEdit, onEdit, onDelete, onDiscard }: RoastActions) => {
  const isInMenu = mayEdit ? 'max-sm:hidden' : undefined;
  const recipe = roast.status === 'completed' ? paths.recipeFromRoast(roast.id) : undefined;
  const timeline =
    roast.recorded !== null && roast.machine_id !== null ? timelineOf(roast, roast.machine_id) : undefined;
  const discard = roast.recorded !== null && (
    <MenuItem icon={<Ban aria-hidden />} onSelect={onDiscard}>
      {t`Discard as false start`}
    </MenuItem>
  );
  const more = <IconButton label={t`More actions`} icon={<Ellipsis aria-hidden />} />;
  return (
    <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto sm:flex-wrap print:hidden">
      <ButtonLink to={paths.compare([roast.id])} icon={<GitCompareArrows aria-hidden />}>
        {t`Compare`}
      </ButtonLink>
      {recipe !== undefined && (
        <ButtonLink to={recipe} icon={<BookPlus aria-hidden />} className={isInMenu}>
          {t`Save as recipe`}
        </ButtonLink>
      )}
      <ExportRoastMenu roast={roast} mayRead={mayEdit} />
      {timeline !== undefined && (
        <ButtonLink to={timeline} icon={<ChartGantt aria-hidden />} className={isInMenu}>
          {t`Timeline`}
        </ButtonLink>
      )}
      {mayEdit && (
        <>
          <Button icon={<Pencil aria-hidden />} onClick={onEdit}>
            {t`Edit`}
          </Button>
          <div className="flex gap-2 sm:contents">
            <Button icon={<Trash2 aria-hidden />} className="max-sm:flex-1" onClick={onDelete}>
              {t`Delete`}
            </Button>
            <div className="max-sm:hidden sm:contents">{discard && <Menu trigger={more}>{discard}</Menu>}</div>
            {(recipe ?? timeline ?? discard) && (
              <div className="sm:hidden">
                <Menu trigger={more}>
                  {recipe !== undefined && (
                    <MenuLink to={recipe} icon={<BookPlus aria-hidden />}>
                      {t`Save as recipe`}
                    </MenuLink>
                  )}
                  {timeline !== undefined && (
                    <MenuLink to={timeline} icon={<ChartGantt aria-hidden />}>
                      {t`Timeline`}
                    </MenuLink>
                  )}
                  {discard}
                </Menu>
              </div>
            )}
          </div>
        </>
      )}
    </div>
  );
};

/** One row at every width: while it runs, the room below belongs to the curve. */
const LiveActions = ({ roast, mayEdit, onEdit, onDelete, onDiscard }: RoastActions) => (
  <div className="flex gap-2 max-sm:w-full print:hidden">
    {roast.machine_id !== null && (
      <ButtonLink
        to={paths.cockpit(roast.machine_id)}
        kind="primary"
        icon={<Maximize2 aria-hidden />}
        className="max-sm:flex-1"
      >
        {t`Live view`}
      </ButtonLink>
    )}
    <ExportRoastMenu roast={roast} mayRead={mayEdit} />
    {mayEdit && (
      <Button icon={<Pencil aria-hidden />} onClick={onEdit}>
        {t`Edit`}
      </Button>
    )}
    <Menu
      trigger={
        <IconButton
          label={t`More actions`}
          icon={<Ellipsis aria-hidden />}
          className="border border-stroke-strong pointer-coarse:size-10!"
        />
      }
    >
      <MenuLink to={paths.compare([roast.id])} icon={<GitCompareArrows aria-hidden />}>
        {t`Compare`}
      </MenuLink>
      {roast.recorded !== null && roast.machine_id !== null && (
        <MenuLink to={timelineOf(roast, roast.machine_id)} icon={<ChartGantt aria-hidden />}>
          {t`Timeline`}
        </MenuLink>
      )}
      {mayEdit && roast.recorded !== null && (
        <MenuItem icon={<Ban aria-hidden />} onSelect={onDiscard}>
          {t`Discard as false start`}
        </MenuItem>
      )}
      {mayEdit && (
        <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={onDelete}>
          {t`Delete`}
        </MenuItem>
      )}
    </Menu>
  </div>
);

const Metrics = ({ roast }: { roast: Roast }) => (
  <dl className="grid grid-cols-3 gap-px overflow-hidden rounded-lg border border-stroke bg-stroke lg:grid-cols-6 print:grid-cols-6">
    <Metric label={t`Duration`}>
      <span className="figures text-strong">{formatDuration(roast.duration_seconds)}</span>
    </Metric>
    <Metric label={t`Batch`}>
      <Measure quantity="weight" value={roast.batch_size_kg} />
    </Metric>
    <Metric label={t`Drop Temp`}>
      <Measure quantity="temperature" value={roast.drop_temp} />
    </Metric>
    <Metric label={t`Charge`}>
      <Measure quantity="temperature" value={roast.charge_temp} />
    </Metric>
    <Metric label={t`Dev Time`}>
      <span className="figures text-strong">{developmentText(roast)}</span>
    </Metric>
    <Metric label={t`First Crack`}>
      <span className="figures text-strong">{formatDuration(roast.first_crack_time)}</span>
    </Metric>
  </dl>
);

const Metric = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0 bg-surface px-3 py-2.5 sm:px-4">
    <dt className="label-mono truncate">{label}</dt>
    <dd className="mt-0.5 truncate text-lg font-semibold print:text-sm">{children}</dd>
  </div>
);
