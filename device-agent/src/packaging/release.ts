import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PackageRepository } from '@roastery/contract/board-packages';
import { parseJson } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import { aptRepositoryOf, poolPath, releasePath } from './apt-repository.ts';
import { fieldOf, type DebianPackage } from './deb.ts';
import { nodeArchitectures, nodeRuntime } from './node-package.ts';
import { architectures } from './program-bundle.ts';
import type { ReleaseKeys } from './release-key.ts';

export interface ReleaseParts {
  readonly version: string;
  readonly debs: readonly DebianPackage[];
  /** The agent for computers that run Artisan. */
  readonly portable: { readonly fileName: string; readonly content: Buffer };
  readonly keys: Pick<ReleaseKeys, 'fingerprints' | 'publicKeys' | 'signInline' | 'signApart'>;
  /** Time of the release, seconds since 1970. A board ignores one that is older than the last it saw. */
  readonly seconds: number;
  /** `deploy/board/install.sh` */
  readonly installScript: string;
  readonly changelog: string;
  readonly sbom: string;
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

const repositoryOf = ({ version, debs, portable, keys }: ReleaseParts): PackageRepository => ({
  version,
  portable: portable.fileName,
  fingerprints: keys.fingerprints,
  packages: debs.map((deb) => ({
    name: fieldOf(deb.control, 'Package'),
    version: fieldOf(deb.control, 'Version'),
    architecture: fieldOf(deb.control, 'Architecture'),
    file: poolPath(deb),
    bytes: deb.content.length,
    sha256: sha256(deb.content),
  })),
});

/** The changes of this version, or the unreleased ones. */
const changesOf = (changelog: string, version: string): string => {
  const sections = changelog.split(/^(?=## )/m);
  const found =
    sections.find((section) => section.startsWith(`## ${version}`)) ??
    sections.find((section) => section.startsWith('## Unreleased'));
  return (found ?? '').replace(/^## .*\n/, '').trim();
};

const notesOf = ({ version, keys, changelog }: ReleaseParts): string => `# ${version}

Packages for boards: \`packages/\`, an apt repository signed with the key ${keys.fingerprints.join(' and ')}.
\`roastery-node\` brings Node.js ${nodeRuntime.version} for ${nodeArchitectures.join(' and ')}; armhf uses the system's (20.19 or later).

To check the files: \`gpg --verify SHA256SUMS.asc SHA256SUMS && sha256sum --check SHA256SUMS\`

${changesOf(changelog, version)}
`;

/** All files of a release: path → content. */
export const releaseOf = (parts: ReleaseParts): ReadonlyMap<string, Buffer> => {
  const { debs, portable, keys, seconds, installScript, sbom } = parts;
  const repository = aptRepositoryOf(debs, { architectures, seconds });
  const toSign = repository.get(releasePath);
  if (toSign === undefined) throw new Error('the repository has no Release file');
  const script = installScript
    .replaceAll('@FINGERPRINT@', keys.fingerprints.join(' or '))
    .replace('@KEY@\n', keys.publicKeys.toString());
  const packages = new Map([
    ...repository,
    [`${dirname(releasePath)}/InRelease`, keys.signInline(toSign)],
    [`${releasePath}.gpg`, keys.signApart(toSign)],
    ['roastery.asc', keys.publicKeys],
    [portable.fileName, portable.content],
    ['install.sh', Buffer.from(script)],
    ['repository.json', Buffer.from(`${JSON.stringify(repositoryOf(parts), null, 2)}\n`)],
  ]);
  const files = new Map([
    ...[...packages].map(([path, content]) => [`packages/${path}`, content] as const),
    ['RELEASE_NOTES.md', Buffer.from(notesOf(parts))],
    ['sbom.cdx.json', Buffer.from(sbom)],
  ]);
  const sums = Buffer.from([...files].map(([path, content]) => `${sha256(content)}  ${path}\n`).join(''));
  return new Map([...files, ['SHA256SUMS', sums], ['SHA256SUMS.asc', keys.signApart(sums)]]);
};

/** Replaces the previous release as a whole: an api that starts in between finds one or the other. */
export const writeRelease = async (folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> => {
  const next = `${folder}.new`;
  const before = `${folder}.before`;
  await rm(next, { recursive: true, force: true });
  for (const [path, content] of files) {
    await mkdir(join(next, dirname(path)), { recursive: true });
    await writeFile(join(next, path), content);
  }
  await rm(before, { recursive: true, force: true });
  await rename(folder, before).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(next, folder);
  await rm(before, { recursive: true, force: true });
};

const billShape = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ name: z.string() }) }),
  components: z.array(z.looseObject({})),
});

/** CycloneDX: every npm package of the lock file that is not a development tool, and the Node.js of the boards. */
export const billOfMaterials = async (repository: string): Promise<string> => {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'];
  const { stdout } = await promisify(execFile)('npm', words, { cwd: repository, maxBuffer: 2 ** 26 });
  const parsed = parseJson(billShape, stdout);
  if (!parsed.success) throw new Error('npm sbom: no bill of materials in CycloneDX');
  const { version } = nodeRuntime;
  const { metadata, components, ...rest } = parsed.data;
  const node = {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
    licenses: [{ license: { id: 'MIT' } }],
  };
  // npm names the whole after its folder.
  const whole = { ...metadata, component: { ...metadata.component, name: 'roastery' } };
  return `${JSON.stringify({ ...rest, metadata: whole, components: [...components, node] }, null, 2)}\n`;
};

/** The text of a file of the repository. */
export const readText = (...path: string[]): Promise<string> => readFile(join(...path), 'utf8');
