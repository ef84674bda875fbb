import type { Server } from 'node:net';

/** The code of a system error, such as EACCES; empty for anything else. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The message of an error, or a thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The port on which a server listens. Throws for a server that does not listen, or listens on a path. */
export const portOf = (server: Pick<Server, 'address'>): number => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
};
