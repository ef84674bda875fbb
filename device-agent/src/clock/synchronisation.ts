import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { isMissing } from '../atomic-file.ts';

/** systemd-timesyncd touches it once the clock has been set in this boot. */
const timesyncMark = '/run/systemd/timesync/synchronized';
/** A clock this close to the server's counts as synchronised: HTTP answers take this long on a bad network. */
const closeEnoughMs = 2000;

/** Whether systemd-timesyncd has received an answer since it started. */
export const hasTimesyncMark = async (): Promise<boolean> => {
  try {
    await access(timesyncMark);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** systemd's answer (it queries the kernel, so chrony and ntpd count too); undefined without systemd. */
const systemdSays = (): Promise<boolean | undefined> =>
  new Promise((resolve) => {
    execFile('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], { timeout: 5000 }, (error, output) => {
      const word = output.trim();
      resolve(error || (word !== 'yes' && word !== 'no') ? undefined : word === 'yes');
    });
  });

const isNear = (serverOffsetMs: number | undefined): boolean =>
  serverOffsetMs !== undefined && Math.abs(serverOffsetMs) <= closeEnoughMs;

export interface ServerTime {
  /** Server time minus ours at the newest answer; undefined before the first. */
  offsetMs(): number | undefined;
  /** Requests it again; undefined when the server can't be reached. */
  ask(): Promise<unknown>;
}

/**
 * Whether the wall clock is reliable now. After a step only the server can confirm it: the marks of this board, and the
 * server's newest answer, are older. Undefined when nothing new is known.
 */
export const checkSynchronised = async (hasStepped: boolean, server: ServerTime): Promise<boolean | undefined> => {
  if (hasStepped) {
    if ((await server.ask()) === undefined) return undefined;
    return isNear(server.offsetMs()) ? true : undefined;
  }
  if (await isClockSynced(server.offsetMs())) return true;
  await server.ask();
  return isClockSynced(server.offsetMs());
};

/**
 * Whether the wall clock is reliable: according to the board itself, else by comparison with the server. @param
 * serverOffsetMs server time minus ours, undefined while the server has not been reached
 */
export const isClockSynced = async (serverOffsetMs: number | undefined): Promise<boolean> => {
  if (await hasTimesyncMark()) return true;
  if ((await systemdSays()) === true) return true;
  return isNear(serverOffsetMs);
};
