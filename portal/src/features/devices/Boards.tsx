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

/** The board of every machine with the status it reported. */
export const Boards = () => {
  const [configured, setConfigured] = useState<Device | null>(null);
  const [filed, setFiled] = useState<Device | null>(null);
  const [paired, setPaired] = useState<Device | null>(null);
  const [revoked, setRevoked] = useState<Device | null>(null);
  const navigate = useNavigate();
  const [restored, setRestored] = useState<Device | null>(null);
  const dates = useDates();
  const [rotating, setRotating] = useState<Device | null>(null);
  const [rotated, setRotated] = useState<RotatedToken | null>(null);
  const list = useListPage(listDevices, {
    input: (query) => ({ query }),
    rows: ({ devices }) => devices,
    total: ({ total }) => total,
    rowId: (row) => row.machine_id,
    pageSize: 50,
    refreshInterval: pollIntervalMs,
  });
  const version = useApi(getBoardUpdates, {}).data?.version ?? null;
  const canUpdate = (device: Device): boolean =>
    device.takes_orders &&
    device.agent_version !== version &&
    !(isUnderWay(device) && device.order?.version === version);
  return (
    <>
      <UpdatesBar refreshInterval={pollIntervalMs} />
      <DataTable
        {...list.table}
        label={t`Devices`}
        columns={deviceColumns}
        rowLabel={(device) => device.display_name}
        rowActions={(device) => (
          <Menu trigger={<IconButton label={t`Actions for ${device.display_name}`} icon={<Ellipsis aria-hidden />} />}>
            <MenuItem icon={<SlidersHorizontal aria-hidden />} onSelect={() => setConfigured(device)}>
              {t`Map and settings`}
            </MenuItem>
            <MenuItem
              icon={<ScanSearch aria-hidden />}
              onSelect={() => void navigate(paths.probeMachine(device.machine_id))}
            >
              {t`Find registers`}
            </MenuItem>
            <MenuItem icon={<TicketPlus aria-hidden />} onSelect={() => setPaired(device)}>
              {t`Pair the board`}
            </MenuItem>
            <MenuItem icon={<KeyRound aria-hidden />} onSelect={() => setRotating(device)}>
              {t`Rotate token`}
            </MenuItem>
            {device.source !== null && device.source.files !== null && (
              <MenuItem icon={<Files aria-hidden />} onSelect={() => setFiled(device)}>
                {t`Artisan files`}
              </MenuItem>
            )}
            {canUpdate(device) && version !== null && (
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
              <MenuItem icon={<History aria-hidden />} onSelect={() => setRestored(device)}>
                {t`Restore history`}
              </MenuItem>
            )}
            <MenuSeparator />
            <MenuItem
              icon={<Unplug aria-hidden />}
              danger
              disabled={device.credential === null}
              onSelect={() => setRevoked(device)}
            >
              {t`Revoke`}
            </MenuItem>
          </Menu>
        )}
        empty={
          <EmptyState icon={<CircuitBoard aria-hidden />} title={t`No boards found`}>
            {t`Every registered machine is listed here.`}
          </EmptyState>
        }
      />
      <BoardConfigDialog
        machine={configured === null ? null : { id: configured.machine_id, display_name: configured.display_name }}
        onClose={() => setConfigured(null)}
      />
      <ArtisanFilesDialog device={filed} onClose={() => setFiled(null)} />
      <PairMachineDialog
        machine={paired === null ? null : { id: paired.machine_id, display_name: paired.display_name }}
        onClose={() => setPaired(null)}
      />
      <ConfirmDialog
        thing={revoked}
        onClose={() => setRevoked(null)}
        title={() => t`Revoke the board`}
        question={(device) =>
          t`The board of ${device.display_name} is disconnected at once and can’t connect until it is paired again. It continues to record and keeps its journal.`
        }
        confirmLabel={t`Revoke`}
        onConfirm={revokeBoard}
      />
      <ConfirmDialog
        thing={restored}
        onClose={() => setRestored(null)}
        title={() => t`Restore history`}
        question={(device) => restoreQuestion(device, dates.day)}
        confirmLabel={t`Restore`}
        danger={false}
        onConfirm={restoreBoardHistory}
      />
      <ConfirmDialog
        thing={rotating}
        onClose={() => setRotating(null)}
        title={() => t`Rotate token`}
        question={(device) =>
          t`${device.display_name} gets a new machine token, which is shown only once. The current one stays valid for ${overlapHours} hours.`
        }
        confirmLabel={t`Rotate`}
        danger={false}
        onConfirm={async (device) => setRotated(await rotateToken(device))}
      />
      <RotatedTokenDialog rotated={rotated} onDone={() => setRotated(null)} />
    </>
  );
};
