import { createHash } from 'node:crypto';
import { readFileIfThere } from '../atomic-file.ts';

/** The maker's serial number of a board, as the kernel reads it from the device tree. */
const deviceTreePath = '/proc/device-tree/serial-number';
const machineIdPath = '/etc/machine-id';

/**
 * Tells this board from others for people who look at pairings: the maker's serial number, else a hash of the machine id,
 * which systemd asks to keep to the machine itself.
 */
export const readHardwareId = async (): Promise<string> => {
  const serial = (await readFileIfThere(deviceTreePath))?.replaceAll(/[^\w-]/g, '') ?? '';
  if (serial !== '') return `board-${serial}`.slice(0, 80);
  const machineId = (await readFileIfThere(machineIdPath))?.trim() ?? '';
  if (machineId === '') return 'unknown';
  return `host-${createHash('sha256').update(`roastery-agent ${machineId}`).digest('hex').slice(0, 16)}`;
};
