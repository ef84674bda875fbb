import { good, notConfigured, skipped, trouble, type Check } from './check.ts';

/** Whether the server knows this board by its token. */
export const checkCredential: Check = {
  name: 'credential',
  async look(board) {
    if (!board.config) return notConfigured;
    const { machineSerial } = board.config;
    const answer = await board.api();
    if (answer.kind === 'failed') return skipped('the api does not answer');
    if (answer.status === 401)
      return trouble(
        `The server does not accept the token for ${machineSerial}: it was replaced, taken back, or is for another machine.`,
        'Ask the owner of the machine or an administrator for a new ticket, then: sudo device-agent pair PAIR-… --api https://…',
      );
    if (!answer.self) return skipped('the api does not answer as it should');
    return good(`accepted as ${answer.self.serial_number} (${answer.self.display_name})`);
  },
};
