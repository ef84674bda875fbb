import { getBoardUpdates, orderBoardUpdates, withdrawBoardUpdates } from '@roastery/contract/board-updates';
import {
  listDevices,
  listPairingTickets,
  revokeCredential,
  restoreHistory,
  revokePairingTicket,
  rotateCredential,
  type Device,
  type PairingTicket,
} from '@roastery/contract/fleet';
import {
  discardQuarantined,
  listQuarantined,
  replayQuarantined,
  type Quarantined,
} from '@roastery/contract/quarantine';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { call } from '../../api/call.ts';
import { attempt } from '../../components/attempt.ts';
import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';

export type RotatedToken = ResponseOf<typeof rotateCredential>;

/** How long the previous token stays valid after a rotation. */
export const overlapHours = 24;

const machineOf = (device: Device) => ({ params: { id: device.machine_id } });

export const revokeBoard = (device: Device): Promise<unknown> =>
  attempt(
    async () => {
      await call(revokeCredential, machineOf(device));
      toast(t`The board of ${device.display_name} is revoked`);
    },
    t`Failed to revoke the board`,
    [listDevices, listPairingTickets],
  );

export const restoreBoardHistory = (device: Device): Promise<unknown> =>
  attempt(
    async () => {
      const epochs = device.sealed_history?.epochs ?? [];
      await call(restoreHistory, { ...machineOf(device), body: { epochs } });
      toast(t`The board of ${device.display_name} sends its history`);
    },
    t`Failed to restore the history`,
    [listDevices],
  );

/** @param show shows the token, once */
export const rotateToken = (device: Device, show: (token: RotatedToken) => void): Promise<unknown> =>
  attempt(
    async () => show(await call(rotateCredential, { ...machineOf(device), body: { overlap_hours: overlapHours } })),
    t`Failed to rotate the token`,
    [listDevices],
  );

type Boards = readonly Pick<Device, 'machine_id'>[];
const named = <Group extends string>(boards: Group | Boards) =>
  typeof boards === 'string' ? boards : boards.map(({ machine_id: id }) => id);

/** Orders the update of these boards to the version that was shown. */
export const orderUpdates = (version: string, boards: 'tenth' | 'all' | Boards): Promise<unknown> =>
  attempt(
    async () => {
      await call(orderBoardUpdates, { body: { version, boards: named(boards) } });
      toast(t`Update to ${version} requested`, { detail: t`Boards install it between two roasts.` });
    },
    t`Failed to request the update`,
    [listDevices, getBoardUpdates],
  );

export const withdrawUpdates = (boards: 'all' | Boards): Promise<unknown> =>
  attempt(
    async () => {
      await call(withdrawBoardUpdates, { body: { boards: named(boards) } });
      toast(t`Requests withdrawn`);
    },
    t`Failed to withdraw the requests`,
    [listDevices, getBoardUpdates],
  );

export const replayMessage = (message: Quarantined): Promise<unknown> =>
  attempt(
    async () => {
      const { samples, events } = await call(replayQuarantined, { params: { id: message.id } });
      toast(t`Stored ${formatCount(samples)} samples and ${formatCount(events)} events`);
    },
    t`Failed to replay the message`,
    [listQuarantined],
  );

export const discardMessage = (message: Quarantined): Promise<unknown> =>
  attempt(
    async () => {
      await call(discardQuarantined, { params: { id: message.id } });
      toast(t`The message was discarded`);
    },
    t`Failed to discard the message`,
    [listQuarantined],
  );

export const revokeTicket = (ticket: PairingTicket): Promise<unknown> =>
  attempt(
    async () => {
      await call(revokePairingTicket, { params: { id: ticket.id } });
      toast(t`The ticket for ${ticket.display_name} is revoked`);
    },
    t`Failed to revoke the ticket`,
    [listDevices, listPairingTickets],
  );
