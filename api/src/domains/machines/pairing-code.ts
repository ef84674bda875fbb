import { randomInt } from 'node:crypto';

/** No vowels, no digits: no words by chance and nothing to mistake. Twelve of twenty letters are 51.9 bits. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

export const pairingDays = 7;

/** Twelve letters in three groups: `BCDF-GHJK-LMNP`. */
export const newPairingCode = (): string =>
  Array.from({ length: 3 }, () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')).join(
    '-',
  );

/** As typed by a person: case, dashes, blanks and the ticket's prefix do not count. */
export const normalisePairingCode = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/^\s*PAIR-/, '')
    .replaceAll(/[^A-Z]/g, '');
