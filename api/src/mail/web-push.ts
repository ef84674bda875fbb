import { createECDH } from 'node:crypto';
import webPush from 'web-push';

export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface PushTarget {
  readonly endpoint: string;
  /** The browser's public key and its secret, base64url. */
  readonly p256dh: string;
  readonly auth: string;
}

/** Identifies the sender to push services (VAPID, RFC 8292); base64url. */
export const makePushKeys = (): PushKeys => webPush.generateVAPIDKeys();

/** Whether a browser's keys can be used: a point of the curve, and a secret of 16 bytes. */
export const isUsable = ({ p256dh, auth }: Pick<PushTarget, 'p256dh' | 'auth'>): boolean => {
  if (Buffer.from(auth, 'base64url').length !== 16) return false;
  const own = createECDH('prime256v1');
  own.generateKeys();
  try {
    return own.computeSecret(Buffer.from(p256dh, 'base64url')).length > 0;
  } catch {
    return false;
  }
};

const patienceMs = 10_000;
/** An alarm that could not be delivered for this long, s, is outdated. */
const ttlSeconds = 120;

/** Sends a message. Returns whether the subscription still exists; throws when the push service fails or refuses. */
export const sendPush = async (
  { endpoint, p256dh, auth }: PushTarget,
  message: object,
  keys: PushKeys,
  subject: string,
): Promise<'sent' | 'gone'> => {
  const { body, headers } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(message),
    { vapidDetails: { subject, ...keys }, TTL: ttlSeconds, urgency: 'high', contentEncoding: 'aes128gcm' },
  );
  const { 'Content-Length': _length, ...others } = headers;
  // The library's own request has no time limit for the whole answer, and no rule about redirects.
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: others,
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(patienceMs),
  });
  await answer.body?.cancel();
  if (answer.status === 404 || answer.status === 410) return 'gone';
  if (!answer.ok) throw new Error(`the push service answered ${answer.status}`);
  return 'sent';
};
