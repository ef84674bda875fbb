import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Bindings are absent in tests that call the app without a socket. */
export interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: { requestId: string; endpointName: string | undefined };
}

/** Address of the socket's peer, IPv4 without its IPv6 wrapping. */
export const peerAddress = (c: Context<Env>): string | null =>
  c.env?.incoming?.socket.remoteAddress?.replace(/^::ffff:/, '') ?? null;

/**
 * The client's address. With n trusted proxies it is the n-th from the right of X-Forwarded-For: entries further left
 * come from the client. Without proxies the header is ignored.
 */
export const clientAddress = (c: Context<Env>, trustedProxies: number): string | null => {
  const peer = peerAddress(c);
  if (trustedProxies === 0) return peer;
  const hops = (c.req.header('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim());
  const hop = hops.at(-trustedProxies);
  return hop !== undefined && /^[0-9a-fA-F.:]{2,45}$/.test(hop) ? hop : peer;
};

/** The first 64 bits, in any notation: `::` stands for the missing groups of zeros. */
const prefixOf = (address: string): string => {
  const [left = [], right] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = right === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...(right ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
};

/** One household or office has one IPv4 address, or 2^64 IPv6 addresses. */
export const networkOf = (address: string | null): string => {
  if (address === null) return 'unknown';
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return plain.includes(':') ? prefixOf(plain) : plain;
};
