import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { TarEntry } from '../core/tar.ts';
import { debOf, packageFile as file, packageSeconds, type DebianPackage } from './deb.ts';
import { nativePart, readNativePart, type Architecture, type ProgramBundle } from './program-bundle.ts';

const workspace = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const repository = dirname(workspace);
const boardFiles = join(repository, 'deploy', 'board');
const name = 'roastery-agent';
const docs = `usr/share/doc/${name}`;

const board = (file: string): string => readFileSync(join(boardFiles, file), 'utf8');
const zipped = (text: string): Buffer => gzipSync(text, { level: 9 });
const readVersion = (): string =>
  parseOrThrow(z.object({ version: z.string() }), JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')))
    .version;

/** Version and time of the newest entry of the changelog: the package gets that time. */
export const readRelease = (): { version: string; seconds: number } => {
  const [, version = ''] = /^[\w.-]+ \(([^)]+)\)/.exec(board('changelog')) ?? [];
  const [, date = ''] = /^ -- .*>\s\s(.+)$/m.exec(board('changelog')) ?? [];
  const seconds = Date.parse(date) / 1000;
  if (version !== readVersion() || !Number.isFinite(seconds))
    throw new Error(`deploy/board/changelog is of version ${version} (${date}), device-agent of ${readVersion()}`);
  return { version, seconds };
};

/** The unit of the repository; in the package a launcher chooses the version, and may roll a new one back. */
export const packagedUnit = (): string => {
  const unit = readFileSync(join(repository, 'deploy', 'systemd', `${name}.service`), 'utf8');
  const from =
    'ExecStart=/usr/bin/node --enable-source-maps --max-semi-space-size=1 --optimize-for-size /opt/roastery/device-agent/dist/program/main.js run\n';
  const launch = `/usr/lib/${name}/launch`;
  // As root and outside the sandbox, so that a version on trial cannot change its own record.
  const to = `ExecStartPre=-+${launch} starting\nExecStart=${launch} run\nExecStopPost=-+${launch} ended\n`;
  if (!unit.includes(from)) throw new Error('the unit starts the agent in another way than the package expects');
  const head = `Documentation=man:device-agent(1)\nWants=${name}-order.path ${name}-time.path\n\n[Service]`;
  return unit.replace(from, to).replace('[Service]', head);
};

const licenceOf = (folder: string): string => {
  const found = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return found === undefined ? '' : readFileSync(join(folder, found), 'utf8').trim();
};

const manifestShape = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** Name, version and licence of each package that went into the program. */
export const bundledPackages = (packages: readonly string[]): string => {
  const entries = packages.map((folder) => {
    const manifest = parseOrThrow(manifestShape, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    const text = licenceOf(folder);
    return `${manifest.name} ${manifest.version} (${manifest.license})\n${text === '' ? '' : `\n${text}\n`}`;
  });
  return `Packages that are bundled with device-agent.\n\n${[...new Set(entries)].toSorted().join('\n----\n\n')}`;
};

const copyright = (): string => {
  const terms = readFileSync(join(repository, 'LICENSE'), 'utf8').replace(/^[\s\S]*?(?=Permission is hereby)/, '');
  const indented = terms
    .trim()
    .split('\n')
    .map((line) => (line.trim() === '' ? ' .' : ` ${line}`));
  return board('copyright').replace('@LICENSE@', indented.join('\n'));
};

/** All installed files, without their folders. */
const filesFor = (
  architecture: Architecture,
  bundle: ProgramBundle,
  version: string,
  keyring: Buffer | undefined,
): TarEntry[] => [
  ...(keyring === undefined ? [] : [file(`usr/share/${name}/keyring.asc`, keyring)]),
  file(`etc/${name}/settings.env`, board('settings.env')),
  file('usr/bin/device-agent', board('device-agent'), 0o755),
  file(`usr/lib/${name}/launch`, board('launch'), 0o755),
  ...['order', 'time-servers'].map((part) => file(`usr/lib/${name}/${part}`, board(part), 0o755)),
  // Files that begin with `#!` have to be executable.
  ...[...bundle.files].map(([path, text]) =>
    file(`usr/lib/${name}/dist/${path}`, text, text.startsWith('#!') ? 0o755 : 0o644),
  ),
  file(`usr/lib/${name}/dist/${nativePart}`, readNativePart(architecture)),
  file(`usr/lib/${name}/package.json`, `${JSON.stringify({ name, version, type: 'module' })}\n`),
  file(`usr/lib/systemd/system/${name}.service`, packagedUnit()),
  ...['order.path', 'order.service', 'time.path', 'time.service'].map((unit) =>
    file(`usr/lib/systemd/system/${name}-${unit}`, board(`${name}-${unit}`)),
  ),
  file(`usr/lib/sysusers.d/${name}.conf`, board(`${name}.sysusers.conf`)),
  file(`${docs}/changelog.gz`, zipped(board('changelog'))),
  file(`${docs}/copyright`, copyright()),
  file(`${docs}/bundled-packages.txt.gz`, zipped(bundledPackages(bundle.packages))),
  file('usr/share/man/man1/device-agent.1.gz', zipped(board('device-agent.1'))),
  ...(existsSync(join(boardFiles, 'lintian-overrides'))
    ? [file(`usr/share/lintian/overrides/${name}`, board('lintian-overrides'))]
    : []),
];

/** Node comes from a package of ours if Node.js has binaries for the architecture. */
const nodeDependency = (architecture: Architecture): string =>
  architecture === 'armhf' ? 'nodejs (>= 20.19)' : 'roastery-node (>= 24) | nodejs (>= 20.19)';

/**
 * The Debian package of the agent for one architecture: the same bytes on every computer and at any time. Throws when
 * the changelog is of another version. A board that gets its packages from a repository trusts `keyring` from then on.
 */
export const packageFor = (
  architecture: Architecture,
  bundle: ProgramBundle,
  env: NodeJS.ProcessEnv = process.env,
  keyring?: Buffer,
): DebianPackage => {
  const { version, seconds } = readRelease();
  return debOf({
    control: board('control')
      .replace('@VERSION@', version)
      .replace('@ARCHITECTURE@', architecture)
      .replace('@NODE@', nodeDependency(architecture)),
    files: filesFor(architecture, bundle, version, keyring),
    scripts: Object.fromEntries(['postinst', 'postrm', 'preinst', 'prerm'].map((name) => [name, board(name)])),
    conffiles: [`/etc/${name}/settings.env`],
    seconds: packageSeconds(env, seconds),
  });
};
