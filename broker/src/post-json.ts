import http from 'node:http';
import https from 'node:https';
import { realClock, type Clock } from '@roastery/runtime/clock';

export interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

export const isCoded = (error: unknown): error is Error & { code: unknown } =>
  error instanceof Error && 'code' in error;

export interface PostOptions {
  /** Up to the last `/`. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxAtOnce: number;
  readonly clock?: Clock;
}

/**
 * Posts JSON to paths below an address, over persistent connections. Rejects with the system error code, or with none
 * after a timeout. A persistent connection without an answer may lead to a computer that is away: the idle ones beside it are
 * closed, and the request is repeated on a new one, which a balancer gives to an api that answers. It does not use `fetch`, which took a quarter of the broker's CPU in a reconnect storm.
 */
export const createPoster = ({ base, headers, timeoutMs, maxAtOnce, clock = realClock }: PostOptions) => {
  const { Agent, request } = base.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: maxAtOnce });
  const post = (path: string, body: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(new URL(path, base), {
        agent,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      });
      let isLate = false;
      const cancelLimit = clock.after(timeoutMs, () => {
        isLate = true;
        for (const idle of Object.values(agent.freeSockets).flat()) idle?.destroy();
        sent.destroy(new Error('no answer in time'));
      });
      const fail = (error: Error): void => {
        cancelLimit();
        reject(error);
      };
      sent.once('error', (error) => {
        // The api may also close the persistent connection just when it is reused.
        const isStale = isLate || (isCoded(error) && error.code === 'ECONNRESET');
        if (!sent.reusedSocket || !isStale) return fail(error);
        cancelLimit();
        resolve(post(path, body));
      });
      sent.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (text += part));
        response.once('error', fail);
        response.once('end', () => {
          cancelLimit();
          resolve({ status: response.statusCode, text });
        });
      });
      sent.end(body);
    });
  return post;
};
