import { describe, expect, it } from 'vitest';
import { encryptPush, isUsable, makePushKeys } from './web-push.ts';

/** The example of RFC 8291, appendix A. */
const browser = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

describe('web push', () => {
  it('encrypts as the example of RFC 8291', () => {
    const sealed = encryptPush(Buffer.from('When I grow up, I want to be a watermelon'), browser, {
      privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
      salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
    });
    expect(sealed.toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });

  it('makes keys that a browser accepts, and refuses keys that are none', () => {
    const keys = makePushKeys();
    expect(Buffer.from(keys.publicKey, 'base64url')).toHaveLength(65);
    expect(isUsable(browser)).toBe(true);
    expect(isUsable({ ...browser, auth: 'short' })).toBe(false);
    expect(isUsable({ ...browser, p256dh: Buffer.alloc(65, 4).toString('base64url') })).toBe(false);
  });
});
