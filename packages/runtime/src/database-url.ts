import { z } from 'zod';

/** The address of a Postgres server. */
export interface DatabasePlace {
  readonly host: string;
  readonly port: number;
}

export interface DatabaseAddress {
  /** In the order of the address; several are a primary and its standbys. */
  readonly places: readonly DatabasePlace[];
  /** The same database at its first address only. */
  readonly firstUrl: string;
}

const writingAttributes = new Set(['read-write', 'primary']);

const placeOf = (text: string): DatabasePlace | undefined => {
  if (!URL.canParse(`postgres://${text}`)) return undefined;
  const { hostname, port } = new URL(`postgres://${text}`);
  return hostname === '' ? undefined : { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || 5432) };
};

/**
 * Reads `postgres://user:password@host:port,host:port/name?…`; undefined where the URL is invalid, or asks for a
 * read-only server.
 */
export const parseDatabaseUrl = (url: string): DatabaseAddress | undefined => {
  const [, scheme, user = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^/?#]*)(.*)$/.exec(url) ?? [];
  const [first = ''] = hosts.split(',');
  const single = `${scheme}${user}${first}${rest}`;
  if (scheme === undefined || !URL.canParse(single)) return undefined;
  if (!hosts.includes(',')) return { places: [placeOf(hosts) ?? { host: '', port: 5432 }], firstUrl: url };
  const places = hosts.split(',').flatMap((host) => placeOf(host) ?? []);
  const firstUrl = new URL(single);
  const attributes = firstUrl.searchParams.get('target_session_attrs') ?? 'read-write';
  firstUrl.searchParams.delete('target_session_attrs');
  if (places.length < hosts.split(',').length || !writingAttributes.has(attributes)) return undefined;
  return { places, firstUrl: firstUrl.href };
};

/** The variable that holds the database URL. */
export const databaseUrlShape = z
  .string()
  .refine((url) => parseDatabaseUrl(url) !== undefined, 'must be a postgres:// address, to read and write');
