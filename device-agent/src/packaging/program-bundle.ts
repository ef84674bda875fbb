import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';

export interface ProgramBundle {
  /** File name below `dist/` → its text; `main.js` is the program. */
  readonly files: ReadonlyMap<string, string>;
  /** Folders of the bundled packages, for their licences. */
  readonly packages: readonly string[];
}

/** Name of the serial port's native part beside the bundled program. */
export const nativePart = 'serialport.node';

/** Globals that CommonJS packages expect. */
const banner = 'const __dirname = import.meta.dirname;';

/**
 * The serial port looks for its native part in a folder of its own with one for every system. On a board there is only
 * one, beside the program.
 */
const nativeBesideProgram: Plugin = {
  name: 'native-beside-program',
  resolveId: (id) => (id === 'node-gyp-build' ? '\0native-part' : null),
  load: (id) =>
    id === '\0native-part'
      ? `import { createRequire } from 'node:module';
// The package for any computer has none: it reads Artisan. What opens a serial port then says why it can't.
const absent = (error) => new Proxy({}, { get: () => () => { throw new Error('no serial ports: ' + error.message); } });
export default () => {
  try {
    return createRequire(import.meta.url)('./${nativePart}');
  } catch (error) {
    return absent(error);
  }
};
`
      : null,
};

const packageOf = (moduleId: string): string | undefined =>
  /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(moduleId.replaceAll('\\', '/'))?.[1];

/**
 * The whole agent in a few files, from its sources. Commands stay in files of their own, so that the agent does not
 * keep them in memory; it needs no other package.
 */
export const bundleProgram = async (): Promise<ProgramBundle> => {
  const workspace = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
  const bundle = await rolldown({
    input: { main: join(workspace, 'src', 'main.ts') },
    platform: 'node',
    cwd: workspace,
    resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
    plugins: [nativeBesideProgram],
    // Excluded packages must be known: a package that can't be found would only be missed on the board.
    onLog(level, log, next) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level === 'warn') next(level, log);
    },
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', chunkFileNames: '[name].js', comments: false, banner });
    const packages = new Set<string>();
    const files = new Map<string, string>();
    for (const chunk of output) {
      if (chunk.type !== 'chunk') throw new Error(`unexpected part of the bundle: ${chunk.fileName}`);
      files.set(chunk.fileName, chunk.code);
      for (const id of chunk.moduleIds) {
        const found = packageOf(id);
        if (found !== undefined) packages.add(found);
      }
    }
    return { files, packages: [...packages].toSorted() };
  } finally {
    await bundle.close();
  }
};

/** The native part for a Debian architecture, from the serial port's package (glibc). */
export const readNativePart = (architecture: Architecture): Buffer => {
  const folder = fileURLToPath(new URL('../prebuilds/', import.meta.resolve('@serialport/bindings-cpp')));
  return readFileSync(join(folder, prebuilds[architecture]));
};

const prebuilds = {
  amd64: 'linux-x64/@serialport+bindings-cpp.glibc.node',
  arm64: 'linux-arm64/@serialport+bindings-cpp.armv8.glibc.node',
  armhf: 'linux-arm/@serialport+bindings-cpp.armv7.glibc.node',
} as const;
export type Architecture = keyof typeof prebuilds;
export const architectures = Object.keys(prebuilds) as Architecture[];
