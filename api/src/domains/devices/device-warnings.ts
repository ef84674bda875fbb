import type { Device, DeviceWarning } from '@roastery/contract/fleet';
import { lacksMap } from '@roastery/contract/mqtt';

/** Ten minutes at 4 Hz: more than a short network outage leaves behind. */
const manyEntries = 2400;
/** A journal of the usual cap (256 MiB) no longer fits. */
const littleDiskBytes = 300 * 1_048_576;

/** The board does not run the version that was installed. */
const unfinished: ReadonlySet<string> = new Set(['turned_back', 'unfinished']);

/** Warnings, worst first. A board that has never connected only has warnings of its pairing. */
export const warningsOf = (device: Omit<Device, 'warnings'>): DeviceWarning[] => {
  const { journal } = device;
  const signs: [DeviceWarning, boolean][] = [
    ['no_credential', device.credential === null],
    ['credential_shared', device.credential_shared],
    ['journal_dropped', (journal?.dropped_entries ?? 0) > 0],
    ['disk_refuses_writes', journal !== null && journal.entries_in_memory !== null],
    ['disk', device.disk_free_bytes !== null && device.disk_free_bytes < littleDiskBytes],
    ['machine_link', device.machine_link === 'failing'],
    ['no_map', lacksMap(device)],
    ['config_refused', device.config.state === 'refused' || device.config.state === 'reverted'],
    ['update_turned_back', device.update !== null && unfinished.has(device.update.state)],
    ['update_failed', device.order?.state === 'failed'],
    ['offline', device.connection === 'offline'],
    ['journal_waiting', (journal?.entries_waiting ?? 0) > manyEntries],
    ['history_sealed', device.sealed_history !== null],
    ['clock', device.clock_synced === false],
  ];
  return signs.filter(([, holds]) => holds).map(([warning]) => warning);
};
