/** `%` and `_` typed by a person mean themselves. */
export const containing = (q: string): string => `%${q.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
