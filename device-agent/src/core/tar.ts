/** One entry of an archive; names of folders end without a slash. */
export type TarEntry =
  | { readonly path: string; readonly kind: 'file'; readonly mode: number; readonly content: Buffer }
  | { readonly path: string; readonly kind: 'folder'; readonly mode: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string };

const blockBytes = 512;
const longestName = 100;

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;

const headerOf = (entry: TarEntry, mtimeSeconds: number): Buffer => {
  const name = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  if (Buffer.byteLength(name) > longestName) throw new RangeError(`too long for a plain tar archive: ${name}`);
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0);
  header.write(octal(entry.kind === 'link' ? 0o777 : entry.mode, 7), 100);
  // Owner and group are root, whatever user builds.
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(entry.kind === 'file' ? entry.content.length : 0, 11), 124);
  header.write(octal(mtimeSeconds, 11), 136);
  header.write(' '.repeat(8), 148);
  header.write({ file: '0', folder: '5', link: '2' }[entry.kind], 156);
  if (entry.kind === 'link') header.write(entry.target, 157);
  header.write('ustar\x0000root', 257);
  header.write('root', 297);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
};

/**
 * A tar archive (ustar) of these entries, all with one time and owned by root: the same bytes for the same content.
 */
export const tarOf = (entries: readonly TarEntry[], mtimeSeconds: number): Buffer => {
  const parts = entries.flatMap((entry) => {
    const header = headerOf(entry, mtimeSeconds);
    if (entry.kind !== 'file') return [header];
    const padding = Buffer.alloc((blockBytes - (entry.content.length % blockBytes)) % blockBytes);
    return [header, entry.content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
};
