import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { portablePackageName } from '@roastery/contract/board-packages';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { packageFor } from '../packaging/board-package.ts';
import type { DebianPackage } from '../packaging/deb.ts';
import { nodePackageFor, type NodeArchitecture } from '../packaging/node-package.ts';
import { bundleProgram } from '../packaging/program-bundle.ts';
import { openReleaseKeys } from '../packaging/release-key.ts';
import { releaseOf, writeRelease } from '../packaging/release.ts';

/** The real package of the agent under another version number, with this keyring and a fault. Needs dpkg-deb. */
const underVersion = (
  real: DebianPackage,
  { version, fault }: { version: string; fault: string },
  folder: string,
  keyring: Buffer,
): DebianPackage => {
  const tree = mkdtempSync(join(folder, 'tree-'));
  const path = join(folder, `${version}.deb`);
  writeFileSync(path, real.content);
  execFileSync('dpkg-deb', ['--raw-extract', path, tree]);
  const edit = (name: string, change: (text: string) => string): void =>
    writeFileSync(join(tree, name), change(readFileSync(join(tree, name), 'utf8')));
  edit('DEBIAN/control', (text) => text.replace(/^Version: .*$/m, `Version: ${version}`));
  edit('usr/lib/roastery-agent/package.json', (text) => text.replace(/"version":"[^"]*"/, `"version":"${version}"`));
  edit('usr/lib/roastery-agent/dist/main.js', (text) =>
    text.replace('\n', `\nif (process.argv[2] === 'run') { ${fault} }\n`),
  );
  edit('usr/share/roastery-agent/keyring.asc', () => keyring.toString());
  execFileSync('dpkg-deb', ['-Zgzip', '-z1', '--root-owner-group', '--build', tree, path]);
  rmSync(tree, { recursive: true });
  return {
    fileName: real.fileName.replace(/_[^_]+_/, `_${version}_`),
    control: execFileSync('dpkg-deb', ['--field', path], { encoding: 'utf8' }),
    content: readFileSync(path),
  };
};

/** Makes releases of the real agent, with the Node.js of this process, in folders below `folder`. */
export const prepareReleases = async (folder: string, architecture: NodeArchitecture) => {
  const real = packageFor(architecture, await bundleProgram(), {}, Buffer.from('in its place\n'));
  const licence = Buffer.from('MIT\n');
  const node = nodePackageFor(architecture, { program: readFileSync(process.execPath), licence }, 1_795_000_000);
  const installScript = readFileSync(join(repositoryRoot(), 'deploy/board/install.sh'), 'utf8');
  const keysIn = (name: string, another = false) =>
    openReleaseKeys(join(folder, `key-${name}`), repositoryRoot(), { another });
  return {
    /** The folder `packages` of a release of this version, signed with the keys of that name, `seconds` after the first. */
    async make(version: string, keyName: string, seconds: number, fault = ''): Promise<string> {
      using keys = keysIn(keyName);
      const debs = [underVersion(real, { version, fault }, folder, keys.publicKeys), node];
      const now = Math.floor(Date.now() / 1000) - 1000 + seconds;
      const portable = { fileName: portablePackageName(version), content: Buffer.alloc(0) };
      const parts = { version, debs, portable, keys, seconds: now, installScript, changelog: '', sbom: '{}\n' };
      const out = join(folder, `release-${version}-${keyName}-${seconds}`);
      await writeRelease(out, releaseOf(parts));
      return join(out, 'packages');
    },
    /** Makes a second key of that name, as `npm run release -- --new-key` does. */
    addKey(keyName: string): void {
      keysIn(keyName, true)[Symbol.dispose]();
    },
    /** Keeps these keys, as they are now, under another name. */
    copyKeys(keyName: string, copy: string): void {
      cpSync(join(folder, `key-${keyName}`), join(folder, `key-${copy}`), { recursive: true });
    },
    /** Removes the first key of that name, as the owner does when no board needs it any more. */
    retireFirstKey(keyName: string): void {
      using keys = keysIn(keyName);
      const words = ['--batch', '--yes', '--delete-secret-and-public-key', keys.fingerprints[0] ?? ''];
      execFileSync('gpg', ['--homedir', join(folder, `key-${keyName}`), ...words]);
    },
  };
};
