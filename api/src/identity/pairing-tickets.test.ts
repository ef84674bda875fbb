import { isPairingCode, lettersOfPairingCode } from '@roastery/contract/devices';
import { describe, expect, it } from 'vitest';
import { hashPairingCode, newPairingCode } from './pairing-tickets.ts';

describe('pairing codes', () => {
  it('are twelve letters in three groups without words, different each time', () => {
    const codes = Array.from({ length: 500 }, newPairingCode);
    for (const code of codes) {
      expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}(-[BCDFGHJKLMNPQRSTVWXZ]{4}){2}$/);
      expect(isPairingCode(lettersOfPairingCode(code))).toBe(true);
    }
    expect(new Set(codes).size).toBe(500);
  });

  it.each(['BCDF-GHJK-LMNP', 'PAIR-BCDF-GHJK-LMNP', ' pair-bcdf-ghjk-lmnp ', 'bcdfghjklmnp', 'PAIR BCDF GHJK LMNP'])(
    'are equal in any spelling: %s',
    (typed) => {
      expect(lettersOfPairingCode(typed)).toBe('BCDFGHJKLMNP');
      expect(hashPairingCode('key', typed)).toEqual(hashPairingCode('key', 'BCDFGHJKLMNP'));
    },
  );

  it.each(['BCDF-GHJK-LMN', 'BCDF-GHJK-LMNPQ', 'BCDF-GHJK-LMN1', 'AEIO-GHJK-LMNP', ''])('%s is invalid', (typed) =>
    expect(isPairingCode(lettersOfPairingCode(typed))).toBe(false),
  );
});
