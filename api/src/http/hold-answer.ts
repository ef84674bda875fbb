import type { Context, MiddlewareHandler } from 'hono';
import { clientAddress, type Env } from './client-address.ts';
import type { ServerContext } from './server-context.ts';
import type { AnswerKind, HeldAnswer, Reader, UnreadAnswers } from './unread-answers.ts';

/** An answer of any length that is not sent yet. */
const leastAnswerBytes = 4 * 1024;
/** An answer that is created while it is read: a curve of hours, or the ids of a list. */
const createdAnswerBytes = 4 * 1024 * 1024;
/** Buffers of a file that is read from the disk while it is sent, here and in its socket. */
export const fileBufferBytes = 128 * 1024;

/** Counts an answer until it was sent. Undefined without a socket. */
export const openAnswer = (
  c: Context<Env>,
  answers: UnreadAnswers,
  kind: AnswerKind,
  reader: Reader,
): HeldAnswer | undefined => {
  const outgoing = c.env?.outgoing;
  if (outgoing === undefined) return undefined;
  const held = answers.open(kind, reader);
  held.hold(leastAnswerBytes);
  outgoing.once('close', held.release);
  return held;
};

/** Counts what an answer holds. Only an answer that reports no change is refused. */
export const holdAnswer = async (held: HeldAnswer, method: string, { body, headers }: Response): Promise<void> => {
  if (body === null) return;
  const bytes = Math.max(leastAnswerBytes, Number(headers.get('content-length') ?? createdAnswerBytes));
  if (method !== 'GET') {
    held.holdAnyway(bytes);
    return;
  }
  try {
    held.hold(bytes);
  } catch (error) {
    await body.cancel();
    throw error;
  }
};

/** Counts files of the portal, which anyone may read. */
export const heldFiles =
  ({ answers, config }: ServerContext): MiddlewareHandler<Env> =>
  async (c, next) => {
    const held = openAnswer(c, answers, 'page', { address: clientAddress(c, config.trustedProxies), id: undefined });
    held?.hold(fileBufferBytes);
    await next();
    const length = c.res.headers.get('content-length');
    if (length !== null && Number(length) < fileBufferBytes) held?.hold(Number(length));
  };
