import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readFunctionSizes } from './function-sizes.ts';
import { repositoryRoot } from './shared-data.ts';
import { isTestFile, readSourceFiles } from './source-files.ts';

const maxLines = 120;
const isProgram = (file: string): boolean =>
  /\/src\/.*\.tsx?$/.test(file) && !file.startsWith('packages/testing/') && !isTestFile(file);

it('no function has more than 120 lines', async () => {
  const files = (await readSourceFiles()).map(({ path: file }) => file).filter(isProgram);
  const sizes = await readFunctionSizes(repositoryRoot(), files);
  const large = sizes.filter(({ lines }) => lines > maxLines).map(({ name }) => name);
  expect(large, 'divide the function: state as a value, with functions of it').toEqual([]);
});

it('function sizes: count nested functions, components and methods, but no types and no strings', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'functions-'));
  const text = [
    'export const Page = (): string => {',
    '  const inner = () => {',
    "    return '{';",
    '  };',
    '  return inner();',
    '};',
    'export async function* pages() {}',
    'const rows = { read() {',
    '  return 1;',
    '} };',
    'type F = () => void;',
    'each(rows, (row) => {',
    '});',
  ];
  await writeFile(path.join(root, 'a.tsx'), text.join('\n'));
  const sizes = await readFunctionSizes(root, ['a.tsx']);
  await rm(root, { recursive: true });
  expect(sizes.map(({ name, lines }) => [name, lines])).toEqual([
    ['a.tsx › Page', 6],
    ['a.tsx › inner', 3],
    ['a.tsx › pages', 1],
    ['a.tsx › read', 3],
    ['a.tsx › each', 2],
  ]);
});
