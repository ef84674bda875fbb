import { good, notConfigured, skipped, trouble, warning, type Check } from './check.ts';

/** Whether the api is one, is well, and speaks as this agent expects. */
export const checkApi: Check = {
  name: 'api',
  async look(board) {
    if (!board.config) return notConfigured;
    const answer = await board.api();
    if (answer.kind === 'failed') return skipped('there is no connection to it');
    const { origin, pathname } = new URL(board.config.apiUrl);
    if (answer.self || answer.status === 401) return good(`answers at ${origin}${pathname} within ${answer.tookMs} ms`);
    if (answer.status === 429 || answer.status >= 500)
      return warning(
        `The api at ${origin} has trouble of its own (status ${answer.status}).`,
        'Tell whoever runs the server. This board records on, and sends everything later.',
      );
    if (answer.status === 200)
      return trouble(
        `The api at ${origin} answers in a way this agent does not understand.`,
        'One of the two is much older: bring this board up to date (sudo apt-get install --only-upgrade roastery-agent), or the server.',
      );
    return trouble(
      `There is no roastery at ${origin} (status ${answer.status}).`,
      'Correct API_URL in agent.env to the address that the portal has, or pair anew.',
    );
  },
};
