import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { memoryFolder, repositoryRoot } from './shared-data.ts';
import { until } from './until.ts';

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

interface Kept {
  readonly unsteady: readonly { file: string; first: readonly { test?: string; text: string }[] }[];
  readonly failures: readonly { file: string }[];
  readonly left: { readonly files: readonly string[]; readonly processes: readonly string[] };
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  /** Its lines that are not empty, from the last one back. */
  readonly last: readonly string[];
}

interface Scratch extends AsyncDisposable {
  readonly root: string;
  /** The temporary folder of its runs. */
  readonly tmp: string;
  /** Starts the run as a person does, or its program alone; `ended` resolves when it ended. */
  start(program?: string): { readonly npm: ChildProcess; readonly ended: Promise<Ended> };
}

/** A project of its own with these files, whose `npm test` is the runner with the projects `system` and `other`. */
const prepareScratch = async (files: Record<string, string>): Promise<Scratch> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'runner-'));
  const [root, tmp] = [path.join(folder, 'root'), path.join(folder, 'tmp')];
  const projects = ['system', 'other'].map((name) => ({
    resolve: { conditions: ['source'] },
    ssr: { resolve: { conditions: ['source'], externalConditions: ['source'] } },
    test: { name, globals: true, isolate: false, include: [`${name}/**/*.test.js`], maxWorkers: 1 },
  }));
  const phases = [{ runs: [['system', 'other']] }];
  const all: Record<string, string> = {
    'vitest.config.js': `export default ${JSON.stringify({ test: { projects } })}`,
    'run.js': `import { runTests } from ${JSON.stringify(pathToFileURL(runner))};
      await runTests({ name: 'scratch', phases: ${JSON.stringify(phases)}, root: import.meta.dirname });`,
    'package.json': '{ "type": "module", "scripts": { "test": "exec node run.js" } }',
    ...files,
  };
  await mkdir(tmp, { recursive: true });
  for (const [name, text] of Object.entries(all)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return {
    root,
    tmp,
    start: (program) => {
      const [command, ...args] = program === undefined ? ['npm', 'test', '--silent'] : [process.execPath, program];
      const npm = spawn(command, args, { cwd: root, env: { ...process.env, TMPDIR: tmp } });
      let output = '';
      npm.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
      npm.stderr.on('data', (chunk: Buffer) => (output += String(chunk)));
      const ended = new Promise<Ended>((resolve, reject) => {
        npm.once('error', reject);
        npm.once('close', (code) => resolve({ code, output, last: output.split('\n').filter(Boolean).toReversed() }));
      });
      return { npm, ended };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};

/** Runs the files, and asserts that nothing stays in the temporary folder. */
const run = async (files: Record<string, string>): Promise<Ended & { kept: Kept }> => {
  await using scratch = await prepareScratch(files);
  const ended = await scratch.start('run.js').ended;
  expect(await readdir(scratch.tmp), ended.output).toEqual([]);
  const kept = JSON.parse(await readFile(path.join(scratch.root, 'test-results', 'scratch.json'), 'utf8'));
  return { ...ended, kept };
};

const source = (file: string) => JSON.stringify(path.join(repositoryRoot(), 'packages', 'testing', 'src', file));
const isNoise = ({ command }: { command: string }) => /for \(;;\)/.test(command);

describe('runner', () => {
  it('failed files: get a second run, which decides, in the projects that have one; four unsteady ones fail the run', async () => {
    const { code, last, output, kept } = await run({
      'system/a.test.js': failing,
      'system/b.test.js': unsteady('b'),
      'other/c.test.js': unsteady('c'),
      'system/load/a.test.js': once(`if (isFirst) throw new Error('not loaded'); it('loads', () => {});`),
      'system/hook/a.test.js': once(
        `beforeAll(() => { if (isFirst) throw new Error('no hook'); }); it('runs', () => {});`,
      ),
      'system/stray/a.test.js': once(`
        if (isFirst) process.nextTick(() => { throw new Error('not awaited'); });
        it('ends', () => new Promise(setImmediate));`),
      'other/left.test.js': `
        import { spawn } from 'node:child_process';
        import { mkdtempSync } from 'node:fs';
        import { tmpdir } from 'node:os';
        it('leaves a folder and a process', () => {
          mkdtempSync(tmpdir() + '/left-');
          spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref();
        });`,
    });
    const where = 'system/b.test.js › b: passes the second time';
    const message = `AssertionError: expected 'first' to be 'second' // Object.is equality`;
    expect(last.slice(0, 2), output).toEqual([
      '8 passed, 3 failed',
      'More than 3 files are unsteady, which fails this run',
    ]);
    expect(last.slice(2, 6).toSorted()).toEqual([
      `unsteady: ${where}: ${message}`,
      'unsteady: system/hook/a.test.js: Error: no hook',
      'unsteady: system/load/a.test.js: Error: not loaded',
      'unsteady: system/stray/a.test.js: Error: not awaited',
    ]);
    expect(code).toBe(1);
    // The first failure is kept.
    expect(output).toContain(`FAILED THE FIRST TIME ${where}`);
    expect(output).toContain('FAILED system/a.test.js › numbers: are equal');
    expect(output).toContain('FAILED other/c.test.js › c: passes the second time');
    expect(kept.failures.map(({ file }) => file).toSorted()).toEqual(['other/c.test.js', 'system/a.test.js']);
    const unsteadyFirst = kept.unsteady.find(({ file }) => file === 'system/b.test.js');
    expect(unsteadyFirst?.first[0]?.text).toContain(message);
    // What a test leaves is removed and counted.
    expect(kept.left.files).toEqual([expect.stringMatching(/^left-/)]);
    expect(kept.left.processes).toEqual(['sleep 1000']);
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
    const { code, last, output } = await run({ 'system/a.test.js': kill });
    expect(last.slice(0, 2), output).toEqual([
      '1 passed, 0 failed',
      'unsteady: system/a.test.js: The run ended before this file did.',
    ]);
    expect(code).toBe(0);
  });

  it('run that reports nothing: has failed', async () => {
    const { code, last, output } = await run({ 'vitest.config.js': `throw new Error('no configuration')` });
    expect(last, output).toContain('0 passed, 1 failed');
    expect(code).toBe(1);
  });

  it('signal to npm alone: ends every process of the run and removes its files', async () => {
    await using scratch = await prepareScratch({
      'system/a.test.js': `
        import { spawn } from 'node:child_process';
        import { writeFileSync } from 'node:fs';
        import { launchBrowser } from ${source('browser.ts')};
        import { startTestPostgres } from ${source('test-postgres.ts')};
        it('waits', async () => {
          const postgres = await startTestPostgres();
          const browser = await launchBrowser();
          spawn('sh', ['-c', 'trap "" INT TERM; while :; do sleep 1; done'], { detached: true, stdio: 'ignore' }).unref();
          writeFileSync(new URL('../ready', import.meta.url), '');
          await new Promise(() => {});
        }, 600_000);`,
    });
    const { npm, ended } = scratch.start();
    await until('the test', () => existsSync(path.join(scratch.root, 'ready')), { timeoutMs: 120_000 });
    const began = await descendantsOf(npm.pid);
    const commands = began.map(({ command }) => command).join('\n');
    for (const word of ['vitest', 'postgres', 'chromium', 'while']) expect(commands).toContain(word);
    npm.kill('SIGINT');
    const { output } = await ended;
    const left = began.filter(({ pid }) => existsSync(`/proc/${pid}/exe`)).map(({ command }) => command);
    expect(left, output).toEqual([]);
    expect(await readdir(scratch.tmp)).toEqual([]);
    const inMemory = await readdir(memoryFolder ?? scratch.tmp);
    expect(inMemory.filter((name) => began.some(({ pid }) => name.includes(`-${pid}-`)))).toEqual([]);
  });
});

const noise = path.join(repositoryRoot(), 'packages', 'testing', 'bin', 'noise.mjs');
/** `npm test` runs a program of one line beside the noise, in place of all tests. */
const prepareNoise = (program: string): Promise<Scratch> =>
  prepareScratch({
    'run.js': program,
    'package.json': JSON.stringify({ type: 'module', scripts: { test: `exec node ${noise} --seed 7 run.js` } }),
  });
const untilNoise = (npm: ChildProcess) =>
  until('the noise', async () => {
    const all = await descendantsOf(npm.pid);
    return all.filter(isNoise).length > availableParallelism() ? all : undefined;
  });

describe('noise', () => {
  it('a run beside it: ends with its verdict, and nothing of the noise stays', async () => {
    await using scratch = await prepareNoise(`
      import { existsSync } from 'node:fs';
      while (!existsSync('seen')) await new Promise(setImmediate);
      console.log('1 passed, 0 failed');
      process.exitCode = 3;`);
    const { npm, ended } = scratch.start();
    const began = await untilNoise(npm);
    await writeFile(path.join(scratch.root, 'seen'), '');
    const { code, last, output } = await ended;
    expect(last[0], output).toBe('1 passed, 0 failed');
    expect(output).toContain('noise: seed 7');
    expect(code).toBe(3);
    expect(began.filter(({ pid }) => existsSync(`/proc/${pid}/exe`))).toEqual([]);
    expect(await readdir(scratch.tmp)).toEqual([]);
  });

  it('signal to npm alone: ends the noise and the run', async () => {
    await using scratch = await prepareNoise(
      `process.on('SIGINT', () => process.exit(1)); setInterval(() => {}, 1000);`,
    );
    const { npm, ended } = scratch.start();
    const began = await untilNoise(npm);
    npm.kill('SIGINT');
    const { output } = await ended;
    const left = began.filter(({ pid }) => existsSync(`/proc/${pid}/exe`)).map(({ command }) => command);
    expect(left, output).toEqual([]);
    expect(await readdir(scratch.tmp)).toEqual([]);
  });
});

/** Empty once the process has ended. */
const readProcess = (file: string) => readFile(`/proc/${file}`, 'utf8').catch(() => '');

/** The processes below one, with their commands. */
const descendantsOf = async (root = 0): Promise<{ pid: number; command: string }[]> => {
  const children = (await readProcess(`${root}/task/${root}/children`)).trim().split(' ').filter(Boolean);
  const below = await Promise.all(
    children.map(async (child) => {
      const command = (await readProcess(`${child}/cmdline`)).replaceAll('\0', ' ');
      return [{ pid: Number(child), command }, ...(await descendantsOf(Number(child)))];
    }),
  );
  return below.flat();
};
