import { join } from 'node:path';
import type { Logger } from '@roastery/runtime/logger';
import { readFileIfThere, writeFileAtomically } from './atomic-file.ts';
import { hasTimesyncMark } from './clock/synchronisation.ts';
import { readClaim, valuesIn } from './update/update-state.ts';

/** `waiting`: none has answered yet. `refused`: this board can't use any, with the reason. */
export type TimeServersState =
  | { readonly state: 'answered' | 'waiting' }
  | { readonly state: 'refused'; readonly reason: string };

/** The text of `deploy/board/time-servers` if it set nothing. */
const refusals: Readonly<Record<string, string>> = {
  missing: 'systemd-timesyncd is not installed on this board: set the time servers in the program that sets its clock',
  off: 'systemd-timesyncd is not running on this board: another program sets its clock, or it was disabled',
};
const noRootPart = 'the agent was not installed as a package, so it cannot set time servers';

/**
 * Passes the portal's time servers to the root part of the package, as a request in the service's runtime directory. An
 * agent that was not installed as a package has no such part.
 */
export const createTimeServers = (env: NodeJS.ProcessEnv, log: Logger) => {
  const [folder, resultFile] = [env['RUNTIME_DIRECTORY'], env['ROASTERY_TIME_SERVERS']];
  let wanted = '';

  const readResult = async (): Promise<{ servers: string; state: string } | undefined> => {
    const text = resultFile === undefined ? undefined : await readClaim(resultFile);
    if (text === undefined) return undefined;
    const { SERVERS: servers = '', STATE: state = '' } = valuesIn(text);
    return { servers, state };
  };
  return {
    /** Undefined: those of the board's system. */
    use: async (servers: readonly string[] | undefined): Promise<void> => {
      wanted = (servers ?? []).join(' ');
      if (folder === undefined || resultFile === undefined) return;
      const request = join(folder, 'time-request');
      const text = `NTP=${wanted}`;
      const asked = await readFileIfThere(request);
      if (asked === text || (asked === undefined && ((await readResult())?.servers ?? '') === wanted)) return;
      log.info({ servers: wanted }, 'time servers: requested');
      await writeFileAtomically(request, text);
    },
    state: async (): Promise<TimeServersState> => {
      if (folder === undefined || resultFile === undefined) return { state: 'refused', reason: noRootPart };
      const result = await readResult();
      if (result?.servers !== wanted) return { state: 'waiting' };
      const reason = refusals[result.state];
      if (reason !== undefined) return { state: 'refused', reason };
      return { state: (await hasTimesyncMark()) ? 'answered' : 'waiting' };
    },
  };
};
