import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { repositoryRoot } from './shared-data.ts';

export interface SourceFile {
  /** Path from the repository's top folder, with forward slashes. */
  path: string;
  lines: number;
  text: string;
  /** Its imports: files of the project by their path, packages by their name. */
  imports: { target: string; typeOnly: boolean }[];
}

const PLACES = ['packages', 'broker', 'api', 'device-agent', 'portal'];
const SOURCE = /\.(?:tsx?|mjs)$/;

/** Every source file of the project: TypeScript and plain JavaScript, tests included, nothing generated or installed. */
export async function readSourceFiles(): Promise<SourceFile[]> {
  const files = (await Promise.all(PLACES.map((place) => filesBelow(place))))
    .flat()
    .filter((file) => SOURCE.test(file));
  const known = new Set(files);
  return Promise.all(files.map((file) => readSource(file, known)));
}

export interface Document {
  path: string;
  text: string;
  lines: number;
}

/** Every page of documentation, from the repository's top folder down. */
export async function readDocuments(): Promise<Document[]> {
  const top = (await readdir(repositoryRoot())).filter((name) => name.endsWith('.md'));
  const below = (await Promise.all([...PLACES, 'deploy'].map((place) => filesBelow(place)))).flat();
  return Promise.all(
    [...top, ...below.filter((file) => file.endsWith('.md'))].map(async (file) => {
      const text = await readFile(path.join(repositoryRoot(), file), 'utf8');
      return { path: file, text, lines: text.trimEnd().split('\n').length };
    }),
  );
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(path.join(repositoryRoot(), folder), { withFileTypes: true });
  const found = entries.map(async (entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')) return [];
    const file = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(file) : [file];
  });
  return (await Promise.all(found)).flat();
}

async function readSource(file: string, known: ReadonlySet<string>): Promise<SourceFile> {
  const text = await readFile(path.join(repositoryRoot(), file), 'utf8');
  return { path: file, lines: text.trimEnd().split('\n').length, text, imports: importsOf(file, text, known) };
}

const IMPORT =
  /^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** The imports in a file's text. `@roastery/contract/x` is resolved to the file it means, like a relative one. */
export function importsOf(file: string, text: string, known: ReadonlySet<string>): SourceFile['imports'] {
  return [...text.matchAll(IMPORT)].map(([, type, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? '';
    return { target: resolve(file, specifier, known), typeOnly: type !== undefined };
  });
}

function resolve(file: string, specifier: string, known: ReadonlySet<string>): string {
  if (specifier.startsWith('.')) {
    const target = path.posix.join(path.posix.dirname(file), specifier);
    // Plain JavaScript imports built files beside it; TypeScript imports sources.
    return known.has(target) ? target : target.replace(/\.js$/, '.ts');
  }
  const [, workspace, below] = /^@roastery\/([^/]+)(?:\/(.*))?$/.exec(specifier) ?? [];
  if (workspace === undefined) return specifier;
  const home = APPS.has(workspace) ? workspace : `packages/${workspace}`;
  return `${home}/src/${below ?? ''}.ts`;
}

const APPS: ReadonlySet<string> = new Set(['api', 'broker', 'device-agent', 'portal']);

/** Tests, benches and their helpers may import more than programs of a roastery. */
export function isTestFile(file: string): boolean {
  return /\.(?:test|bench|e2e)\.tsx?$|\/testing\/|^packages\/lab\/|^portal\/e2e\//.test(file);
}
