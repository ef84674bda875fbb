import { describe, expect, it } from 'vitest';
import { madeUpPassword } from './made-up-password.ts';

describe('a password made up for somebody', () => {
  const made = Array.from({ length: 500 }, madeUpPassword);

  it('meets the hint of the form and can be read aloud', () => {
    for (const password of made) {
      expect(password).toMatch(/^[A-Za-z2-9]{16}$/);
      expect(password).toMatch(/[A-Z]/);
      expect(password).toMatch(/[a-z]/);
      expect(password).toMatch(/\d/);
      expect(password).not.toMatch(/[lIO01oi]/);
    }
  });

  it('is never the same', () => expect(new Set(made).size).toBe(made.length));
});
