import { createHash } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';

const hashSource = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/**
 * Everything from this origin, nothing inline except the given scripts. `data:` and `blob:` pictures: the page creates
 * chart images.
 */
const contentSecurityPolicy = (inlineScripts: readonly string[]): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts.map(hashSource)].join(' '),
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const headers: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

interface SecurityHeadersOptions {
  readonly isHttps: boolean;
  /** Texts of the inline scripts that the portal's page may run. */
  readonly inlineScripts: readonly string[];
}

/** On every answer, errors included. Two years of HSTS once the public address is HTTPS. */
export const securityHeaders = ({ isHttps, inlineScripts }: SecurityHeadersOptions): MiddlewareHandler => {
  const policy = contentSecurityPolicy(inlineScripts);
  return async (c, next) => {
    await next();
    c.res.headers.set('content-security-policy', policy);
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    if (isHttps) c.res.headers.set('strict-transport-security', 'max-age=63072000; includeSubDomains');
  };
};
