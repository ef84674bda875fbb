import { getBoardUpdates } from '@roastery/contract/board-updates';
import { listDevices, type Device } from '@roastery/contract/fleet';
import {
  CircuitBoard,
  Download,
  Ellipsis,
  Files,
  History,
  KeyRound,
  ScanSearch,
  SlidersHorizontal,
  TicketPlus,
  Undo2,
  Unplug,
} from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { BoardConfigDialog } from '../../components/machine-maps/BoardConfigDialog.tsx';
import { PairMachineDialog } from '../../components/pairing/PairMachineDialog.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx';
import {
  orderUpdates,
  overlapHours,
  restoreBoardHistory,
  revokeBoard,
  rotateToken,
  withdrawUpdates,
  type RotatedToken,
} from './device-changes.ts';
import { ArtisanFilesDialog } from './ArtisanFilesDialog.tsx';
import { deviceColumns } from './device-columns.tsx';
import { restoreQuestion } from './device-texts.ts';
import { UpdatesBar } from './UpdatesBar.tsx';
import { RotatedTokenDialog } from './SecretDialog.tsx';

const pollIntervalMs = 5000;

/** Its update is ordered and has not ended. */
const isUnderWay = ({ order }: Device): boolean =>
  order !== null && ['wanted', 'waiting', 'fetching', 'trial'].includes(order.state);

/** What is open, and for which board. */
interface Opened {
  readonly dialog: 'settings' | 'files' | 'pairing' | 'revoke' | 'restore' | 'rotate';
  readonly device: Device;
}

/** The board of every machine with the status it reported. */
export const Boards = () => {
  const [opened, setOpened] = useState<Opened | null>(null);
  const list = useListPage(listDevices, {
    input: (query) => ({ query }),
    rows: ({ devices }) => devices,
    total: ({ total }) => total,
    rowId: (row) => row.machine_id,
    pageSize: 50,
    refreshInterval: pollIntervalMs,
  });
  const version = useApi(getBoardUpdates, {}).data?.version ?? null;
  return (
    <>
      <UpdatesBar refreshInterval={pollIntervalMs} />
      <DataTable
        {...list.table}
        label={t`Devices`}
        columns={deviceColumns}
        rowLabel={(device) => device.display_name}
        rowActions={(device) => <BoardMenu device={device} version={version} onOpen={setOpened} />}
        empty={
          <EmptyState icon={<CircuitBoard aria-hidden />} title={t`No boards found`}>
            {t`Every registered machine is listed here.`}
          </EmptyState>
        }
      />
      <BoardDialogs opened={opened} onClose={() => setOpened(null)} />
    </>
  );
};

interface BoardMenuProps {
  device: Device;
  /** Of the software that boards can be updated to. */
  version: string | null;
  onOpen: (opened: Opened) => void;
}

const BoardMenu = ({ device, version, onOpen }: BoardMenuProps) => {
  const navigate = useNavigate();
  const open = (dialog: Opened['dialog']) => () => onOpen({ dialog, device });
  const canUpdate =
    device.takes_orders &&
    device.agent_version !== version &&
    !(isUnderWay(device) && device.order?.version === version);
  return (
    <Menu trigger={<IconButton label={t`Actions for ${device.display_name}`} icon={<Ellipsis aria-hidden />} />}>
      <MenuItem icon={<SlidersHorizontal aria-hidden />} onSelect={open('settings')}>
        {t`Map and settings`}
      </MenuItem>
      <MenuItem icon={<ScanSearch aria-hidden />} onSelect={() => void navigate(paths.probeMachine(device.machine_id))}>
        {t`Find registers`}
      </MenuItem>
      <MenuItem icon={<TicketPlus aria-hidden />} onSelect={open('pairing')}>
        {t`Pair the board`}
      </MenuItem>
      <MenuItem icon={<KeyRound aria-hidden />} onSelect={open('rotate')}>
        {t`Rotate token`}
      </MenuItem>
      {device.source !== null && device.source.files !== null && (
        <MenuItem icon={<Files aria-hidden />} onSelect={open('files')}>
          {t`Artisan files`}
        </MenuItem>
      )}
      {canUpdate && version !== null && (
        <MenuItem icon={<Download aria-hidden />} onSelect={() => void orderUpdates(version, [device])}>
          {t`Update to ${version}`}
        </MenuItem>
      )}
      {isUnderWay(device) && (
        <MenuItem icon={<Undo2 aria-hidden />} onSelect={() => void withdrawUpdates([device])}>
          {t`Withdraw the update request`}
        </MenuItem>
      )}
      {device.sealed_history !== null && (
        <MenuItem icon={<History aria-hidden />} onSelect={open('restore')}>
          {t`Restore history`}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={<Unplug aria-hidden />} danger disabled={device.credential === null} onSelect={open('revoke')}>
        {t`Revoke`}
      </MenuItem>
    </Menu>
  );
};

const BoardDialogs = ({ opened, onClose }: { opened: Opened | null; onClose: () => void }) => {
  const dates = useDates();
  const [rotated, setRotated] = useState<RotatedToken | null>(null);
  const deviceOf = (dialog: Opened['dialog']) => (opened?.dialog === dialog ? opened.device : null);
  const machineOf = (dialog: Opened['dialog']) => {
    const device = deviceOf(dialog);
    return device === null ? null : { id: device.machine_id, display_name: device.display_name };
  };
  return (
    <>
      <BoardConfigDialog machine={machineOf('settings')} onClose={onClose} />
      <ArtisanFilesDialog device={deviceOf('files')} onClose={onClose} />
      <PairMachineDialog machine={machineOf('pairing')} onClose={onClose} />
      <ConfirmDialog
        thing={deviceOf('revoke')}
        onClose={onClose}
        title={() => t`Revoke the board`}
        question={(device) =>
          t`The board of ${device.display_name} is disconnected at once and can’t connect until it is paired again. It continues to record and keeps its journal.`
        }
        confirmLabel={t`Revoke`}
        onConfirm={revokeBoard}
      />
      <ConfirmDialog
        thing={deviceOf('restore')}
        onClose={onClose}
        title={() => t`Restore history`}
        question={(device) => restoreQuestion(device, dates.day)}
        confirmLabel={t`Restore`}
        danger={false}
        onConfirm={restoreBoardHistory}
      />
      <ConfirmDialog
        thing={deviceOf('rotate')}
        onClose={onClose}
        title={() => t`Rotate token`}
        question={(device) =>
          t`${device.display_name} gets a new machine token, which is shown only once. The current one stays valid for ${overlapHours} hours.`
        }
        confirmLabel={t`Rotate`}
        danger={false}
        onConfirm={(device) => rotateToken(device, setRotated)}
      />
      <RotatedTokenDialog rotated={rotated} onDone={() => setRotated(null)} />
    </>
  );
};
