import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageRepositoryShape } from '@roastery/contract/board-packages';
import { parseJson } from '@roastery/contract/parse-shape';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { afterAll, describe, expect, it } from 'vitest';
import { tarOf } from '../core/tar.ts';
import { aptRepositoryOf } from './apt-repository.ts';
import { debOf, packageFile } from './deb.ts';
import { nodePackageFor, readFromTar } from './node-package.ts';
import { openReleaseKeys, whyNoGpg } from './release-key.ts';
import { releaseOf, writeRelease } from './release.ts';

const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'release-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const seconds = 1_795_000_000;
const agent = (architecture: string) =>
  debOf({
    control: `Package: roastery-agent\nVersion: 0.1.0\nArchitecture: ${architecture}\nInstalled-Size: @INSTALLED_KIB@\nDescription: agent\n`,
    files: [packageFile('usr/lib/roastery-agent/package.json', '{}\n')],
    seconds,
  });
const node = nodePackageFor('arm64', { program: Buffer.from('#!/bin/sh\n'), licence: Buffer.from('MIT\n') }, seconds);
const debs = [agent('arm64'), agent('armhf'), node];
const architectures = ['arm64', 'armhf'];
const portable = { fileName: 'roastery-agent-0.1.0.tgz', content: Buffer.from('npm') };
const repository = aptRepositoryOf(debs, { architectures, seconds });
const text = (files: ReadonlyMap<string, Buffer>, path: string): string => files.get(path)?.toString() ?? '';

describe('apt repository', () => {
  it('lists only the packages of each architecture, with their sizes and checksums', () => {
    const arm64 = text(repository, 'dists/stable/main/binary-arm64/Packages');
    expect(arm64.match(/^Package: .*$/gm)).toEqual(['Package: roastery-agent', 'Package: roastery-node']);
    const armhf = text(repository, 'dists/stable/main/binary-armhf/Packages');
    expect(armhf.match(/^Package: .*$/gm)).toEqual(['Package: roastery-agent']);
    for (const deb of debs) {
      const entry = `${arm64}\n${armhf}`.split('\n\n').find((each) => each.includes(`/${deb.fileName}\n`));
      expect(entry).toContain(`\nSize: ${deb.content.length}\nSHA256: ${sha256(deb.content)}`);
      expect(repository.get(`pool/main/${deb.fileName}`)).toBe(deb.content);
    }
  });

  it('lists the checksum of every index in Release, and stores each under its checksum too', () => {
    const release = text(repository, 'dists/stable/Release');
    expect(release).toMatch(/^Date: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/m);
    const [from, until] = ['Date', 'Valid-Until'].map((name) =>
      Date.parse(new RegExp(`^${name}: (.*)$`, 'm').exec(release)?.[1] ?? ''),
    );
    expect((until ?? 0) - (from ?? 0)).toBe(730 * 24 * 3600 * 1000);
    expect(release).toMatch(/^Acquire-By-Hash: yes$/m);
    const lines = [...release.matchAll(/^ ([0-9a-f]{64}) (\d+) (\S+)$/gm)];
    expect(lines.map(([, , , path]) => path)).toEqual([
      'main/binary-arm64/Packages',
      'main/binary-arm64/Packages.gz',
      'main/binary-armhf/Packages',
      'main/binary-armhf/Packages.gz',
    ]);
    for (const [, sum = '', size, path = ''] of lines) {
      const index = repository.get(`dists/stable/${path}`) ?? Buffer.alloc(0);
      expect([sha256(index), String(index.length)]).toEqual([sum, size]);
      expect(repository.get(`dists/stable/${dirname(path)}/by-hash/SHA256/${sum}`)).toBe(index);
    }
    const folder = 'dists/stable/main/binary-arm64';
    const zipped = repository.get(`${folder}/Packages.gz`) ?? Buffer.alloc(0);
    expect(gunzipSync(zipped)).toEqual(repository.get(`${folder}/Packages`));
  });
});

