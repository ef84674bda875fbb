import { hostname, networkInterfaces } from 'node:os';

/** Addresses without brackets and zone, names in lower case, so that two spellings of one host are equal. */
const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '');

/** The host of a `Host` header, without its port; undefined when it is none. */
const hostOf = (header: string): string | undefined =>
  /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(header)?.[1]?.toLowerCase();

/**
 * Whether a request was meant for this board: by one of its addresses or its own name. A page elsewhere that lets its
 * name point here (DNS rebinding) comes under another name, and is not answered.
 */
export const isOurName = (header: string | undefined, name: string = hostname()): boolean => {
  const host = hostOf(header ?? '');
  if (host === undefined) return false;
  const own = new Set(['localhost', plain(name), `${plain(name)}.local`]);
  for (const addresses of Object.values(networkInterfaces()))
    for (const { address } of addresses ?? []) own.add(plain(address));
  return own.has(plain(host));
};
