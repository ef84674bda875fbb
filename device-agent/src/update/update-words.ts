import type { BoardUpdate } from '@roastery/contract/mqtt';

/** What became of the newest update, as a sentence, and what to do where something is to be done. */
export interface UpdateWords {
  readonly says: string;
  readonly todo?: string;
}

/** Undefined when there is nothing to say. */
export const updateInWords = (update: BoardUpdate | undefined | null): UpdateWords | undefined => {
  if (!update) return undefined;
  const { state, installed, earlier, reason } = update;
  if (state === 'good') return { says: `version ${installed} has proved itself and stays` };
  if (state === 'on_trial')
    return { says: `version ${installed} is on trial; ${earlier} comes back unless it stays healthy` };
  if (state === 'waiting') return { says: `version ${installed} is installed and begins once no roast runs` };
  if (state === 'unfinished')
    return {
      says: `An update was not finished; version ${earlier} runs on.`,
      todo: 'Finish it: sudo dpkg --configure -a, and install the package again if that says nothing.',
    };
  return {
    says: `Version ${installed} was installed and turned back to ${earlier}${reason === undefined ? '' : `: ${reason}`}.`,
    todo: 'Recording goes on. Send a support bundle and install a newer version; the same once more: sudo apt install --reinstall ./roastery-agent_*.deb',
  };
};
