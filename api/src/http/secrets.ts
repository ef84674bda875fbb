import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits, as text that fits a cookie, a header and an environment file. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** The stored form of a token: with that much randomness a plain SHA-256 is as good as a slow hash. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** For short codes that could be guessed from a stolen hash: keyed with a secret that is not in the database. */
export const keyedHash = (secretKey: string, text: string): Buffer =>
  createHmac('sha256', secretKey).update(text).digest();

/** Compares in constant time, also for different lengths. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hashToken(given), hashToken(expected));
