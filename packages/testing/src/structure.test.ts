import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  actionsByHand,
  barrels,
  casts,
  chainsByHand,
  directParses,
  domainCycles,
  fixedUnits,
  formsByHand,
  foldersWithoutLayer,
  forbiddenWorkspaceImports,
  functionsOfTheSurface,
  importCycles,
  importsOfTests,
  importsOfTheLab,
  importsPastTheSurface,
  impureImports,
  largeFolders,
  looksOnce,
  numbersSetByHand,
  parsersInTheApi,
  reachesInside,
  realTimeInTests,
  samplesElsewhere,
  sidewaysImports,
  smallFiles,
  statementsElsewhere,
  strayFormats,
  upwardImports,
  vagueNames,
  wordsWithoutStandardTerm,
} from './house-rules.ts';
import { importsOf, isTestFile, readSourceFiles, type SourceFile } from './source-files.ts';

const files = await readSourceFiles();
/** Limits that only fall: lower them when the counts fall. */
const limits = { wordsWithoutStandardTerm: 10, smallFiles: 70, casts: 60, numbersSetByHand: 119, filesOfDetection: 15 };
/** `timed`: why each test of that project is about real time, and the seconds it takes. `counts`: the rest, which only falls. */
const listFile = new URL('real-time-in-tests.json', import.meta.url);
const realTime: {
  timed: { file: string; test: string; reason: string; seconds: number }[];
  counts: Record<string, number>;
} = JSON.parse(readFileSync(listFile, 'utf8'));
const generated = (path: string) => /\.generated\.tsx?$|\.golden\.|\/migrations\//.test(path);

