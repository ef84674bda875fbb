import { hostname } from 'node:os';

/** Addresses without brackets, zone and IPv4 mapping, names in lower case, so that two spellings of one host are equal. */
const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/, '');

/** The host of a `Host` header, without its port; undefined when it is none. */
const hostOf = (header: string): string | undefined =>
  /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(header)?.[1]?.toLowerCase();

/**
 * Whether a request was meant for this board: by the address that it came to, or the board's own name. A page elsewhere that
 * lets its name point here (DNS rebinding) comes under another name, and is not answered. The list of all interfaces is not
 * used: it takes a netlink socket, which the service's sandbox forbids.
 */
export const isOurName = (header: string | undefined, cameTo: string | undefined, name = hostname()): boolean => {
  const host = hostOf(header ?? '');
  if (host === undefined) return false;
  const own = new Set(['localhost', '127.0.0.1', '::1', plain(name), `${plain(name)}.local`, plain(cameTo ?? '')]);
  return own.has(plain(host));
};
