import { describe, expect, it } from 'vitest';
import { personName } from './person-name.ts';

describe('personName', () => {
  it('is the full name', () => expect(personName({ full_name: 'Ana Restrepo', email: 'a@b.c' })).toBe('Ana Restrepo'));
  it.each([{}, { full_name: null }, { full_name: '' }, { full_name: ' ' }])('is the email for %j', (given) =>
    expect(personName({ ...given, email: 'a@b.c' })).toBe('a@b.c'),
  );
});
