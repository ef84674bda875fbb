import { readUpdateState } from '../update/update-state.ts';
import { updateInWords } from '../update/update-state.ts';
import { good, warning, type Check } from './check.ts';

/** Whether the version that was installed last is the one that runs. */
export const checkUpdate: Check = {
  name: 'update',
  async look(board) {
    const agent = board.config ? await board.agent() : undefined;
    // The agent knows also what an ordinary user may not read.
    const words = updateInWords(agent?.kind === 'seen' ? agent.status.update : await readUpdateState());
    if (words === undefined) return good('this agent was never updated');
    return words.todo === undefined ? good(words.says) : warning(words.says, words.todo);
  },
};
