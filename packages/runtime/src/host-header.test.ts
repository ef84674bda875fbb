import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isMeantForUs } from './host-header.ts';

describe('isMeantForUs', () => {
  it.each([
    undefined,
    'localhost',
    'LOCALHOST:3000',
    '127.0.0.1:3000',
    '[::1]:3000',
    '192.168.1.5',
    'api:3000',
    hostname(),
  ])('accepts %s', (header) => expect(isMeantForUs(header)).toBe(true));
  it.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '',
    'a b',
    'x:y:z',
    '.',
  ])('refuses %s', (header) => expect(isMeantForUs(header)).toBe(false));
  it('accepts the given names', () => {
    expect(isMeantForUs('Roastery.Example:443', ['roastery.example'])).toBe(true);
    expect(isMeantForUs('www.roastery.example', ['roastery.example'])).toBe(false);
  });
});
