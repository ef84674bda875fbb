import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { tarOf, type TarEntry } from '../core/tar.ts';
import { arOf } from './ar.ts';

export interface DebianPackage {
  /** `roastery-agent_0.1.0_arm64.deb` */
  readonly fileName: string;
  /** Text of its control file, ending with a line break. */
  readonly control: string;
  readonly content: Buffer;
}

export interface PackageParts {
  /** Control file; `@INSTALLED_KIB@` becomes the size of the files. */
  readonly control: string;
  /** All installed files, without their folders. */
  readonly files: readonly TarEntry[];
  /** Name of a maintainer script → its text. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** Files that dpkg keeps as the administrator changed them. */
  readonly conffiles?: readonly string[];
  /** Time of every file, seconds since 1970. */
  readonly seconds: number;
}

export const packageFile = (path: string, content: string | Buffer, mode = 0o644): TarEntry => ({
  path,
  kind: 'file',
  mode,
  content: Buffer.from(content),
});

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

/** Value of a field of a control file. Throws if it is missing. */
export const fieldOf = (control: string, field: string): string => {
  const [, value] = new RegExp(`^${field}: (.+)$`, 'm').exec(control) ?? [];
  if (value === undefined) throw new Error(`the control file has no ${field}`);
  return value;
};

/** Build time in seconds since 1970: `SOURCE_DATE_EPOCH` of reproducible-builds.org, else the given time. */
export const packageSeconds = (env: NodeJS.ProcessEnv, otherwise: number): number => {
  const given = Number(env['SOURCE_DATE_EPOCH'] || Number.NaN);
  return Number.isInteger(given) && given >= 0 ? given : otherwise;
};

/** A Debian package, built without any tool of Debian: the same bytes for the same parts, on any computer. */
export const debOf = ({
  control: template,
  files,
  scripts = {},
  conffiles = [],
  seconds,
}: PackageParts): DebianPackage => {
  const contents = files.flatMap((entry) => (entry.kind === 'file' ? [entry] : []));
  const bytes = contents.reduce((sum, { content }) => sum + content.length, 0);
  const md5sums = contents
    .filter(({ path }) => !conffiles.includes(`/${path}`))
    .map(({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`)
    .toSorted((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1));
  const control = template.replace('@INSTALLED_KIB@', String(Math.ceil(bytes / 1024)));
  const about = [
    ...(conffiles.length > 0 ? [packageFile('conffiles', conffiles.map((path) => `${path}\n`).join(''))] : []),
    packageFile('control', control),
    packageFile('md5sums', md5sums.join('')),
    ...Object.entries(scripts).map(([name, text]) => packageFile(name, text, 0o755)),
  ];
  // A higher level takes four times as long for Node.js and saves half a percent.
  const zip = (entries: readonly TarEntry[]): Buffer => gzipSync(tarOf(below(entries), seconds), { level: 6 });
  const [name, version, architecture] = ['Package', 'Version', 'Architecture'].map((field) => fieldOf(control, field));
  return {
    fileName: `${name}_${version}_${architecture}.deb`,
    control,
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