describe('structure', () => {
  it('imports: each place imports only what it may', () => expect(forbiddenWorkspaceImports(files)).toEqual([]));
  it('never imports tests into programs', () => expect(importsOfTests(files)).toEqual([]));
  it('imports nothing of the lab', () => expect(importsOfTheLab(files)).toEqual([]));
  it('never imports upward within an app', () => expect(upwardImports(files)).toEqual([]));
  it('gives each folder of an app its layer', () =>
    expect(foldersWithoutLayer(files), 'LAYERS of house-rules.ts lists them').toEqual([]));
  it('never imports sideways between features or undeclared domains', () => expect(sidewaysImports(files)).toEqual([]));
  it('keeps the roasting package and the contract pure', () => expect(impureImports(files)).toEqual([]));
  it('has no import cycle', () => expect(importCycles(files)).toEqual([]));
  it('has no import cycle between domains', () => expect(domainCycles(files)).toEqual([]));
  it('reads files in the file readers only', () => expect(parsersInTheApi(files)).toEqual([]));
  it('checks values only by parseShape, never by a shape itself', () => expect(directParses(files)).toEqual([]));
  it('formats numbers and dates in one module of the portal and one of the api', () =>
    expect(strayFormats(files)).toEqual([]));
  it('writes and reads weights, money, numbers and days in the units of the user', () =>
    expect(fixedUnits(files)).toEqual([]));
  it('has no vague names', () => expect(vagueNames(files)).toEqual([]));
  it('retries expectations on a page instead of reading it once', () => expect(looksOnce(files)).toEqual([]));
  it('makes a statement that has consequences in one place', () => expect(statementsElsewhere(files)).toEqual([]));
  it('names the tables of samples in the recordings only', () => expect(samplesElsewhere(files)).toEqual([]));
  it('imports from the recordings through their surface, which has at most ten functions', () => {
    expect(importsPastTheSurface(files)).toEqual([]);
    const functions = functionsOfTheSurface(files);
    expect(functions).toContain('readSamples');
    expect(functions.length, functions.join(', ')).toBeLessThanOrEqual(10);
  });
  it("uses others' objects as they are", () => expect(reachesInside(files)).toEqual([]));
  it('runs tasks in turn by serial()', () => expect(chainsByHand(files)).toEqual([]));
  it('makes a button busy, and shows its failure, in one way', () => expect(actionsByHand(files)).toEqual([]));
  it('asks before a form is left, in one way', () => expect(formsByHand(files)).toEqual([]));
  it('keeps folders that were divided at 12 files', () => expect(largeFolders(files)).toEqual([]));
  it('has no file that only re-exports others', () => expect(barrels(files)).toEqual([]));

  it('uses standard terms', () => {
    const found = wordsWithoutStandardTerm(files.filter(({ path }) => !path.endsWith('/house-rules.ts')));
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(limits.wordsWithoutStandardTerm);
  });
  it('has few files of less than 30 lines', () => {
    const found = smallFiles(files);
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(limits.smallFiles);
  });
  it('casts types at the edges only', () => {
    const found = casts(files);
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(limits.casts);
  });

  it('finds marks with few files and few numbers that were set by hand', () => {
    const numbers = numbersSetByHand(files);
    expect(numbers.length, numbers.join('\n')).toBeLessThanOrEqual(limits.numbersSetByHand);
    const detection = files.filter(({ path }) => path.startsWith('packages/roasting/src/detection/'));
    const programs = detection.map(({ path }) => path).filter((path) => !isTestFile(path));
    expect(programs.length, programs.join('\n')).toBeLessThanOrEqual(limits.filesOfDetection);
  });

  it('waits for conditions in tests, never for a time', () => {
    const found = realTimeInTests(files);
    const more = Object.entries(found).filter(([path, count]) => count > (realTime.counts[path] ?? 0));
    expect(more, 'wait for a condition or use virtual time (CONTRIBUTING.md)').toEqual([]);
    if (process.env['UPDATE_REAL_TIME'] !== undefined)
      writeFileSync(listFile, `${JSON.stringify({ ...realTime, counts: found }, null, 2)}\n`);
    const { counts } = JSON.parse(readFileSync(listFile, 'utf8'));
    expect(counts, 'UPDATE_REAL_TIME=1 with this test lowers the list').toEqual(found);
  });
  it('runs few tests in real time, each for a reason', () => {
    const titles = files
      .filter(({ path }) => path.endsWith('.timed.test.ts'))
      .flatMap(({ path, text }) =>
        Array.from(
          text.matchAll(/\bit(?:\.\w+(?:\(.*?\))?)?\(\s*(['`"])(.*?)\1/g),
          ([, , title]) => `${path}: ${title}`,
        ),
      );
    expect(realTime.timed.map(({ file, test }) => `${file}: ${test}`).sort()).toEqual(titles.sort());
    expect(realTime.timed.filter(({ reason }) => reason.length < 20)).toEqual([]);
    expect(realTime.timed.length).toBeLessThanOrEqual(20);
    expect(realTime.timed.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThanOrEqual(60);
  });

  it('keeps files small', () => {
    const written = files.filter(({ path }) => !generated(path)).sort((a, b) => a.lines - b.lines);
    const median = written[Math.floor(written.length / 2)]?.lines ?? 0;
    console.log(
      `${written.length} source files, median ${median} lines, longest ${written.at(-1)?.lines} (${written.at(-1)?.path})`,
    );
    expect(tooLong(written, 500)).toEqual([]);
    expect(tooLong(written, 300).length, `over 300 lines: ${tooLong(written, 300).join(', ')}`).toBeLessThanOrEqual(
      written.length * 0.05,
    );
    expect(median).toBeLessThanOrEqual(120);
  });

  it('needs nothing outside the repository to run', () => {
    const outward = files
      .filter(({ path, text }) => !isTestFile(path) && /\.\.\/shared\//.test(text))
      .map(({ path }) => path);
    expect(outward).toEqual([]);
  });
});

const tooLong = (written: readonly SourceFile[], limit: number) =>
  written.filter(({ lines }) => lines > limit).map(({ path, lines }) => `${path} (${lines})`);

const file = (path: string, ...targets: string[]): SourceFile => ({
  path,
  lines: 1,
  text: '',
  imports: targets.map((target) => ({ target, typeOnly: false })),
});

describe('the rules themselves', () => {
  it('find imports in every notation', () => {
    const text = [
      `import type { Lot } from '@roastery/contract/lots';`,
      `import {\n  one,\n  two,\n} from './two.ts';`,
      `export { three } from "../three.ts";`,
      `import 'side-effect';`,
      `const four = await import('./four.ts');`,
    ].join('\n');
    expect(importsOf('api/src/db/one.ts', text, new Set()).map(({ target }) => target)).toEqual([
      'packages/contract/src/lots.ts',
      'api/src/db/two.ts',
      'api/src/three.ts',
      'side-effect',
      'api/src/db/four.ts',
    ]);
  });

  it('find every forbidden pattern', () => {
    expect(forbiddenWorkspaceImports([file('packages/roasting/src/a.ts', 'packages/contract/src/b.ts')])).toHaveLength(
      1,
    );
    expect(forbiddenWorkspaceImports([file('portal/src/app/a.tsx', 'api/src/app.ts')])).toHaveLength(1);
    expect(forbiddenWorkspaceImports([file('broker/src/a.ts', 'packages/testing/src/until.ts')])).toHaveLength(1);
    expect(importsOfTheLab([file('api/src/a.test.ts', 'packages/lab/src/fleet/peers.ts')])).toHaveLength(1);
    expect(upwardImports([file('api/src/db/sql.ts', 'api/src/domains/roasts/list.ts')])).toHaveLength(1);
    expect(upwardImports([file('api/src/ledger/a.ts', 'api/src/identity/b.ts')])).toHaveLength(1);
    expect(foldersWithoutLayer([file('api/src/attic/a.ts'), file('api/src/main.ts')])).toEqual(['api/src/attic']);
    expect(
      sidewaysImports([file('portal/src/features/roasts/a.tsx', 'portal/src/features/machines/b.tsx')]),
    ).toHaveLength(1);
    expect(impureImports([file('packages/roasting/src/a.ts', 'node:fs')])).toHaveLength(1);
    expect(importCycles([file('a.ts', 'b.ts'), file('b.ts', 'c.ts'), file('c.ts', 'b.ts')])).toEqual([
      ['b.ts', 'c.ts', 'b.ts'],
    ]);
    const [roasts, planned] = ['api/src/domains/roasts', 'api/src/domains/planned'];
    expect(
      domainCycles([file(`${roasts}/a.ts`, `${planned}/b.ts`), file(`${planned}/c.ts`, `${roasts}/d.ts`)]),
    ).toEqual([['roasts', 'planned', 'roasts']]);
    const parser = 'api/src/sheets/read-workbook.ts';
    expect(parsersInTheApi([file('api/src/main.ts', 'api/src/a.ts'), file('api/src/a.ts', parser)])).toEqual([parser]);
    const calls = (text: string): SourceFile => ({ ...file('api/src/a.ts'), text });
    const detection = {
      ...file('packages/roasting/src/detection/a.ts'),
      text: "const a = [0, 1.5, 2, 1_800, -0.04, b2, 'c 3']; // 4",
    };
    expect(numbersSetByHand([detection])).toEqual(['1.5', '1_800', '0.04'].map((each) => `${detection.path}: ${each}`));
    const direct = [
      'shape.safeParse(x)',
      'shape\n.parse(x)',
      's?.safeParse(x)',
      'await s.parseAsync(x)',
      's.safeDecode(x)',
    ];
    expect(directParses(direct.map(calls))).toHaveLength(direct.length);
    expect(directParses(['JSON.parse(x)', 'Date.parse(x)', 'path.parse(x)', 'parse(x)'].map(calls))).toEqual([]);
    const formats = [
      "n.toLocaleString('de')",
      'kg.toFixed(1)',
      'new Intl.NumberFormat(x)',
      'Intl.DateTimeFormat()',
      "'en-US'",
    ];
    expect(strayFormats(formats.map(calls))).toHaveLength(formats.length);
    expect(strayFormats([{ ...calls('kg.toFixed(1)'), path: 'portal/src/format/numbers.ts' }])).toEqual([]);
    const page = (text: string): SourceFile => ({ ...file('portal/src/features/roasts/a.tsx'), text });
    const fixed = ['unit="kg"', '`${text} kg left`', '<b> kg </b>', '<TextField type="date" />', '// in kg', 'batchKg'];
    expect(fixed.map((text) => fixedUnits([page(text)]).length)).toEqual([1, 1, 1, 1, 0, 0]);
    const words = ['Somebody left', 'is told of', 'a name', 'bodywork'].map((text) => ({
      ...file('api/src/a.ts'),
      text,
    }));
    expect(wordsWithoutStandardTerm(words)).toHaveLength(2);
    const typed = ['const a = b as Lot;', 'as const', 'import { a as B } from "c";', '  // as Lot'].map((text) => ({
      ...file('api/src/a.ts'),
      text,
    }));
    expect(typed.map((one) => casts([one]).length)).toEqual([1, 0, 0, 0]);
    const timers = [
      'setTimeout(f, 1)',
      "import { setTimeout as wait } from 'node:timers/promises'; await wait(1);",
      'await pause(1); socket.pause(); Date.now() - performance.now()',
      'untilReady()',
    ].map((text) => ({ ...file('api/src/a.test.ts'), text }));
    expect(timers.map((one) => realTimeInTests([one])['api/src/a.test.ts'])).toEqual([1, 2, 3, undefined]);
    const ends = ['api/src/domains/roasts/life/end-roast.ts', 'api/src/ingest/sweeper.ts'].map((path) => ({
      ...file(path),
      text: 'await tx`DELETE FROM roasts WHERE id = ${id}`;',
    }));
    expect(statementsElsewhere(ends)).toEqual(['api/src/ingest/sweeper.ts:1']);
    const readers = ['api/src/recordings/chunks.ts', 'api/src/live/backlog.ts'].map((path) => ({
      ...file(path),
      text: 'SELECT FROM recording_chunks JOIN recording_boots',
    }));
    const chains = ['working = working.then(step);', 'last = last\n  .then(step)', 'const next = last.then(step)'];
    expect(chains.map((text) => chainsByHand([calls(text)]).length)).toEqual([1, 1, 0]);
    const actions = [
      'const [isBusy, setBusy] = useState(false);',
      "toast(sentenceFor(error, failed), { tone: 'danger' })",
      'const { run, isBusy } = useAction();',
    ];
    expect(actions.map((text) => actionsByHand([page(text)]).length)).toEqual([1, 1, 0]);
    expect(['<form noValidate>', '<FormFrame of={form}>'].map((text) => formsByHand([page(text)]).length)).toEqual([
      1, 0,
    ]);
    const reaches = [
      'stream.push = (chunk) => push(chunk);',
      'new Proxy(sql, {})',
      'server._handle',
      "Reflect.get(server, '_handle')",
      'super._destroy(error, done); this.end = true; socket.write(a)',
    ];
    expect(reaches.map((text) => reachesInside([calls(text)]).length)).toEqual([1, 1, 1, 1, 0]);
    expect(samplesElsewhere(readers)).toEqual(['api/src/live/backlog.ts:1', 'api/src/live/backlog.ts:1']);
    expect(
      importsPastTheSurface([
        file('api/src/live/a.ts', 'api/src/recordings/recordings.ts'),
        file('api/src/live/b.ts', 'api/src/recordings/chunks.ts'),
      ]),
    ).toHaveLength(1);
    const surface = "export { a, type B } from './a.ts';\nexport type { C } from './c.ts';\nexport const d = 1;";
    expect(functionsOfTheSurface([{ ...file('api/src/recordings/recordings.ts'), text: surface }])).toEqual(['a', 'd']);
    expect(largeFolders(Array.from({ length: 13 }, (_, n) => file(`api/src/domains/roasts/${n}.ts`)))).toEqual([
      'api/src/domains/roasts (13)',
    ]);
    expect(smallFiles([file('api/src/a.ts'), file('api/src/a.test.ts')])).toEqual(['api/src/a.ts']);
    expect(vagueNames([file('api/src/string-utils.ts'), file('api/src/machines/rename.ts')])).toEqual([
      'api/src/string-utils.ts',
    ]);
  });
});
