import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** This folder, and the repository around it. */
export const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.dirname(here);

/** Text of a file of this folder. */
export const read = (...names: string[]): string => readFileSync(path.join(here, ...names), 'utf8');

/** `NAME=value` lines as an object. */
export const envFile = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** Node itself reads these. */
const ofNode = new Set(['NODE_ENV', 'NODE_EXTRA_CA_CERTS']);

/** Which of these variables appear nowhere in a program's sources, tests left out. */
export const unknownTo = (workspace: string, names: string[]): string[] => {
  const folder = path.join(root, workspace, 'src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
  return names.filter((name) => !ofNode.has(name) && !new RegExp(`\\b${name}\\b`).test(sources));
};

/** The npm scripts of a workspace. */
export const scriptsOf = (workspace: string): Record<string, string> => {
  const manifest = JSON.parse(readFileSync(path.join(root, workspace, 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>;
  };
  return manifest.scripts ?? {};
};
