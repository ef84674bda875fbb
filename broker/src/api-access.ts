import { mqttVerdictShape, type MqttAclRule, type MqttVerdict } from '@roastery/contract/devices';
import { parseJson } from '@roastery/contract/parse-shape';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { createPoster, isCoded, type Answer } from './post-json.ts';
import type { PermittedTopics } from './topic-rules.ts';

/** The api gave no usable answer: it is unreachable or too slow, or it refused the broker itself. */
export class ApiAwayError extends Error {
  override readonly name = 'ApiAwayError';
}

export interface ConnectVerdict {
  readonly allow: boolean;
  readonly superuser: boolean;
  /** Undefined when the api names no topics: the contract's topics apply. */
  readonly topics?: PermittedTopics;
}

export interface ApiAccessOptions {
  /** Base URL of the api, e.g. `http://127.0.0.1:3000/api/v1`. */
  readonly apiUrl: string;
  readonly brokerSecret: string;
  readonly log: Logger;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** Simultaneous requests. This limits how fast boards reconnect, so that the api can still serve people. */
const maxAtOnce = 32;
const maxWaiting = 40_000;
/** How long the api gets no further request after a failure, unless another request was answered. */
const restMs = 1_000;

interface Place {
  readonly isOpen: () => boolean;
  /** False when its connection closed while it was queued. */
  readonly take: (isTaken: boolean) => void;
}

/** Requests the api's answers about devices, for the connection that waits longest first. */
export const createApiAccess = ({
  apiUrl,
  brokerSecret,
  log,
  timeoutMs = 3_000,
  clock = realClock,
}: ApiAccessOptions) => {
  const { monotonic } = clock;
  const logGate = createLogGate(60_000, monotonic);
  const waiting: Place[] = [];
  let running = 0;
  let restUntil = -Infinity;
  let answeredAt = -Infinity;
  let lastAnswer: 'none' | 'answered' | 'away' = 'none';

  const away = (path: string, reason: string, askedAt: number): ApiAwayError => {
    // One timed-out request is no reason to refuse every queued board while others are answered.
    if (answeredAt < askedAt) restUntil = monotonic() + restMs;
    lastAnswer = 'away';
    const held = logGate(`${path} ${reason}`);
    if (held !== undefined) log.warn({ path, reason, held }, 'api request failed');
    return new ApiAwayError(reason);
  };

  const ask = createPoster({
    base: `${apiUrl}/mqtt/`,
    headers: { 'x-broker-secret': brokerSecret },
    timeoutMs,
    maxAtOnce,
    clock,
  });
  const post = async (path: string, body: Record<string, string>): Promise<MqttVerdict> => {
    const askedAt = monotonic();
    let answer: Answer;
    try {
      answer = await ask(path, JSON.stringify(body));
    } catch (error) {
      throw away(path, isCoded(error) ? String(error.code) : 'no answer in time', askedAt);
    }
    if (answer.status !== 200) throw away(path, `status ${answer.status}`, askedAt);
    const parsed = parseJson(mqttVerdictShape, answer.text);
    if (!parsed.success) throw away(path, 'unexpected answer', askedAt);
    answeredAt = monotonic();
    lastAnswer = 'answered';
    return parsed.data;
  };

  const isResting = (): boolean => monotonic() < restUntil;

  const askInTurn = async (path: string, body: Record<string, string>, isOpen: () => boolean): Promise<MqttVerdict> => {
    if (running >= maxAtOnce) {
      if (waiting.length >= maxWaiting) throw new ApiAwayError('too many requests are queued');
      const isTaken = await new Promise<boolean>((take) => waiting.push({ isOpen, take }));
      if (!isTaken) throw new ApiAwayError('the connection closed');
    } else running += 1;
    try {
      if (isResting()) throw new ApiAwayError('the api is not asked again yet after a failure');
      return await post(path, body);
    } finally {
      // The slot goes to the oldest queued request whose connection is still open.
      let next = waiting.shift();
      for (; next && !next.isOpen(); next = waiting.shift()) next.take(false);
      if (next) next.take(true);
      else running -= 1;
    }
  };

  return {
    /** Throws `ApiAwayError` without a usable answer. `isOpen`: whether the connection is still open. */
    async authenticate(
      device: { readonly clientid: string; readonly username: string; readonly password: string },
      isOpen: () => boolean,
    ): Promise<ConnectVerdict> {
      const { clientid, username, password } = device;
      const answer = await askInTurn('auth', { clientid, username, password }, isOpen);
      const allow = answer.result === 'allow';
      return {
        allow,
        superuser: allow && answer.is_superuser,
        ...(answer.acl === undefined ? {} : { topics: permittedBy(answer.acl) }),
      };
    },
    /** Requests are queued, or suspended after a failure: no immediate answer can be expected. */
    isBusy: (): boolean => waiting.length > 0 || isResting(),
    /** Result of the last request, for the health page. */
    lastAnswer: () => lastAnswer,
  };
};
export type ApiAccess = ReturnType<typeof createApiAccess>;

const permittedBy = (rules: readonly MqttAclRule[]): PermittedTopics => {
  const topics = (action: 'publish' | 'subscribe'): Set<string> =>
    new Set(
      rules
        .filter((rule) => rule.permission === 'allow' && [action, 'all'].includes(rule.action))
        .map(({ topic }) => topic),
    );
  return { publish: topics('publish'), subscribe: topics('subscribe') };
};
