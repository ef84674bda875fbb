import { aboutJournal } from '../status-page/concerns.ts';
import { good, notConfigured, trouble, warning, type Check } from './check.ts';

/** Whether the agent itself is at work. */
export const checkAgent: Check = {
  name: 'agent',
  async look(board) {
    if (!board.config) return notConfigured;
    const agent = await board.agent();
    if (agent.kind === 'none')
      return trouble(
        'The agent does not run: nothing is recorded.',
        'Start it: sudo systemctl restart roastery-agent. If it does not stay: journalctl -u roastery-agent -n 20',
      );
    if (agent.kind === 'unseen')
      return board.config.statusPort === undefined
        ? good(`running (process ${agent.pid}); its page is switched off`)
        : warning(
            `The agent runs (process ${agent.pid}), but its page at port ${board.config.statusPort} does not answer.`,
            'Look whether another program has that port (sudo ss -ltnp), or give STATUS_PORT another one; then restart the agent.',
          );
    const { agent_version: version, roast, journal, uplink } = agent.status;
    if (journal.trouble !== null) {
      const { says, todo } = aboutJournal(journal.trouble, journal.in_memory, uplink.connected);
      return trouble(says, todo);
    }
    return good(`version ${version} is running, ${roast.running === null ? 'no roast now' : 'a roast runs'}`);
  },
};
