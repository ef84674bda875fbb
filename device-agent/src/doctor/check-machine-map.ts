import { programIn } from '../config.ts';
import { alikeAnswersRemedy, alikeAnswersSentence, slowLineRemedy, slowLineSentence } from '../core/line-pace.ts';
import { noMapYet } from '../status-page/concerns.ts';
import { good, notConfigured, trouble, warning, type Check } from './check.ts';

/** Checks that the board has a usable machine map. */
export const checkMachineMap: Check = {
  name: 'machine map',
  async run(board) {
    if (!board.config) return notConfigured;
    const program = programIn(board.config);
    if (program !== undefined) return good(`not needed: the readings come from ${program}`);
    const found = await board.map();
    const path = board.config.machineMapPath;
    if (found.kind === 'found') {
      const agent = await board.agent();
      if (agent.kind === 'seen' && agent.status.map === null)
        return trouble(
          'The portal has a map for this machine, but the agent has not received it.',
          'The agent receives it over the broker: see network, credential and broker below.',
        );
      const slow = slowLineSentence(found.map);
      if (slow !== undefined) return warning(slow, slowLineRemedy);
      const alike = alikeAnswersSentence(found.map);
      if (alike !== undefined) return warning(alike, alikeAnswersRemedy);
      const { id, rev, maker, model, channels } = found.map;
      return good(`${maker} ${model} (${id}, revision ${rev}), ${Object.keys(channels).length} channels`);
    }
    if (found.kind === 'none') return trouble(noMapYet.says, noMapYet.todo);
    return trouble(
      `${found.says}.`,
      path === undefined
        ? 'Choose the map for this machine in the portal again. If only this user can’t read it: sudo device-agent doctor'
        : `Correct it and check it again with: device-agent check-map ${path}`,
    );
  },
};
