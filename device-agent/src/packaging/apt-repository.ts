import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { fieldOf, type DebianPackage } from './deb.ts';

export type RepositoryFiles = ReadonlyMap<string, Buffer>;

const suite = 'stable';
const component = 'main';
/** Below the address of the repository; the content of the signed file. */
export const releasePath = `dists/${suite}/Release`;

/**
 * An attacker between board and server could repeat an old release forever. A server has its packages from a release that may be
 * the newest for long, and a board must be installable from it.
 */
const validDays = 730;
const instant = (seconds: number): string => new Date(seconds * 1000).toUTCString();

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Where a package lies, below the address of the repository. */
export const poolPath = ({ fileName }: DebianPackage): string => `pool/${component}/${fileName}`;

const entryOf = (deb: DebianPackage): string =>
  `${deb.control}Filename: ${poolPath(deb)}\nSize: ${deb.content.length}\nSHA256: ${sha256(deb.content)}\n`;

/**
 * An apt repository of these packages without its signatures: path → content. Indexes are also stored under their hash,
 * so that a board that reads while a newer release replaces them still gets a consistent set.
 */
export const aptRepositoryOf = (
  debs: readonly DebianPackage[],
  { architectures, seconds }: { architectures: readonly string[]; seconds: number },
): RepositoryFiles => {
  const indexes = architectures.flatMap((architecture) => {
    const text = Buffer.from(
      debs
        .filter((deb) => fieldOf(deb.control, 'Architecture') === architecture)
        .map(entryOf)
        .join('\n'),
    );
    const folder = `${component}/binary-${architecture}`;
    return [
      { folder, name: 'Packages', content: text },
      { folder, name: 'Packages.gz', content: gzipSync(text, { level: 9 }) },
    ];
  });
  const release = [
    'Origin: Roastery',
    'Label: Roastery',
    `Suite: ${suite}`,
    `Codename: ${suite}`,
    `Date: ${instant(seconds)}`,
    `Valid-Until: ${instant(seconds + validDays * 24 * 3600)}`,
    `Architectures: ${architectures.join(' ')}`,
    `Components: ${component}`,
    'Description: Software for the board beside a coffee roasting machine',
    'Acquire-By-Hash: yes',
    'SHA256:',
    ...indexes.map(({ folder, name, content }) => ` ${sha256(content)} ${content.length} ${folder}/${name}`),
    '',
  ].join('\n');
  return new Map([
    ...debs.map((deb) => [poolPath(deb), deb.content] as const),
    ...indexes.flatMap(({ folder, name, content }) => [
      [`dists/${suite}/${folder}/${name}`, content] as const,
      [`dists/${suite}/${folder}/by-hash/SHA256/${sha256(content)}`, content] as const,
    ]),
    [releasePath, Buffer.from(release)],
  ]);
};
