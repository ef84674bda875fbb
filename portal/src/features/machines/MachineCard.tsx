import type { Machine } from '@roastery/contract/machines';
import {
  ArrowRight,
  BellRing,
  ChartGantt,
  Gauge,
  GraduationCap,
  Link2,
  Ellipsis,
  ScanSearch,
  SlidersHorizontal,
  UserRound,
  Users,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { useSession } from '../../api/session.tsx';
import { Measure, RelativeTime } from '../../components/figures.tsx';
import { silenceText } from '../../components/live/silence-text.ts';
import { paths } from '../../components/paths.ts';
import { mayManage } from '../../components/people/roles.ts';
import { formatCount } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Badge, LiveDot } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { ExchangedChannels } from './ExchangedChannels.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { MapNotice } from './MapNotice.tsx';

/** What a card opens. */
export type MachineDialog = 'edit' | 'settings' | 'pairing' | 'people' | 'alarms';

interface MachineCardProps {
  machine: Machine;
  onOpen: (dialog: MachineDialog, machine: Machine) => void;
  onDelete: () => void;
}

export const MachineCard = ({ machine, onOpen, onDelete }: MachineCardProps) => {
  const silence = silenceText(machine, useDates());
  const onMap = () => onOpen('settings', machine);
  return (
    <Card className="group relative flex min-h-52 flex-col transition-colors hover:border-stroke-strong">
      <div className="flex flex-1 flex-col gap-4 p-4">
        <div className="flex items-start justify-between gap-2">
          <CardTitle machine={machine} />
          <div className="-mt-1 -mr-1.5 flex shrink-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-fine:opacity-0">
            <CardActions machine={machine} open={(dialog) => () => onOpen(dialog, machine)} onDelete={onDelete} />
          </div>
        </div>
        <MapNotice machine={machine} onMap={onMap} />
        {silence !== null && (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-warning/40 bg-warning-soft px-3 py-1.5 text-sm text-warning">
            <span className="figures">{silence}</span>
            {mayManage(machine.role) && (
              <button
                type="button"
                aria-label={t`Check the settings of ${machine.display_name}`}
                onClick={onMap}
                className="rounded-sm font-medium underline hover:no-underline pointer-coarse:min-h-10"
              >
                {t`Check settings`}
              </button>
            )}
          </p>
        )}
        <dl className="mt-auto grid grid-cols-3 gap-3">
          <Figure label={t`Capacity`}>
            <Measure
              quantity="weight"
              value={machine.max_capacity_kg}
              digits={Number.isInteger(machine.max_capacity_kg) ? 0 : 1}
            />
          </Figure>
          <Figure label={t`Roasts`}>
            <span className="figures text-strong">{formatCount(machine.total_roasts)}</span>
          </Figure>
          <Figure label={t`Roasted`}>
            <Measure quantity="weight" value={machine.total_kg_roasted} />
          </Figure>
        </dl>
        {machine.channels_exchanged !== null && (
          <ExchangedChannels
            name={machine.display_name}
            roasts={machine.channels_exchanged}
            onCheck={mayManage(machine.role) ? onMap : undefined}
          />
        )}
      </div>
      <footer className="flex min-h-11 items-center justify-between gap-3 border-t border-stroke px-4 py-1 text-sm">
        <ConnectionState machine={machine} onMap={onMap} />
        <span className="flex shrink-0 items-center gap-3">
          <Link
            to={paths.cockpit(machine.id)}
            aria-label={t`Live view of ${machine.display_name}`}
            className={footLink}
          >
            <Gauge aria-hidden className="size-4" />
            {t`Live`}
          </Link>
          <Link
            to={paths.timeline(machine.id)}
            aria-label={t`Timeline of ${machine.display_name}`}
            className={footLink}
          >
            <ChartGantt aria-hidden className="size-4" />
            {t`Timeline`}
          </Link>
        </span>
      </footer>
    </Card>
  );
};

const footLink =
  'flex min-h-8 items-center gap-1.5 rounded-sm text-content hover:text-strong hover:underline pointer-coarse:min-h-10';

const CardTitle = ({ machine }: { machine: Machine }) => {
  const { isAdmin } = useSession();
  return (
    <div className="min-w-0">
      <p className="flex items-center gap-2 font-mono text-xs text-muted">
        <span className="truncate">{machine.serial_number}</span>
        <Badge mono>{machine.machine_type}</Badge>
      </p>
      <h3 className="mt-0.5 line-clamp-2 text-lg leading-6 font-semibold text-strong">{machine.display_name}</h3>
      {(isAdmin || machine.role !== 'owner') && machine.owner_name !== null && (
        <p className="mt-0.5 flex items-center gap-1.5 text-sm text-muted">
          <UserRound aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">{machine.owner_name}</span>
        </p>
      )}
    </div>
  );
};

