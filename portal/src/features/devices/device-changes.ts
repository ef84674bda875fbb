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
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';

export type RotatedToken = ResponseOf<typeof rotateCredential>;

/** How long the previous token stays valid after a rotation. */
export const overlapHours = 24;

const showFailure = (error: unknown, otherwise: string): void =>
  toast(sentenceFor(error, otherwise), { tone: 'danger' });

export const revokeBoard = async (device: Device): Promise<void> => {
  try {
    await call(revokeCredential, { params: { id: device.machine_id } });
    toast(t`The board of ${device.display_name} is revoked`);
  } catch (error) {
    showFailure(error, t`Failed to revoke the board`);
  } finally {
    await refresh(listDevices, listPairingTickets);
  }
};

export const restoreBoardHistory = async (device: Device): Promise<void> => {
  try {
    const epochs = device.sealed_history?.epochs ?? [];
    await call(restoreHistory, { params: { id: device.machine_id }, body: { epochs } });
    toast(t`The board of ${device.display_name} sends its history`);
  } catch (error) {
    showFailure(error, t`Failed to restore the history`);
  } finally {
    await refresh(listDevices);
  }
};

export const rotateToken = async (device: Device): Promise<RotatedToken | null> => {
  try {
    return await call(rotateCredential, {
      params: { id: device.machine_id },
      body: { overlap_hours: overlapHours },
    });
  } catch (error) {
    showFailure(error, t`Failed to rotate the token`);
    return null;
  } finally {
    await refresh(listDevices);
  }
};

/** Orders the update of these boards to the version that was shown. */
export const orderUpdates = async (
  version: string,
  boards: 'tenth' | 'all' | readonly Pick<Device, 'machine_id'>[],
): Promise<void> => {
  try {
    const named = typeof boards === 'string' ? boards : boards.map(({ machine_id: id }) => id);
    await call(orderBoardUpdates, { body: { version, boards: named } });
    toast(t`Update to ${version} requested`, { detail: t`Boards install it between two roasts.` });
  } catch (error) {
    showFailure(error, t`Failed to request the update`);
  } finally {
    await refresh(listDevices, getBoardUpdates);
  }
};

export const withdrawUpdates = async (boards: 'all' | readonly Pick<Device, 'machine_id'>[]): Promise<void> => {
  try {
    const named = typeof boards === 'string' ? boards : boards.map(({ machine_id: id }) => id);
    await call(withdrawBoardUpdates, { body: { boards: named } });
    toast(t`Requests withdrawn`);
  } catch (error) {
    showFailure(error, t`Failed to withdraw the requests`);
  } finally {
    await refresh(listDevices, getBoardUpdates);
  }
};

export const replayMessage = async (message: Quarantined): Promise<void> => {
  try {
    const { samples, events } = await call(replayQuarantined, { params: { id: message.id } });
    toast(t`Stored ${formatCount(samples)} samples and ${formatCount(events)} events`);
  } catch (error) {
    showFailure(error, t`Failed to replay the message`);
  } finally {
    await refresh(listQuarantined);
  }
};

export const discardMessage = async (message: Quarantined): Promise<void> => {
  try {
    await call(discardQuarantined, { params: { id: message.id } });
    toast(t`The message was discarded`);
  } catch (error) {
    showFailure(error, t`Failed to discard the message`);
  } finally {
    await refresh(listQuarantined);
  }
};

export const revokeTicket = async (ticket: PairingTicket): Promise<void> => {
  try {
    await call(revokePairingTicket, { params: { id: ticket.id } });
    toast(t`The ticket for ${ticket.display_name} is revoked`);
  } catch (error) {
    showFailure(error, t`Failed to revoke the ticket`);
  } finally {
    await refresh(listDevices, listPairingTickets);
  }
};
