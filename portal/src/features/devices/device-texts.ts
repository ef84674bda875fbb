import type { Device, DeviceWarning, PairingTicket, TicketState } from '@roastery/contract/fleet';
import { lacksMap } from '@roastery/contract/mqtt';
import { formatBytes, formatCount, formatCounted } from '../../format/numbers.ts';
import type { Tone } from '../../ui/Badge.tsx';

/** Labels of the warnings, short enough for a badge. */
export const warningWords: Readonly<Record<DeviceWarning, string>> = {
  no_credential: 'No credential',
  offline: 'Offline',
  machine_link: 'No answer from machine',
  no_map: 'No map',
  config_refused: 'Map refused',
  update_turned_back: 'Update rolled back',
  journal_waiting: 'Journal waiting',
  journal_dropped: 'Journal lost entries',
  history_sealed: 'History sealed',
  clock: 'Clock not set',
  disk: 'Disk nearly full',
  disk_refuses_writes: 'Disk accepts no writes',
  credential_shared: 'Two boards use this credential',
};

/** Warnings about lost data or a board that can't connect. */
export const isGrave = (warning: DeviceWarning): boolean =>
  warning === 'no_credential' ||
  warning === 'journal_dropped' ||
  warning === 'disk' ||
  warning === 'disk_refuses_writes' ||
  warning === 'credential_shared';

export const ticketWords: Readonly<Record<TicketState, { label: string; tone: Tone }>> = {
  pending: { label: 'Pending', tone: 'accent' },
  paired: { label: 'Paired', tone: 'success' },
  confirmed: { label: 'Paired', tone: 'success' },
  expired: { label: 'Expired', tone: 'neutral' },
  revoked: { label: 'Revoked', tone: 'neutral' },
};

/** Whether a board is paired. A used ticket does not count when its credential has ended. */
export const pairingWords = ({
  ticket,
  credential,
}: {
  ticket: Pick<PairingTicket, 'state'> | null;
  credential: Device['credential'];
}): { label: string; tone: Tone } | null => {
  if (ticket === null) return null;
  const wasUsed = ticket.state === 'paired' || ticket.state === 'confirmed';
  return wasUsed && credential === null ? { label: 'Ended', tone: 'warning' } : ticketWords[ticket.state];
};

const none = '--';

export const mapText = ({ map }: Pick<Device, 'map'>): string => (map === null ? none : `${map.id} · rev ${map.rev}`);

/** Result of the newest update, below the version; undefined once it is accepted. */
export const updateText = ({ update }: Pick<Device, 'update'>): string | null => {
  if (update === null || update.state === 'good') return null;
  if (update.state === 'on_trial') return 'On trial';
  if (update.state === 'waiting') return `${update.installed} starts after the roast`;
  if (update.state === 'unfinished') return `Update to ${update.installed} was not finished`;
  return `Rolled back from ${update.installed}${update.reason === undefined ? '' : `: ${update.reason}`}`;
};

export const linkText = (device: Pick<Device, 'machine_link' | 'machine_link_detail' | 'map'>): string => {
  const { machine_link: link } = device;
  if (lacksMap(device)) return 'No map: choose one under Map and settings';
  return link === null ? none : { ok: 'Good', failing: 'No answer', starting: 'Starting' }[link];
};

export const journalText = ({ journal }: Pick<Device, 'journal'>): string =>
  journal === null ? none : `${formatCount(journal.entries_waiting)} waiting`;

export const clockText = ({ clock_synced: synced }: Pick<Device, 'clock_synced'>): string =>
  synced === null ? none : synced ? 'Set' : 'Not set';

/** `7.4 GB free`, decimal units as on memory cards. */
export const diskText = ({ disk_free_bytes: free, journal }: Pick<Device, 'disk_free_bytes' | 'journal'>): string => {
  const inMemory = journal?.entries_in_memory ?? null;
  if (inMemory !== null)
    return `Board keeps ${formatCounted(inMemory, 'reading')} in memory: its disk does not accept writes`;
  return free === null ? none : `${formatBytes(free)} free`;
};

/** The question before restoring the history. */
export const restoreQuestion = (
  {
    display_name: name,
    owner_name: owner,
    sealed_history: sealed,
  }: Pick<Device, 'display_name' | 'owner_name' | 'sealed_history'>,
  day: (instant: string) => string,
): string => {
  if (sealed === null) return `The board of ${name} holds no sealed history.`;
  const when = sealed.from === null || sealed.to === null ? '' : ` from ${day(sealed.from)} to ${day(sealed.to)}`;
  return `The board of ${name} holds ${formatCount(sealed.entries)} entries${when} that it recorded for another owner or before this server knew it. Restore them only if they belong to ${owner ?? 'the owner of this machine'}, who will see these roasts.`;
};

/** Where a board was paired from: the address and the name it reported. */
export const pairedFrom = ({
  redeemed_from: from,
  hardware_id: hardware,
}: Pick<PairingTicket, 'redeemed_from' | 'hardware_id'>): string =>
  [from, hardware].filter((part) => part !== null).join(' · ') || none;
