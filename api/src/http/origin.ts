import type { Context } from 'hono';
import { AppError } from './app-error.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

const refuse = (): never => {
  throw new AppError('wrong_origin', 'This request came from another site');
};

/**
 * Refuses unsafe methods that a foreign page set off. Browsers send Origin and Sec-Fetch-Site and let no page change them;
 * programs send neither and are let through: they hold no cookie that they did not get themselves.
 * Behind plain HTTP the page's host must be the host it calls; behind HTTPS it must be the public address itself.
 */
export const checkOrigin = (c: Context, publicUrl: string): void => {
  if (safeMethods.has(c.req.method)) return;
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') refuse();
  const origin = c.req.header('origin');
  if (origin === undefined) return;
  const own = new URL(publicUrl);
  if (origin === own.origin) return;
  const host = c.req.header('host');
  if (own.protocol === 'https:' || host === undefined || origin !== `http://${host}`) refuse();
};
