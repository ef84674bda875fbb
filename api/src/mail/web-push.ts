import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto';

/*
 * Web Push: a message is encrypted for one browser (RFC 8291, aes128gcm of RFC 8188) and sent to its push service, which knows the
 * sender by a signed token (VAPID, RFC 8292). All of it is in node:crypto.
 */

/** Both base64url: the public key as an uncompressed point, the private key as its number. */
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

const curve = 'prime256v1';
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');

export const makePushKeys = (): PushKeys => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: curve });
  const { d = '', x = '', y = '' } = privateKey.export({ format: 'jwk' });
  return { publicKey: Buffer.concat([Buffer.of(4), bytesOf(x), bytesOf(y)]).toString('base64url'), privateKey: d };
};

/** Whether a browser's keys can be used: a point of the curve, and a secret of 16 bytes. */
export const isUsable = ({ p256dh, auth }: Pick<PushTarget, 'p256dh' | 'auth'>): boolean => {
  if (bytesOf(auth).length !== 16) return false;
  const ephemeral = createECDH(curve);
  ephemeral.generateKeys();
  try {
    return ephemeral.computeSecret(bytesOf(p256dh)).length > 0;
  } catch {
    return false;
  }
};

const derive = (secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));

const recordBytes = 4096;

/** The message for one browser. `given`: the sender's one-time key and the salt, for the example of the RFC. */
export const encryptPush = (
  message: Buffer,
  { p256dh, auth }: Pick<PushTarget, 'p256dh' | 'auth'>,
  given?: { readonly privateKey: Buffer; readonly salt: Buffer },
): Buffer => {
  const ephemeral = createECDH(curve);
  if (given === undefined) ephemeral.generateKeys();
  else ephemeral.setPrivateKey(given.privateKey);
  const own = ephemeral.getPublicKey();
  const theirs = bytesOf(p256dh);
  const salt = given?.salt ?? randomBytes(16);
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, own]);
  const input = derive(ephemeral.computeSecret(theirs), bytesOf(auth), keyInfo, 32);
  const key = derive(input, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(input, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // 2 marks the end of the last record.
  const sealed = Buffer.concat([
    cipher.update(message),
    cipher.update(Buffer.of(2)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(recordBytes);
  head.writeUInt8(own.length, 4);
  return Buffer.concat([salt, head, own, sealed]);
};

const tokenSeconds = 12 * 3600;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Says to the push service who sends: signed by the roastery's key. */
const authorization = (endpoint: string, keys: PushKeys, subject: string): string => {
  const point = bytesOf(keys.publicKey);
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: keys.privateKey,
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const exp = Math.floor(Date.now() / 1000) + tokenSeconds;
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part({ aud: new URL(endpoint).origin, exp, sub: subject })}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${keys.publicKey}`;
};

const patienceMs = 10_000;
/** An alarm that a phone could not be given for so long, s, is old. */
const ttlSeconds = 120;

/** Sends a message. Answers whether the subscription still exists; throws when the push service fails or refuses. */
export const sendPush = async (
  target: PushTarget,
  message: object,
  keys: PushKeys,
  subject: string,
): Promise<'sent' | 'gone'> => {
  const answer = await fetch(target.endpoint, {
    method: 'POST',
    headers: {
      authorization: authorization(target.endpoint, keys, subject),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(ttlSeconds),
      urgency: 'high',
    },
    body: encryptPush(Buffer.from(JSON.stringify(message)), target),
    redirect: 'error',
    signal: AbortSignal.timeout(patienceMs),
  });
  await answer.body?.cancel();
  if (answer.status === 404 || answer.status === 410) return 'gone';
  if (!answer.ok) throw new Error(`the push service answered ${answer.status}`);
  return 'sent';
};
