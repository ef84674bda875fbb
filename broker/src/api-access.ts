import { parseShape } from '@roastery/contract/parse-shape';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { z } from 'zod';

/** The api gave no usable answer: away, too slow, or it refused the broker itself. */
export class ApiAwayError extends Error {
  override readonly name = 'ApiAwayError';
}

/** EMQX 5's HTTP authentication and authorization answers. `ignore` means "ask the next one"; here there is none. */
const answerShape = z.object({
  result: z.enum(['allow', 'deny', 'ignore']),
  is_superuser: z.boolean().optional(),
});

export interface ApiAccessOptions {
  /** Base of the api, e.g. `http://127.0.0.1:3000/api/v1`. */
  readonly apiUrl: string;
  readonly brokerSecret: string;
  readonly log: Logger;
  readonly timeoutMs?: number;
}

/** Requests at once: enough for 500 boards that come back together, few enough to leave the api room for people. */
const maxAtOnce = 32;
const maxWaiting = 20_000;
/** After a failure the api is not asked for this long: known boards do not wait for an api that hangs. */
const restMs = 1_000;

/** Asks the api about devices and topics. Both methods throw `ApiAwayError` when there is no answer to go by. */
export const createApiAccess = ({ apiUrl, brokerSecret, log, timeoutMs = 3_000 }: ApiAccessOptions) => {
  const logGate = createLogGate(60_000);
  const waiting: (() => void)[] = [];
  let running = 0;
  let restUntil = 0;
  let lastAnswer: 'none' | 'answered' | 'away' = 'none';

  const away = (path: string, reason: string): ApiAwayError => {
    restUntil = performance.now() + restMs;
    lastAnswer = 'away';
    const held = logGate(`${path} ${reason}`);
    if (held !== undefined) log.warn({ path, reason, held }, 'api request failed');
    return new ApiAwayError(reason);
  };

  const post = async (path: string, body: Record<string, string>): Promise<z.infer<typeof answerShape>> => {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${apiUrl}/mqtt/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-broker-secret': brokerSecret },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await response.text();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw away(path, cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer in time');
    }
    if (response.status !== 200) throw away(path, `status ${response.status}`);
    const parsed = parseShape(answerShape, parseJson(text));
    if (!parsed.success) throw away(path, 'an answer of another shape');
    lastAnswer = 'answered';
    return parsed.data;
  };

  const ask = async (path: string, body: Record<string, string>): Promise<z.infer<typeof answerShape>> => {
    if (running >= maxAtOnce) {
      if (waiting.length >= maxWaiting) throw new ApiAwayError('too many questions wait');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      if (performance.now() < restUntil) throw new ApiAwayError('the api rests after a failure');
      return await post(path, body);
    } finally {
      // The place is handed on to the next one in line; only an empty line frees it.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };

  return {
    async authenticate(device: {
      clientid: string;
      username: string;
      password: string;
    }): Promise<{ allow: boolean; superuser: boolean }> {
      const answer = await ask('auth', device);
      const allow = answer.result === 'allow';
      return { allow, superuser: allow && answer.is_superuser === true };
    },
    async mayUse(request: {
      clientid: string;
      username: string;
      topic: string;
      action: 'publish' | 'subscribe';
    }): Promise<boolean> {
      return (await ask('acl', request)).result === 'allow';
    },
    /** What the last question came to, for the health page. */
    lastAnswer: () => lastAnswer,
  };
};
export type ApiAccess = ReturnType<typeof createApiAccess>;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};
