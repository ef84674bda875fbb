import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { isMissing } from '../atomic-file.ts';

/** systemd-timesyncd touches it once the clock has been set in this boot. */
const timesyncMark = '/run/systemd/timesync/synchronized';
/** A clock this near to the server's counts as synchronised: HTTP answers take that long on a bad line. */
const closeEnoughMs = 2000;

const markExists = async (): Promise<boolean> => {
  try {
    await access(timesyncMark);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** What systemd says (it asks the kernel, so chrony and ntpd count too); undefined without systemd. */
const systemdSays = (): Promise<boolean | undefined> =>
  new Promise((resolve) => {
    execFile('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], { timeout: 5000 }, (error, output) => {
      const word = output.trim();
      resolve(error || (word !== 'yes' && word !== 'no') ? undefined : word === 'yes');
    });
  });

/**
 * Whether the wall clock can be trusted: by the board itself, else by comparison with the server.
 * @param serverOffsetMs server time minus ours, undefined while the server hasn't been reached
 */
export const isClockSynced = async (serverOffsetMs: number | undefined): Promise<boolean> => {
  if (await markExists()) return true;
  if ((await systemdSays()) === true) return true;
  return serverOffsetMs !== undefined && Math.abs(serverOffsetMs) <= closeEnoughMs;
};
