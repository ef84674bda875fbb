import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** The host of a `Host` header in lower case, without port and brackets; undefined when invalid. */
const hostOf = (header: string): string | undefined =>
  /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i
    .exec(header)?.[1]
    ?.toLowerCase()
    .replace(/^\[|\]$/g, '');

/**
 * Whether a request was meant for this server: by an address, by a name without a dot (`localhost`, a container's), by
 * the computer's name or by one of `names`. A page that resolves its own name to this server (DNS rebinding) uses a
 * name with a dot that is none of them. A request without the header does not come from a browser.
 */
export const isMeantForUs = (header: string | undefined, names: readonly string[] = []): boolean => {
  if (header === undefined) return true;
  const host = hostOf(header);
  if (host === undefined) return false;
  if (isIP(host) !== 0 || !host.includes('.')) return true;
  return [hostname(), ...names].some((name) => name.toLowerCase() === host);
};
