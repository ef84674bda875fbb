import { describe, expect, it } from 'vitest';
import { generatePassword } from './generate-password.ts';

describe('generatePassword', () => {
  const made = Array.from({ length: 500 }, generatePassword);

  it('meets the form’s hint and can be read aloud', () => {
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
