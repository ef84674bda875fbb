import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { packageFor } from '../packaging/board-package.ts';
import type { DebianPackage } from '../packaging/deb.ts';
import { nodePackageFor, type NodeArchitecture } from '../packaging/node-package.ts';
import { bundleProgram } from '../packaging/program-bundle.ts';
import { openReleaseKey } from '../packaging/release-key.ts';
import { releaseOf, writeRelease } from '../packaging/release.ts';

/** The real package of the agent under another version number. Needs dpkg-deb. */
const underVersion = (real: DebianPackage, version: string, folder: string): DebianPackage => {
  const tree = mkdtempSync(join(folder, 'tree-'));
  const path = join(folder, `${version}.deb`);
  writeFileSync(path, real.content);
  execFileSync('dpkg-deb', ['--raw-extract', path, tree]);
  const edit = (name: string, change: (text: string) => string): void =>
    writeFileSync(join(tree, name), change(readFileSync(join(tree, name), 'utf8')));
  edit('DEBIAN/control', (text) => text.replace(/^Version: .*$/m, `Version: ${version}`));
  edit('usr/lib/roastery-agent/package.json', (text) => text.replace(/"version":"[^"]*"/, `"version":"${version}"`));
  execFileSync('dpkg-deb', ['-Zgzip', '-z1', '--root-owner-group', '--build', tree, path]);
  rmSync(tree, { recursive: true });
  const control =
    readFileSync(path).length > 0 ? execFileSync('dpkg-deb', ['--field', path], { encoding: 'utf8' }) : '';
  return { fileName: real.fileName.replace(/_[^_]+_/, `_${version}_`), control, content: readFileSync(path) };
};

/** Makes releases of the real agent, with the Node.js of this process, in folders below `folder`. */
export const prepareReleases = async (folder: string, architecture: NodeArchitecture) => {
  const real = packageFor(architecture, await bundleProgram(), {});
  const licence = Buffer.from('MIT\n');
  const node = nodePackageFor(architecture, { program: readFileSync(process.execPath), licence }, 1_795_000_000);
  const installScript = readFileSync(join(repositoryRoot(), 'deploy/board/install.sh'), 'utf8');
  return {
    /** The folder `packages` of a release of this version, signed with the key of that name, `seconds` after the first. */
    async make(version: string, keyName: string, seconds: number): Promise<string> {
      using key = openReleaseKey(join(folder, `key-${keyName}`), repositoryRoot());
      const debs = [underVersion(real, version, folder), node];
      const now = Math.floor(Date.now() / 1000) - 1000 + seconds;
      const parts = { version, debs, key, seconds: now, installScript, changelog: '', sbom: '{}\n' };
      const out = join(folder, `release-${version}-${keyName}`);
      await writeRelease(out, releaseOf(parts));
      return join(out, 'packages');
    },
  };
};
