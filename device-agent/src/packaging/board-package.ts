import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { tarOf, type TarEntry } from '../core/tar.ts';
import { arOf } from './ar.ts';
import { nativePart, readNativePart, type Architecture, type ProgramBundle } from './program-bundle.ts';

export interface BoardPackage {
  /** `roastery-agent_0.1.0_arm64.deb` */
  readonly fileName: string;
  readonly content: Buffer;
}

const workspace = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const repository = dirname(workspace);
const boardFiles = join(repository, 'deploy', 'board');
const name = 'roastery-agent';
const docs = `usr/share/doc/${name}`;

const board = (file: string): string => readFileSync(join(boardFiles, file), 'utf8');
const zipped = (text: string): Buffer => gzipSync(text, { level: 9 });
const file = (path: string, content: string | Buffer, mode = 0o644): TarEntry => ({
  path,
  kind: 'file',
  mode,
  content: Buffer.from(content),
});

const readVersion = (): string =>
  (JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as { version: string }).version;

/** Version and time of the newest entry of the changelog: what is packaged is of that time. */
const readRelease = (): { version: string; seconds: number } => {
  const [, version = ''] = /^[\w.-]+ \(([^)]+)\)/.exec(board('changelog')) ?? [];
  const [, date = ''] = /^ -- .*>\s\s(.+)$/m.exec(board('changelog')) ?? [];
  const seconds = Date.parse(date) / 1000;
  if (version !== readVersion() || !Number.isFinite(seconds))
    throw new Error(`deploy/board/changelog is of version ${version} (${date}), device-agent of ${readVersion()}`);
  return { version, seconds };
};

/** Seconds since 1970 for everything in the package: `SOURCE_DATE_EPOCH` as reproducible-builds.org has it, else the release's. */
const timeOf = (env: NodeJS.ProcessEnv, released: number): number => {
  const given = Number(env['SOURCE_DATE_EPOCH'] || Number.NaN);
  return Number.isInteger(given) && given >= 0 ? given : released;
};

/** The unit of the repository; in the package a launcher chooses the version, and may turn a new one back. */
export const packagedUnit = (): string => {
  const unit = readFileSync(join(repository, 'deploy', 'systemd', `${name}.service`), 'utf8');
  const from =
    'ExecStart=/usr/bin/node --enable-source-maps --max-semi-space-size=1 --optimize-for-size /opt/roastery/device-agent/dist/main.js run\n';
  const launch = `/usr/lib/${name}/launch`;
  // As root and outside the sandbox: what is written about a version on trial is out of that version's reach.
  const to = `ExecStartPre=-+${launch} starting\nExecStart=${launch} run\nExecStopPost=-+${launch} ended\n`;
  if (!unit.includes(from)) throw new Error('the unit starts the agent in another way than the package expects');
  return unit.replace(from, to).replace('[Service]', `Documentation=man:device-agent(1)\n\n[Service]`);
};

const licenceOf = (folder: string): string => {
  const found = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return found === undefined ? '' : readFileSync(join(folder, found), 'utf8').trim();
};

/** Name, version and licence of each package that went into the program. */
const bundledPackages = (packages: readonly string[]): string => {
  const entries = packages.map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    const text = licenceOf(folder);
    return `${String(manifest['name'])} ${String(manifest['version'])} (${String(manifest['license'])})\n${text === '' ? '' : `\n${text}\n`}`;
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

/** Everything that lies on the board afterwards, without its folders. */
const filesFor = (architecture: Architecture, bundle: ProgramBundle, version: string): TarEntry[] => [
  file(`etc/${name}/settings.env`, board('settings.env')),
  file('usr/bin/device-agent', board('device-agent'), 0o755),
  file(`usr/lib/${name}/launch`, board('launch'), 0o755),
  // What begins with `#!` has to be executable.
  ...[...bundle.files].map(([path, text]) =>
    file(`usr/lib/${name}/dist/${path}`, text, text.startsWith('#!') ? 0o755 : 0o644),
  ),
  file(`usr/lib/${name}/dist/${nativePart}`, readNativePart(architecture)),
  file(`usr/lib/${name}/package.json`, `${JSON.stringify({ name, version, type: 'module' })}\n`),
  file(`usr/lib/systemd/system/${name}.service`, packagedUnit()),
  file(`usr/lib/sysusers.d/${name}.conf`, board(`${name}.sysusers.conf`)),
  file(`${docs}/changelog.gz`, zipped(board('changelog'))),
  file(`${docs}/copyright`, copyright()),
  file(`${docs}/bundled-packages.txt.gz`, zipped(bundledPackages(bundle.packages))),
  file('usr/share/man/man1/device-agent.1.gz', zipped(board('device-agent.1'))),
  ...(existsSync(join(boardFiles, 'lintian-overrides'))
    ? [file(`usr/share/lintian/overrides/${name}`, board('lintian-overrides'))]
    : []),
];

/** With the folders that each file needs, parents first, as dpkg unpacks them. */
const withFolders = (files: readonly TarEntry[]): TarEntry[] => {
  const folders = new Set<string>();
  for (const { path } of files)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) folders.add(path.slice(0, at));
  const made = [...folders].map((path): TarEntry => ({ path, kind: 'folder', mode: 0o755 }));
  return [...made, ...files].toSorted((a, b) => (a.path < b.path ? -1 : 1));
};

const below = (entries: readonly TarEntry[]): TarEntry[] => [
  { path: '.', kind: 'folder', mode: 0o755 },
  ...entries.map((entry) => ({ ...entry, path: `./${entry.path}` })),
];

/**
 * The Debian package of the agent for one architecture, made without any tool of Debian: the same bytes whoever builds it,
 * wherever and whenever. Throws when the changelog is of another version.
 */
export const packageFor = (
  architecture: Architecture,
  bundle: ProgramBundle,
  env: NodeJS.ProcessEnv = process.env,
): BoardPackage => {
  const { version, seconds: released } = readRelease();
  const seconds = timeOf(env, released);
  const files = filesFor(architecture, bundle, version);
  const contents = files.flatMap((entry) => (entry.kind === 'file' ? [entry] : []));
  const bytes = contents.reduce((sum, { content }) => sum + content.length, 0);
  const md5sums = contents
    .filter(({ path }) => !path.startsWith('etc/'))
    .map(({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`)
    .toSorted((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1));
  const control = board('control')
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@INSTALLED_KIB@', String(Math.ceil(bytes / 1024)));
  const scripts = ['postinst', 'postrm', 'preinst', 'prerm'].map((script) => file(script, board(script), 0o755));
  const about = [
    file('conffiles', `/etc/${name}/settings.env\n`),
    file('control', control),
    file('md5sums', md5sums.join('')),
    ...scripts,
  ];
  const zip = (entries: readonly TarEntry[]): Buffer => gzipSync(tarOf(below(entries), seconds), { level: 9 });
  return {
    fileName: `${name}_${version}_${architecture}.deb`,
    content: arOf(
      [
        { name: 'debian-binary', content: Buffer.from('2.0\n') },
        { name: 'control.tar.gz', content: zip(about) },
        { name: 'data.tar.gz', content: zip(withFolders(files)) },
      ],
      seconds,
    ),
  };
};
