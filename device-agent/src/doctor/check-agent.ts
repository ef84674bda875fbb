import { aboutJournal } from '../status-page/concerns.ts';
import { readUpdateState, updateSummary } from '../update/update-state.ts';
import { good, notConfigured, skipped, trouble, warning, type Check } from './check.ts';

/** Checks that the agent itself is running. */
export const checkAgent: Check = {
  name: 'agent',
  async run(board) {
    if (!board.config) return notConfigured;
    const agent = await board.agent();
    if (agent.kind === 'none')
      return trouble(
        'The agent is not running: nothing is recorded.',
        'Start it: sudo systemctl restart roastery-agent. If it stops again: journalctl -u roastery-agent -n 20',
      );
    if (agent.kind === 'unknown') return skipped('only root can see whether it is running: sudo device-agent doctor');
    if (agent.kind === 'unseen') {
      if (agent.page === 'off') return good(`running (process ${agent.pid}); its status page is off`);
      if (agent.page === 'starting') return skipped('it has just started: run doctor again in a few seconds');
      return trouble(
        `The agent is running (process ${agent.pid}), but its status page does not answer.`,
        'See why: journalctl -u roastery-agent -n 20. If another program uses its port (sudo ss -ltnp), set STATUS_PORT and restart the agent.',
      );
    }
    const { agent_version: version, roast, journal, uplink } = agent.status;
    if (journal.trouble !== null) {
      const { says, todo } = aboutJournal(journal, uplink.connected);
      return trouble(says, todo);
    }
    return good(`version ${version} is running, ${roast.running === null ? 'no roast now' : 'a roast is running'}`);
  },
};

/** Checks that the version installed last is the one that runs. */
export const checkUpdate: Check = {
  name: 'update',
  async run(board) {
    const agent = board.config ? await board.agent() : undefined;
    // The agent can read files that an ordinary user may not read.
    const words = updateSummary(agent?.kind === 'seen' ? agent.status.update : await readUpdateState());
    if (words === undefined) return good('this agent was never updated');
    return words.todo === undefined ? good(words.says) : warning(words.says, words.todo);
  },
};
