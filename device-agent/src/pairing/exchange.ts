import { pairDevice } from '@roastery/contract/devices';
import { errorBodyShape } from '@roastery/contract/errors';
import { parseJson } from '@roastery/contract/parse-shape';
import { parseRetryAfter, withBackoff, type BackoffLimits, type FailedAttempt } from '@roastery/runtime/backoff';
import { httpRequest, type HttpAnswer } from '../http-request.ts';
import { codeOf } from '@roastery/runtime/system-errors';
import { PairingTrouble, sentenceForNoConnection } from './pairing-trouble.ts';

export interface PairingRequest {
  readonly code: string;
  readonly secret_hash: string;
  readonly hardware_id: string;
  readonly agent_version: string;
}

export interface Exchanged {
  readonly serialNumber: string;
  readonly displayName: string;
  /** The brokers that the server names. */
  readonly mqttUrls: readonly string[];
  /** The server's clock minus ours, ms; undefined when the answer has none. */
  readonly clockAheadMs: number | undefined;
}

/** The server accepts five attempts a minute from one address. */
const retryLimits = { minMs: 3000, maxMs: 15_000 };
const maxTries = 4;
const timeoutMs = 8000;
/** A person waits for the answer: a server that requests a longer wait is retried only once more, after this long. */
const maxWaitMs = 65_000;

/** The ticket was refused: wrong, used, expired or revoked. The server gives no further reason. */
export class TicketRefused extends Error {
  override readonly name = 'TicketRefused';
}

/** The answer, or a failure after which a retry may help. */
const understand = (answer: HttpAnswer, api: string): { done: Exchanged } | FailedAttempt => {
  const { status, headers, text } = answer;
  const paired = status === 200 && pairDevice.response ? parseJson(pairDevice.response, text).data : undefined;
  if (paired) {
    const serverNow = Date.parse(headers.date ?? '');
    return {
      done: {
        serialNumber: paired.serial_number,
        displayName: paired.display_name,
        mqttUrls: paired.mqtt_urls ?? [paired.mqtt_url],
        clockAheadMs: Number.isNaN(serverNow) ? undefined : serverNow - Date.now(),
      },
    };
  }
  const refusal = parseJson(errorBodyShape, text).data;
  if (refusal?.code === 'wrong_credentials') throw new TicketRefused();
  if (refusal?.code === 'ticket_expired')
    throw new PairingTrouble(
      'This ticket has expired: a ticket is valid for seven days. Ask the owner of the machine or an administrator for a new one.',
      'ticket refused',
    );
  if (status === 429 || status === 503) {
    const askedMs = parseRetryAfter(headers['retry-after']);
    return askedMs === undefined ? {} : { retryAfterMs: Math.min(askedMs + 500, maxWaitMs) };
  }
  if (status >= 500) return {};
  if (status >= 300 && status < 400 && headers.location !== undefined)
    throw new PairingTrouble(`${api} redirects to ${headers.location}. Use that address after --api.`);
  if (refusal?.code === 'validation')
    throw new PairingTrouble(
      'The server does not understand this version of device-agent. Update it, then run this again.',
    );
  throw new PairingTrouble(
    `There is no portal at ${api} (status ${status}). Use the address on the ticket after --api.`,
  );
};

const ask = async (api: string, request: PairingRequest, lastReply: { text: string }) => {
  try {
    const answer = await httpRequest(`${api}${pairDevice.path}`, { headers: {}, timeoutMs, body: request });
    lastReply.text = answer.status === 429 ? 'too many attempts' : `status ${answer.status}`;
    return understand(answer, api);
  } catch (error) {
    if (error instanceof PairingTrouble || error instanceof TicketRefused) throw error;
    const sentence = sentenceForNoConnection(error, api);
    if (sentence !== undefined) throw new PairingTrouble(sentence);
    lastReply.text = codeOf(error) || (error instanceof Error ? error.name : 'no answer');
    return {};
  }
};

/**
 * Requests the exchange of the ticket, with retries when an answer may have been lost: repeating it with the same
 * secret is the same request. Throws `TicketRefused`, or `PairingTrouble` with an instruction.
 */
export const exchangeTicket = async (
  api: string,
  request: PairingRequest,
  say: (line: string) => void,
  limits: BackoffLimits = retryLimits,
): Promise<Exchanged> => {
  const lastReply = { text: '' };
  const exchanged = await withBackoff<Exchanged>(() => ask(api, request, lastReply), {
    limits,
    maxTries,
    pausing: (ms) => say(`No complete answer yet (${lastReply.text}); retrying in ${Math.ceil(ms / 1000)} s …`),
  });
  if (exchanged !== undefined) return exchanged;
  throw new PairingTrouble(
    `The server at ${new URL(api).host} gave no complete answer (${lastReply.text}). Check the port after --api and the network. Nothing is lost: run the same command again within 15 minutes.`,
  );
};