interface CardActionsProps {
  machine: Machine;
  open: (dialog: MachineDialog) => () => void;
  onDelete: () => void;
}

const CardActions = ({ machine: { id, display_name: name, role }, open, onDelete }: CardActionsProps) => {
  const navigate = useNavigate();
  if (!mayManage(role)) {
    return (
      <>
        <Button kind="quiet" aria-label={t`People of ${name}`} onClick={open('people')}>
          {t`People`}
        </Button>
        <Button kind="quiet" aria-label={t`Alarms of ${name}`} onClick={open('alarms')}>
          {t`Alarms`}
        </Button>
      </>
    );
  }
  return (
    <>
      <Button kind="quiet" className="mr-4" aria-label={t`Delete ${name}`} onClick={onDelete}>
        {t`Delete`}
      </Button>
      <Button kind="quiet" aria-label={t`Edit ${name}`} onClick={open('edit')}>
        {t`Edit`}
      </Button>
      <Menu trigger={<IconButton label={t`Actions for ${name}`} icon={<Ellipsis aria-hidden />} />}>
        <MenuItem icon={<Users aria-hidden />} onSelect={open('people')}>
          {t`People`}
        </MenuItem>
        <MenuItem icon={<BellRing aria-hidden />} onSelect={open('alarms')}>
          {t`Alarms`}
        </MenuItem>
        <MenuItem icon={<Link2 aria-hidden />} onSelect={open('pairing')}>
          {t`Pair the board`}
        </MenuItem>
        <MenuItem icon={<SlidersHorizontal aria-hidden />} onSelect={open('settings')}>
          {t`Map and settings`}
        </MenuItem>
        <MenuItem icon={<ScanSearch aria-hidden />} onSelect={() => void navigate(paths.probeMachine(id))}>
          {t`Find registers`}
        </MenuItem>
        <MenuItem icon={<GraduationCap aria-hidden />} onSelect={() => void navigate(paths.machineLessons(id))}>
          {t`What it has learnt`}
        </MenuItem>
      </Menu>
    </>
  );
};

const Figure = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="label-mono truncate">{label}</dt>
    <dd className="mt-0.5 truncate text-base font-medium">{children}</dd>
  </div>
);

const ConnectionState = ({ machine, onMap }: { machine: Machine; onMap: () => void }) => {
  const isSilent = machine.silent_since !== null;
  if (machine.current_roast_id !== null) {
    const isHeard = machine.connection === 'online' && !isSilent;
    return (
      <Link
        to={paths.cockpit(machine.id)}
        className={classes(
          'flex min-h-8 items-center gap-2 rounded-sm font-medium hover:underline pointer-coarse:min-h-10',
          isHeard ? 'text-accent-text' : 'text-warning',
        )}
      >
        <LiveDot tone={isHeard ? 'accent' : 'warning'} pulsing={isHeard} />
        {isHeard ? t`Roasting now` : isSilent ? t`Roasting, no answer` : t`Roasting, signal lost`}
        <ArrowRight aria-hidden className="size-3.5" />
      </Link>
    );
  }
  if (machine.connection === 'online' && machine.lacks_map) {
    return (
      <button
        type="button"
        aria-label={t`${machine.display_name} has no map: choose one`}
        onClick={onMap}
        className="flex min-h-8 items-center gap-2 rounded-sm font-medium text-warning hover:underline pointer-coarse:min-h-10"
      >
        <LiveDot tone="warning" />
        {t`No map: choose one`}
      </button>
    );
  }
  if (isSilent) {
    return (
      <span className="flex items-center gap-2 font-medium text-warning">
        <LiveDot tone="warning" />
        {t`No answer`}
      </span>
    );
  }
  if (machine.connection === 'online') {
    return (
      <span className="flex items-center gap-2 text-content">
        <LiveDot tone="success" />
        {machine.runs_artisan ? t`Online · Artisan` : t`Online`}
      </span>
    );
  }
  if (machine.connection === 'never_connected' || machine.last_seen_at === null) {
    return (
      <span className="flex items-center gap-2 text-muted">
        <LiveDot tone="faint" />
        {t`Never connected`}
      </span>
    );
  }
  return (
    <span className="flex min-w-0 items-center gap-2 text-muted">
      <LiveDot tone="warning" />
      <span className="leading-5">{t`Offline, last seen ${<RelativeTime moment={machine.last_seen_at} />}`}</span>
    </span>
  );
};
