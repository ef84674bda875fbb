import type { BoardUpdates } from '@roastery/contract/board-updates';
import type { Device, DeviceWarning, PairingTicket, TicketState } from '@roastery/contract/fleet';
import { lacksMap } from '@roastery/contract/mqtt';
import { formatBytes, formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import type { Tone } from '../../ui/Badge.tsx';

/** Labels of the warnings, short enough for a badge. */
export const warningLabels: Readonly<Record<DeviceWarning, string>> = {
  no_credential: t`No credential`,
  offline: t`Offline`,
  machine_link: t`No answer from machine`,
  no_map: t`No map`,
  config_refused: t`Settings refused`,
  update_turned_back: t`Update rolled back`,
  update_failed: t`Update failed`,
  journal_waiting: t`Journal waiting`,
  journal_dropped: t`Journal lost entries`,
  history_sealed: t`History sealed`,
  clock: t`Clock not set`,
  disk: t`Disk nearly full`,
  disk_refuses_writes: t`Disk not writable`,
  credential_shared: t`Two boards use this credential`,
};

/** Warnings about lost data or a board that can't connect. */
export const isGrave = (warning: DeviceWarning): boolean =>
  warning === 'no_credential' ||
  warning === 'journal_dropped' ||
  warning === 'disk' ||
  warning === 'disk_refuses_writes' ||
  warning === 'credential_shared';

export const ticketLabels: Readonly<Record<TicketState, { label: string; tone: Tone }>> = {
  pending: { label: t`Pending`, tone: 'accent' },
  paired: { label: t`Paired`, tone: 'success' },
  confirmed: { label: t`Paired`, tone: 'success' },
  expired: { label: t`Expired`, tone: 'neutral' },
  revoked: { label: t`Revoked`, tone: 'neutral' },
};

/** Whether a board is paired. A used ticket does not count when its credential has ended. */
export const pairingLabels = ({
  ticket,
  credential,
}: {
  ticket: Pick<PairingTicket, 'state'> | null;
  credential: Device['credential'];
}): { label: string; tone: Tone } | null => {
  if (ticket === null) return null;
  const wasUsed = ticket.state === 'paired' || ticket.state === 'confirmed';
  return wasUsed && credential === null ? { label: t`Ended`, tone: 'warning' } : ticketLabels[ticket.state];
};

const none = '--';

export const mapText = ({ map, source }: Pick<Device, 'map' | 'source'>): string =>
  source !== null ? t`Artisan` : map === null ? none : `${map.id} · rev ${map.rev}`;

/** The results of Artisan's files, below its name; null without a watched folder. */
export const filesText = ({ source }: Pick<Device, 'source'>): string | null => {
  const files = source?.files ?? null;
  if (files === null) return null;
  return [
    t`Files: ${formatCount(files.sent)} imported`,
    files.refused > 0 ? t`${formatCount(files.refused)} refused` : '',
    files.waiting > 0 ? t`${formatCount(files.waiting)} waiting` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
};

/** The progress of an ordered update, below the version; null if it has succeeded or is on trial. */
const orderText = ({ version, state, reason }: NonNullable<Device['order']>): string | null => {
  if (state === 'wanted') return t`Update to ${version} requested`;
  if (state === 'waiting') return t`Update to ${version} waits for the end of the roast`;
  if (state === 'fetching') return t`Installing ${version}`;
  if (state === 'failed') return reason === null ? t`Update to ${version} failed` : t`Update failed: ${reason}`;
  return null;
};

/** Result of the newest update, below the version; undefined once it is accepted. */
export const updateText = ({ update, order }: Pick<Device, 'update' | 'order'>): string | null => {
  const ordered = order === null ? null : orderText(order);
  if (ordered !== null) return ordered;
  if (update === null || update.state === 'good') return null;
  if (update.state === 'on_trial') return t`On trial`;
  if (update.state === 'waiting') return t`${update.installed} starts after the roast`;
  if (update.state === 'unfinished') return t`Update to ${update.installed} was not completed`;
  return update.reason === undefined
    ? t`Rolled back from ${update.installed}`
    : t`Rolled back from ${update.installed}: ${update.reason}`;
};

export const linkText = (device: Pick<Device, 'machine_link' | 'machine_link_detail' | 'map' | 'source'>): string => {
  const { machine_link: link, source } = device;
  if (lacksMap(device)) return t`No map: choose one under Map and settings`;
  if (source !== null && link === 'failing') return source.live ? t`No readings from Artisan` : t`No files`;
  return link === null ? none : { ok: t`Good`, failing: t`No answer`, starting: t`Starting` }[link];
};

export const journalText = ({ journal }: Pick<Device, 'journal'>): string =>
  journal === null ? none : t`${formatCount(journal.entries_waiting)} waiting`;

export const clockText = ({ clock_synced: synced }: Pick<Device, 'clock_synced'>): string =>
  synced === null ? none : synced ? t`Set` : t`Not set`;

/** `7.4 GB free`, decimal units as on memory cards. */
export const diskText = ({ disk_free_bytes: free, journal }: Pick<Device, 'disk_free_bytes' | 'journal'>): string => {
  const inMemory = journal?.entries_in_memory ?? null;
  if (inMemory === 1) return t`Board keeps 1 reading in memory: its disk is not writable`;
  if (inMemory !== null) return t`Board keeps ${formatCount(inMemory)} readings in memory: its disk is not writable`;
  return free === null ? none : t`${formatBytes(free)} free`;
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
  if (sealed === null) return t`The board of ${name} holds no sealed history.`;
  const entries = formatCount(sealed.entries);
  const whose = owner ?? t`the owner of this machine`;
  return sealed.from === null || sealed.to === null
    ? t`The board of ${name} holds ${entries} entries that it recorded for another owner or before this server knew it. Restore them only if they belong to ${whose}, who will see these roasts.`
    : t`The board of ${name} holds ${entries} entries from ${day(sealed.from)} to ${day(sealed.to)} that it recorded for another owner or before this server knew it. Restore them only if they belong to ${whose}, who will see these roasts.`;
};

/** Where a board was paired from: the address and the name it reported. */
export const pairedFrom = ({
  redeemed_from: from,
  hardware_id: hardware,
}: Pick<PairingTicket, 'redeemed_from' | 'hardware_id'>): string =>
  [from, hardware].filter((part) => part !== null).join(' · ') || none;

/** How many boards run the version of this server, as one line. */
export const updatesText = (of: Omit<BoardUpdates, 'version' | 'ready'>): string =>
  [
    t`${formatCount(of.updated)} of ${formatCount(of.boards)} updated`,
    of.under_way > 0 ? t`${formatCount(of.under_way)} in progress` : null,
    of.turned_back > 0 ? t`${formatCount(of.turned_back)} rolled back` : null,
    of.failed > 0 ? t`${formatCount(of.failed)} failed` : null,
    of.by_hand > 0 ? t`${formatCount(of.by_hand)} only by hand` : null,
  ]
    .filter((part) => part !== null)
    .join(', ');
