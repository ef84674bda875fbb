import { readKeptExchange } from '../channel-watch.ts';
import { programIn } from '../config.ts';
import { aboutExchangedChannels } from '../status-page/concerns.ts';
import { good, notConfigured, skipped, warning, type Check, type Verdict } from './check.ts';

const pair = ['bean_temp', 'exhaust_temp'] as const;

/** A warning: the board records, but under the wrong names. */
const verdictOf = (roasts: number | null): Verdict => {
  if (roasts === null) return good('no sign that bean and exhaust temperature are exchanged');
  const { says, todo } = aboutExchangedChannels(roasts);
  return warning(says, todo);
};

/** Checks whether the roasts so far look as if the map had exchanged bean and exhaust temperature. */
export const checkChannels: Check = {
  name: 'channels',
  async run(board) {
    if (!board.config) return notConfigured;
    const program = programIn(board.config);
    if (program !== undefined) return good(`not judged: ${program} on this computer assigns the probes`);
    const found = await board.map();
    if (found.kind !== 'found') return skipped('see machine map');
    if (!pair.every((channel) => found.map.channels[channel] !== undefined))
      return good(`not judged: the map has only one of ${pair.join(' and ')}`);
    // A running agent knows more than its file: the write may not be done.
    const agent = await board.agent();
    if (agent.kind === 'seen') return verdictOf(agent.status.channels_exchanged);

    const kept = await readKeptExchange(board.config.dataDir, found.map);
    return kept === 'unreadable' ? skipped('this user can’t read the data folder') : verdictOf(kept);
  },
};
