import { describe, expect, it } from 'vitest';
import { isUsable, makePushKeys } from './web-push.ts';

/** The browser of the example in RFC 8291. */
const browser = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

describe('web push', () => {
  it('creates keys that a browser accepts, and refuses invalid keys', () => {
    const keys = makePushKeys();
    expect(Buffer.from(keys.publicKey, 'base64url')).toHaveLength(65);
    expect(isUsable(browser)).toBe(true);
    expect(isUsable({ ...browser, auth: 'short' })).toBe(false);
    expect(isUsable({ ...browser, p256dh: Buffer.alloc(65, 4).toString('base64url') })).toBe(false);
  });
});
