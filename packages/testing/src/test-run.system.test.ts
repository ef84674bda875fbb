import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from './shared-data.ts';

const runner = path.join(repositoryRoot(), 'packages', 'testing', 'bin', 'test-run.mjs');

/** Passes when a file exists beside it, which its first run makes. */
const unsteady = (name: string) => `
  import { existsSync, writeFileSync } from 'node:fs';
  it('${name}: passes the second time', () => {
    const marker = new URL('./${name}.marker', import.meta.url);
    const isSecond = existsSync(marker);
    writeFileSync(marker, '');
    expect(isSecond ? 'second' : 'first').toBe('second');
  });
  it('${name}: passes', () => {});
`;
const failing = `it('numbers: are equal', () => expect(1).toBe(2)); it('numbers: exist', () => {});`;

/** Code of a file that knows whether this is its first run. */
const once = (body: string) => `
  import { existsSync, writeFileSync } from 'node:fs';
  const marker = new URL('./marker', import.meta.url);
  const isFirst = !existsSync(marker);
  writeFileSync(marker, '');
  ${body}`;

interface Ended {
  readonly code: number;
  readonly output: string;
  /** Its lines that are not empty, from the last one back. */
  readonly last: readonly string[];
  readonly kept: { unsteady: { file: string; first: { test?: string; text: string }[] }[]; failed: { file: string }[] };
}

/** Runs files of a project `system` and one named `component` by the runner of `npm test`. */
const run = async (files: Record<string, string>): Promise<Ended> => {
  const root = await mkdtemp(path.join(tmpdir(), 'runner-'));
  try {
    const projects = ['system', 'component'].map((name) => ({
      test: { name, globals: true, include: [`${name}/**/*.test.js`], maxWorkers: 1 },
    }));
    const phases = [{ runs: [['system'], ['component']] }];
    const all: Record<string, string> = {
      'vitest.config.js': `export default ${JSON.stringify({ test: { projects } })}`,
      'run.js': `import { runTests } from ${JSON.stringify(pathToFileURL(runner))};
        await runTests({ name: 'scratch', phases: ${JSON.stringify(phases)}, root: import.meta.dirname });`,
      'package.json': '{ "type": "module" }',
      ...files,
    };
    for (const [name, text] of Object.entries(all)) {
      await mkdir(path.dirname(path.join(root, name)), { recursive: true });
      await writeFile(path.join(root, name), text);
    }
    const { code, output } = await new Promise<Pick<Ended, 'code' | 'output'>>((resolve) => {
      const child = execFile(process.execPath, [path.join(root, 'run.js')], (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, output: `${stderr}\n${stdout}` }),
      );
    });
    const kept = JSON.parse(await readFile(path.join(root, 'test-results', 'scratch.json'), 'utf8'));
    return { code, output, last: output.trimEnd().split('\n').filter(Boolean).toReversed(), kept };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

describe('runner', () => {
  it('file that fails only once: counts as passed, and is listed as unsteady with its first failure', async () => {
    const { code, last, output, kept } = await run({ 'system/a.test.js': unsteady('a') });
    const where = 'system/a.test.js › a: passes the second time';
    const message = `AssertionError: expected 'first' to be 'second' // Object.is equality`;
    expect(last.slice(0, 2), output).toEqual(['2 passed, 0 failed', `unsteady: ${where}: ${message}`]);
    expect(code).toBe(0);
    expect(output).toContain(`FAILED THE FIRST TIME ${where}`);
    expect(kept.unsteady.map(({ file }) => file)).toEqual(['system/a.test.js']);
    expect(kept.unsteady[0]?.first[0]?.text).toContain(message);
  });

  it('file that fails twice: has failed', async () => {
    const { code, last, output, kept } = await run({
      'system/a.test.js': failing,
      'system/b.test.js': unsteady('b'),
    });
    expect(last[0], output).toBe('3 passed, 1 failed');
    expect(code).toBe(1);
    expect(output).toContain('FAILED system/a.test.js › numbers: are equal');
    expect(kept.failed.map(({ file }) => file)).toEqual(['system/a.test.js']);
  });

  it('four unsteady files: the run fails and says why', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const { code, last, output } = await run(
      Object.fromEntries(names.map((name) => [`system/${name}.test.js`, unsteady(name)])),
    );
    expect(last.slice(0, 2), output).toEqual([
      '8 passed, 1 failed',
      'More than 3 files are unsteady, which fails this run',
    ]);
    expect(last.filter((line) => line.startsWith('unsteady: '))).toHaveLength(4);
    expect(code).toBe(1);
  });

  it('project without second runs: a failure counts at once', async () => {
    const { code, last, output } = await run({ 'component/a.test.js': unsteady('a') });
    expect(last[0], output).toBe('1 passed, 1 failed');
    expect(output).not.toContain('unsteady: ');
    expect(code).toBe(1);
  });

  it('file that does not load, failed hook, error outside of a test: get their second run', async () => {
    const { code, last, output } = await run({
      'system/load/a.test.js': once(`if (isFirst) throw new Error('not loaded'); it('loads', () => {});`),
      'system/hook/a.test.js': once(
        `beforeAll(() => { if (isFirst) throw new Error('no hook'); }); it('runs', () => {});`,
      ),
      'system/stray/a.test.js': once(`
        if (isFirst) process.nextTick(() => { throw new Error('not awaited'); });
        it('ends', () => new Promise((resolve) => { setTimeout(resolve, 100); }));`),
    });
    expect(last[0], output).toBe('3 passed, 0 failed');
    expect(last.slice(1, 4).toSorted()).toEqual([
      'unsteady: system/hook/a.test.js: Error: no hook',
      'unsteady: system/load/a.test.js: Error: not loaded',
      'unsteady: system/stray/a.test.js: Error: not awaited',
    ]);
    expect(code).toBe(0);
  });

  it('run that breaks off: files without a result get their second run', async () => {
    // The reporter's process is the one that a killed run loses.
    const kill = `
      import { existsSync, writeFileSync } from 'node:fs';
      it('ends', () => {
        const marker = new URL('./marker', import.meta.url);
        if (existsSync(marker)) return;
        writeFileSync(marker, '');
        process.kill(process.ppid, 'SIGKILL');
        return new Promise(() => {});
      });`;
    const { code, last, output } = await run({ 'system/a.test.js': kill, 'component/b.test.js': `it('b', () => {})` });
    expect(last.slice(0, 2), output).toEqual([
      '2 passed, 0 failed',
      'unsteady: system/a.test.js: The run ended before this file did.',
    ]);
    expect(code).toBe(0);
  });

  it('run that reports nothing: has failed', async () => {
    const { code, last, output } = await run({ 'vitest.config.js': `throw new Error('no configuration')` });
    expect(last[0], output).toBe('0 passed, 2 failed');
    expect(code).toBe(1);
  });
});
