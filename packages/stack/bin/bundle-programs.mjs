// Bundles each program of a workspace, with the packages it uses, into few files of `dist/program`: Node opens and links
// hundreds of modules in twice the time that it runs them. Part of each build; `node bundle-programs.mjs api broker` runs it alone.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** Workspace → its programs below `src`. A thread and a process of the api are programs of their own. */
const PROGRAMS = {
  api: ['main', 'import-program', 'file-reader', 'file-reading/launch-readers'],
  broker: ['main'],
  'device-agent': ['main'],
  'packages/simulator': ['main'],
};

/** Packages with native parts or files of their own stay where they are. */
const EXTERNAL = [/^@node-rs\//, /^@serialport\//, 'pdfkit'];

/** Globals that CommonJS packages expect. */
const BANNER = 'const __dirname = import.meta.dirname;';

/** A module finds its files and programs from its own place among the sources. */
const ownPlace = (folder) => ({
  name: 'own-place',
  transform: {
    filter: { id: { exclude: /node_modules/ }, code: 'import.meta.url' },
    handler: (code, id) => {
      const place = JSON.stringify(path.relative(folder, id).split(path.sep).join('/'));
      // Lines stay: their map need not change.
      return { code: code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), map: null };
    },
  },
});

async function bundle(workspace) {
  const sources = path.join(ROOT, workspace, 'src');
  const dir = path.join(ROOT, workspace, 'dist', 'program');
  const programs = PROGRAMS[workspace].map((program) => [path.basename(program), path.join(sources, `${program}.ts`)]);
  const made = await rolldown({
    input: Object.fromEntries(programs),
    cwd: path.join(ROOT, workspace),
    platform: 'node',
    external: EXTERNAL,
    resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
    plugins: [ownPlace(dir)],
    onLog(level, log, next) {
      // Otherwise it would only be missed when a program starts.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level === 'warn') next(level, log);
    },
  });
  try {
    await made.write({
      dir,
      cleanDir: true,
      format: 'esm',
      chunkFileNames: '[name].js',
      sourcemap: true,
      comments: false,
      banner: BANNER,
    });
  } finally {
    await made.close();
  }
}

for (const workspace of process.argv.slice(2)) await bundle(workspace);
