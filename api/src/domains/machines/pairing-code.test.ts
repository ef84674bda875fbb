import { describe, expect, it } from 'vitest';
import { newPairingCode, normalisePairingCode } from './pairing-code.ts';

describe('pairing codes', () => {
  it('are twelve letters without vowels in three groups, and do not repeat', () => {
    const codes = Array.from({ length: 500 }, newPairingCode);
    expect(codes.every((code) => /^[BCDFGHJKLMNPQRSTVWXZ]{4}(-[BCDFGHJKLMNPQRSTVWXZ]{4}){2}$/.test(code))).toBe(true);
    expect(new Set(codes).size).toBe(500);
  });
  it.each(['BCDF-GHJK-LMNP', 'pair-bcdf-ghjk-lmnp', ' PAIR-BCDFGHJKLMNP ', 'bcdf ghjk lmnp'])(
    'mean the same however they are typed: %s',
    (typed) => expect(normalisePairingCode(typed)).toBe('BCDFGHJKLMNP'),
  );
});
