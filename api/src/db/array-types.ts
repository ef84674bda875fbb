/**
 * Arrays of the built-in types that we use. The driver can query the server for them on each connection, but a connection that is
 * lost at that moment causes an unhandled rejection, which ends the process.
 */
type Element = string | number | boolean | Date | null;

const textOids = [
  1009, 1015, 2951,
  // name
  1003,
] as const;
const numberOids = [1005, 1007, 1016, 1021, 1022, 1231] as const;
const booleanOid = 1000;
const timeOids = [1115, 1185] as const;

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`;

const elementText = (element: Element): string => {
  if (element === null) return 'NULL';
  if (element instanceof Date) return quoted(element.toISOString());
  if (typeof element === 'boolean') return element ? 't' : 'f';
  return typeof element === 'number' ? String(element) : quoted(element);
};

/** The literal Postgres reads; a text passes as it is, since it is one already. */
export const writeArray = (array: readonly Element[] | string): string =>
  typeof array === 'string' ? array : `{${array.map(elementText).join(',')}}`;

const elementPattern = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/g;

/** The elements of a one-dimensional array as Postgres prints it. */
export const readArray = <T>(literal: string, parse: (text: string) => T): (T | null)[] =>
  Array.from(literal.slice(1, -1).matchAll(elementPattern), ([, inQuotes, bare]) => {
    if (inQuotes !== undefined) return parse(inQuotes.replaceAll(/\\(.)/g, '$1'));
    return bare === 'NULL' || bare === undefined ? null : parse(bare);
  });

const arrayType = <T>(oids: readonly number[], parse: (text: string) => T) =>
  Object.fromEntries(
    oids.map((oid) => [
      `array${oid}`,
      { to: oid, from: [oid], serialize: writeArray, parse: (literal: string) => readArray(literal, parse) },
    ]),
  );

export const arrayTypes = {
  ...arrayType(textOids, (text) => text),
  ...arrayType(numberOids, Number),
  ...arrayType([booleanOid], (text) => text === 't'),
  ...arrayType(timeOids, (text) => new Date(text).toISOString()),
};
