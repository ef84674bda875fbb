import { hash, verify } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { randomInt } from 'node:crypto';
import { invalid } from '../http/app-error.ts';

/** Argon2id with 19 MiB, two passes, one lane: OWASP's password storage cheat sheet. */
let cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Ordered by how common they are; shorter ones are refused by their length already. */
const refusedPasswords = new Set(dictionary['passwords-common'].filter((word) => word.length >= 8).slice(0, 5000));

/** Throws `validation` for a password that is among the first guesses for this person. */
export const refuseCommonPassword = (password: string, email: string, field: string): void => {
  const typed = password.toLowerCase();
  if (refusedPasswords.has(typed) || typed === email || typed === email.split('@')[0]) {
    throw invalid(field, 'This password is too common. Choose another one');
  }
};

/** For tests with hundreds of sign-ins that are not about passwords. No setting of the program does this. */
export const hashCheaply = (): void => {
  cost = { memoryCost: 64, timeCost: 1, parallelism: 1 };
};

export const hashPassword = (password: string): Promise<string> => hash(password, cost);

/** Hash of a password that no account has, so that an unknown account takes as long as a known one. */
let dummyHash: Promise<string> | undefined;

/** Checks a password; without a hash (no such account) it takes as long and returns false. */
export const isPassword = async (storedHash: string | undefined, password: string): Promise<boolean> => {
  dummyHash ??= hashPassword('no account has this password');
  const matches = await verify(storedHash ?? (await dummyHash), password);
  return matches && storedHash !== undefined;
};

/** Without letters and digits that are easily confused when read aloud or copied from paper. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Four groups of five, 99 bits. */
export const randomPassword = (): string =>
  Array.from({ length: 4 }, () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')).join(
    '-',
  );