describe('the package of Node.js', () => {
  it('extracts a file from an archive by its whole path', () => {
    const archive = tarOf(
      [
        { path: 'package', kind: 'folder', mode: 0o755 },
        packageFile('package/bin/node.txt', 'x'.repeat(513)),
        packageFile('package/bin/node', 'the program'),
      ],
      seconds,
    );
    expect(readFromTar(archive, 'package/bin/node').toString()).toBe('the program');
    expect(() => readFromTar(archive, 'package/LICENSE')).toThrow('the archive holds no package/LICENSE');
  });

  it.skipIf(!has('dpkg-deb'))('is installed in its own folder and is executable (skipped without dpkg-deb)', () => {
    const path = join(folder, node.fileName);
    writeFileSync(path, node.content);
    const listed = execFileSync('dpkg-deb', ['--contents', path], { encoding: 'utf8' });
    expect(listed).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/lib\/roastery-node\/bin\/node$/m);
    expect(listed).not.toMatch(/usr\/bin|etc\//);
  });
});

describe.skipIf(whyNoGpg !== undefined)(`a signed release (skipped without gpg)`, () => {
  const keyFolder = join(folder, 'key');
  const makeRelease = () => {
    using keys = openReleaseKeys(keyFolder, repositoryRoot());
    const installScript = readFileSync(join(repositoryRoot(), 'deploy/board/install.sh'), 'utf8');
    const changelog = '# Changelog\n\n## Unreleased\n\n- Boards install themselves.\n\n## 0.0.9\n\n- Old.\n';
    return {
      key: keys,
      files: releaseOf({ version: '0.1.0', debs, portable, keys, seconds, installScript, changelog, sbom: '{}\n' }),
    };
  };
  const { key, files } = whyNoGpg === undefined ? makeRelease() : { key: undefined, files: new Map<string, Buffer>() };
  const out = join(folder, 'out');
  const verify = (...words: string[]) => {
    const keyring = join(folder, 'keyring.gpg');
    spawnSync('gpg', ['--batch', '--yes', '--dearmor', '-o', keyring, join(out, 'packages/roastery.asc')]);
    return spawnSync('gpgv', ['--keyring', keyring, ...words], { cwd: out, encoding: 'utf8' });
  };

  it('release key: is created once, readable by its owner only, and never in the repository', () => {
    expect(key?.made).toEqual(key?.fingerprints);
    expect(statSync(keyFolder).mode & 0o777).toBe(0o700);
    expect(statSync(join(keyFolder, 'pubring.kbx')).mode & 0o777).toBe(0o600);
    using again = openReleaseKeys(keyFolder, repositoryRoot());
    expect([again.made, again.fingerprints]).toEqual([[], key?.fingerprints]);
    expect(() => openReleaseKeys(join(repositoryRoot(), 'key'), repositoryRoot())).toThrow(
      /must not lie in the repository/,
    );
    const open = join(folder, 'open');
    mkdirSync(open, { mode: 0o755 });
    expect(() => openReleaseKeys(open, repositoryRoot())).toThrow(/other users can read the release key: chmod/);
  });

  it.skipIf(!has('gpgv'))('is accepted by gpgv, and refused with one byte changed (skipped without gpgv)', async () => {
    await writeRelease(out, files);
    expect(verify('packages/dists/stable/InRelease').status).toBe(0);
    expect(verify('packages/dists/stable/Release.gpg', 'packages/dists/stable/Release').status).toBe(0);
    expect(verify('SHA256SUMS.asc', 'SHA256SUMS').status).toBe(0);
    expect(execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out, encoding: 'utf8' })).toBe('');
    const path = join(out, 'packages/dists/stable/InRelease');
    writeFileSync(path, readFileSync(path, 'utf8').replace('Suite: stable', 'Suite: stabla'));
    expect(verify('packages/dists/stable/InRelease').status).not.toBe(0);
  });

  it('describes itself, and replaces the previous release', async () => {
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, 'of-the-release-before'), '');
    await writeRelease(out, files);
    expect(() => statSync(join(out, 'of-the-release-before'))).toThrow(/ENOENT/);
    const about = parseJson(packageRepositoryShape, text(files, 'packages/repository.json'));
    expect(about.data).toMatchObject({ version: '0.1.0', fingerprints: key?.fingerprints });
    expect(about.data?.packages.map(({ name, architecture }) => `${name} ${architecture}`)).toEqual([
      'roastery-agent arm64',
      'roastery-agent armhf',
      'roastery-node arm64',
    ]);
    expect(text(files, 'RELEASE_NOTES.md')).toMatch(/^# 0\.1\.0\n[^]*\n- Boards install themselves\.\n$/);
    const script = text(files, 'packages/install.sh');
    expect(script).toContain(`fingerprint='${key?.fingerprints[0]}'`);
    expect(script).toContain(`<<'KEY'\n${text(files, 'packages/roastery.asc')}KEY\n`);
  });
});
