import { randomInt } from 'node:crypto';

/** Without letters and digits that are mistaken for one another when read aloud or copied from paper. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Four groups of five, 99 bits. */
export const randomPassword = (): string =>
  Array.from({ length: 4 }, () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')).join(
    '-',
  );
