import { good, notConfigured, skipped, trouble, warning, type Check } from './check.ts';

/** Checks that the api answers, is healthy, and has the version that this agent expects. */
export const checkApi: Check = {
  name: 'api',
  async run(board) {
    if (!board.config) return notConfigured;
    const answer = await board.api();
    if (answer.kind === 'failed') return skipped('no connection');
    const { origin, pathname } = new URL(board.config.apiUrl);
    if (answer.self || answer.status === 401) return good(`answers at ${origin}${pathname} within ${answer.tookMs} ms`);
    if (answer.status === 429 || answer.status >= 500)
      return warning(
        `The api at ${origin} reports an error (status ${answer.status}).`,
        'Tell the operator of the server. This board continues to record and sends everything later.',
      );
    if (answer.status === 200)
      return trouble(
        `The api at ${origin} answers in a way this agent does not understand.`,
        'One of the two is outdated: update this board (sudo apt-get install --only-upgrade roastery-agent), or the server.',
      );
    return trouble(
      `There is no portal at ${origin} (status ${answer.status}).`,
      'Set API_URL in agent.env to the address of the portal, or pair again.',
    );
  },
};

/** Checks that the server accepts this board's token. */
export const checkCredential: Check = {
  name: 'credential',
  async run(board) {
    if (!board.config) return notConfigured;
    const { machineSerial } = board.config;
    const answer = await board.api();
    if (answer.kind === 'failed') return skipped('the api does not answer');
    if (answer.status === 401)
      return trouble(
        `The server does not accept the token for ${machineSerial}: it was replaced, revoked, or belongs to another machine.`,
        'Ask the owner of the machine or an administrator for a new ticket, then: sudo device-agent pair PAIR-… --api https://…',
      );
    if (!answer.self) return skipped('the api answers with an error');
    return good(`accepted as ${answer.self.serial_number} (${answer.self.display_name})`);
  },
};
