import { isClockSynced } from '../clock/synchronisation.ts';
import { good, notConfigured, trouble, warning, type Check } from './check.ts';

/** The server sends its time in whole seconds. */
const toleratedMs = 5000;
const wrongMs = 120_000;

const apart = (ms: number): string => {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
};

const setIt =
  'Set it over the network: sudo timedatectl set-ntp true. Without a time server: sudo timedatectl set-time "YYYY-MM-DD HH:MM:SS"';

/** Checks that the board's clock is set, and its difference from the server's. */
export const checkClock: Check = {
  name: 'clock',
  async run(board) {
    if (!board.config) return notConfigured;
    const answer = await board.api();
    const ahead = answer.kind === 'answered' ? answer.clockAheadMs : undefined;
    if (ahead !== undefined && Math.abs(ahead) > toleratedMs) {
      const says = `The clock of this board is ${apart(ahead)} ${ahead > 0 ? 'behind' : 'ahead of'} the server's.`;
      return Math.abs(ahead) > wrongMs ? trouble(says, setIt) : warning(says, setIt);
    }
    if (await isClockSynced(ahead))
      return good(ahead === undefined ? 'set by a time server' : 'set, and the same as the server’s');
    return warning(
      `The clock of this board is not synchronized; it shows ${new Date().toISOString().slice(0, 19)} UTC. Roasts are recorded, and their dates are corrected once it is.`,
      setIt,
    );
  },
};
