import { setTimeout as sleep } from 'node:timers/promises';
import { pairDevice } from '@roastery/contract/devices';
import { errorBodyShape } from '@roastery/contract/errors';
import { parseJson } from '@roastery/contract/parse-shape';
import { httpRequest, type HttpAnswer } from '../http-request.ts';
import { PairingTrouble, codeOf, sentenceForNoConnection } from './pairing-trouble.ts';

export interface PairingRequest {
  readonly code: string;
  readonly secret_hash: string;
  readonly hardware_id: string;
  readonly agent_version: string;
}

export interface Exchanged {
  readonly serialNumber: string;
  readonly displayName: string;
  /** Where the server wants its readings. */
  readonly mqttUrl: string;
  /** The server's clock less ours, ms; undefined when it didn't say. */
  readonly clockAheadMs: number | undefined;
}

/** Pauses before the next attempt; the server takes five attempts a minute from one address. */
const pausesMs = [2000, 5000, 10_000];
const timeoutMs = 8000;
const longestWaitMs = 65_000;

/** The ticket was refused: wrong, used, expired or revoked. The server says no more, to nobody. */
export class TicketRefused extends Error {
  override readonly name = 'TicketRefused';
}

/** Answered, or the milliseconds to wait before asking again. */
const understand = (answer: HttpAnswer, api: string, pauseMs: number): Exchanged | number => {
  const { status, headers, text } = answer;
  const paired = status === 200 && pairDevice.response ? parseJson(pairDevice.response, text).data : undefined;
  if (paired) {
    const serverNow = Date.parse(headers.date ?? '');
    return {
      serialNumber: paired.serial_number,
      displayName: paired.display_name,
      mqttUrl: paired.mqtt_url,
      clockAheadMs: Number.isNaN(serverNow) ? undefined : serverNow - Date.now(),
    };
  }
  const refusal = parseJson(errorBodyShape, text).data;
  if (refusal?.code === 'wrong_credentials') throw new TicketRefused();
  if (refusal?.code === 'ticket_expired')
    throw new PairingTrouble(
      'This ticket has expired: a ticket is good for seven days. Ask the owner of the machine or an administrator for a new one.',
    );
  if (status === 429 || status === 503) {
    const seconds = Number(headers['retry-after']);
    return Number.isFinite(seconds) ? Math.min(seconds * 1000 + 500, longestWaitMs) : pauseMs;
  }
  if (status >= 500) return pauseMs;
  if (status >= 300 && status < 400 && headers.location !== undefined)
    throw new PairingTrouble(`${api} sends us on to ${headers.location}. Write that address after --api.`);
  if (refusal?.code === 'validation')
    throw new PairingTrouble(
      'The server does not understand this version of device-agent. Update it, then run this again.',
    );
  throw new PairingTrouble(
    `There is no roastery at ${api} (status ${status}). Write the address that stands in the ticket after --api.`,
  );
};

const ask = async (api: string, request: PairingRequest, pauseMs: number, lastWord: { text: string }) => {
  try {
    const answer = await httpRequest(`${api}${pairDevice.path}`, { headers: {}, timeoutMs, body: request });
    lastWord.text = answer.status === 429 ? 'too many attempts' : `status ${answer.status}`;
    return understand(answer, api, pauseMs);
  } catch (error) {
    if (error instanceof PairingTrouble || error instanceof TicketRefused) throw error;
    const sentence = sentenceForNoConnection(error, api);
    if (sentence !== undefined) throw new PairingTrouble(sentence);
    lastWord.text = codeOf(error) || (error instanceof Error ? error.name : 'no answer');
    return pauseMs;
  }
};

/**
 * Asks the server to exchange the ticket, a few times when an answer may have been lost: asking again with the same
 * secret is the same question. Throws `TicketRefused`, or `PairingTrouble` with what to do.
 */
export const exchangeTicket = async (
  api: string,
  request: PairingRequest,
  say: (line: string) => void,
  pauses: readonly number[] = pausesMs,
): Promise<Exchanged> => {
  const lastWord = { text: '' };
  for (const pauseMs of [...pauses, undefined]) {
    const outcome = await ask(api, request, pauseMs ?? 0, lastWord);
    if (typeof outcome !== 'number') return outcome;
    if (pauseMs === undefined) break;
    say(`No whole answer yet (${lastWord.text}); asking again in ${Math.ceil(outcome / 1000)} s …`);
    await sleep(outcome);
  }
  throw new PairingTrouble(
    `The server at ${new URL(api).host} gave no whole answer (${lastWord.text}). Check the port after --api and the network. Nothing is lost: run the same command again within 15 minutes.`,
  );
};
