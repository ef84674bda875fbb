import { slowLineRemedy, slowReadingSentence } from '../core/line-pace.ts';
import { updateSummary } from '../update/update-state.ts';
import type { BoardStatus, Concern } from './board-status.ts';
import { programOf } from './programs.ts';

/** Below this the journal soon has no room: it may grow by this much in a week offline. */
export const lowDiskBytes = 256 * 1_048_576;
/** An occasional reconnect is not reported. */
const shortAwayMs = 60_000;
/** A reading of this age is ignored; the slowest map reads every 10 s. */
const oldReadingMs = 15_000;

const minutes = (ms: number): string => {
  const whole = Math.round(ms / 60_000);
  return whole === 1 ? '1 minute' : `${whole} minutes`;
};

/** The effect of a disk that accepts no writes on the current readings, and what to do. */
export const aboutJournal = (
  { trouble, in_memory: inMemory, entries_in_memory: count }: BoardStatus['journal'],
  isOnline: boolean,
): Concern => {
  const where = inMemory ? `The board keeps ${count} readings in memory` : 'Readings wait in memory';
  const sent = isOnline ? 'sends them from there' : 'sends them when it is online again';
  return {
    urgency: 'trouble',
    says: `The disk does not accept writes: ${trouble ?? 'no reason given'}. ${where} and ${sent}.`,
    todo: 'Free some space (sudo journalctl --vacuum-size=50M) or replace the card. If the power fails first, unsent readings are lost.',
  };
};

/** The status of a board without a machine map, and what to do. */
export const noMapYet = {
  says: 'No machine map yet: choose one in the portal.',
  todo: 'In the portal: Machines, “Map and settings” of this machine. The board then reads at once, without a restart.',
} as const;

/** What to say when the map looks as if it had exchanged the two temperatures. */
export const aboutExchangedChannels = (roasts: number) =>
  ({
    says: `Bean and exhaust temperature look exchanged in the machine map: ${roasts} roasts in a row agree.`,
    todo: 'Compare both with the display of the machine. In the portal: Machines, “Map and settings” of this machine, and exchange the registers of bean_temp and exhaust_temp.',
  }) as const;

/** All problems, the most urgent first; empty without any. */
export const concernsOf = (board: BoardStatus): Concern[] => {
  const found: Concern[] = [];
  const { machine, journal, uplink, clock, disk, map } = board;
  const program = programOf(board);
  if (program !== undefined) found.push(...program.concerns);
  else if (map === null)
    found.push({
      ...noMapYet,
      urgency: 'trouble',
      says: machine.detail === null ? noMapYet.says : `No machine map yet: ${machine.detail}.`,
    });
  else if (machine.state === 'failing')
    found.push({
      urgency: 'trouble',
      says: `The machine does not answer at ${machine.line}${machine.detail === null ? '' : `: ${machine.detail}`}.`,
      todo: 'Check that the machine is on and its cable is plugged in at both ends. The agent retries automatically.',
    });
  else if (machine.state === 'ok' && (board.values_age_ms ?? 0) > oldReadingMs)
    found.push({
      urgency: 'trouble',
      says: `The newest reading is ${Math.round((board.values_age_ms ?? 0) / 1000)} s old.`,
      todo: 'Restart the agent: sudo systemctl restart roastery-agent. If it happens again, send a support bundle.',
    });
  const silent = board.values.filter(({ value }) => value === null).map(({ channel }) => channel);
  if (program === undefined && machine.state === 'ok' && silent.length > 0)
    found.push({
      urgency: 'warning',
      says: `No valid value from ${machine.detail ?? silent.join(', ')}.`,
      todo: 'Check that the probe is plugged in. If the machine has no such probe, remove the channel from the machine map.',
    });
  if (map !== null && machine.state === 'ok' && machine.reached_hz !== null)
    found.push({
      urgency: 'warning',
      says: slowReadingSentence(machine.reached_hz, map.hz),
      todo: slowLineRemedy,
    });
  if (board.channels_exchanged !== null)
    found.push({ ...aboutExchangedChannels(board.channels_exchanged), urgency: 'warning' });
  if (journal.trouble !== null) found.push(aboutJournal(journal, uplink.connected));
  if (journal.streams_awaiting_owner > 0)
    found.push({
      urgency: 'warning',
      says: 'History from before this board was paired again is not sent: the server has not confirmed its owner. New readings are sent.',
      todo: 'It is sent once the server confirms the same owner. If this message stays, update the server.',
    });
  if (!uplink.connected && board.now - uplink.since > shortAwayMs)
    found.push({
      urgency: 'warning',
      says: `No connection to the server for ${minutes(board.now - uplink.since)}${uplink.reason === null ? '' : `: ${uplink.reason}`}. Recording continues; ${journal.entries_waiting} entries wait on this board.`,
      todo: 'sudo device-agent doctor shows which part fails: network, TLS, credential or broker.',
    });
  if (!clock.synced)
    found.push({
      urgency: 'warning',
      says: 'The clock is not synchronized. Roast times are corrected once it is.',
      todo: 'Set it over the network: sudo timedatectl set-ntp true',
    });
  if (disk.free_bytes !== null && disk.free_bytes < lowDiskBytes)
    found.push({
      urgency: 'warning',
      says: `Only ${Math.round(disk.free_bytes / 1_048_576)} MiB are free on the disk of the journal.`,
      todo: 'Free some space: sudo journalctl --vacuum-size=50M; sudo apt-get clean',
    });
  if (journal.dropped_entries > 0)
    found.push({
      urgency: 'warning',
      says: `${journal.dropped_entries} entries were dropped because the journal was full.`,
      todo: 'Bring the board back online before its journal is full, or raise JOURNAL_CAP_MIB.',
    });
  const update = updateSummary(board.update);
  if (update?.todo !== undefined) found.push({ urgency: 'warning', says: update.says, todo: update.todo });
  return found.toSorted((a, b) => Number(b.urgency === 'trouble') - Number(a.urgency === 'trouble'));
};
